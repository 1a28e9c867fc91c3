#include "strategy/strategy.h"

#include "lean/proof_text.h"

namespace zermelo::strategy {

const lean::Diagnostic* FirstError(const lean::SiteDocument& document,
                                   const std::vector<lean::Diagnostic>& diagnostics) {
  for (const lean::Diagnostic& d : diagnostics) {
    if (d.severity == lean::Severity::kError && document.InDeclaration(d)) return &d;
  }
  return nullptr;
}

core::Task<core::Result<std::optional<std::string>>> WhyNotAccepted(lean::Checker& checker,
                                                                    const lean::ProofSite& site,
                                                                    std::string tactics,
                                                                    const Limits& limits) {
  if (lean::UsesSorry(tactics)) co_return "it uses sorry";
  const lean::SiteDocument document = site.ForConfirmation(tactics);
  lean::CheckRequest request;
  request.text = document.text;
  request.deadline = limits.deadline;
  request.cancellation = limits.cancellation;
  const auto checked = co_await checker.Check(std::move(request));
  if (!checked) co_return core::Fail(checked.error());
  const lean::Diagnostic* const error = FirstError(document, checked->diagnostics);
  if (error != nullptr) co_return error->message;
  co_return std::nullopt;
}

std::string Fingerprint(std::string_view proof) {
  std::string fingerprint;
  for (const lean::Token& token : lean::LexCode(proof)) {
    fingerprint += token.first_on_line ? '\n' : ' ';
    fingerprint += lean::TextOf(proof, token);
  }
  return fingerprint;
}

}  // namespace zermelo::strategy
