#include "strategy/strategy.h"

#include "lean/lexer.h"

namespace zermelo::strategy {

namespace {

/// Lean's warning does not tell: the declaration may have other holes with their own `sorry`.
bool HasSorry(std::string_view tactics) {
  for (const lean::Token& token : lean::LexCode(tactics)) {
    const std::string_view word = lean::TextOf(tactics, token);
    if (word == "sorry" || word == "admit" || word == "stop" || word.ends_with("sorryAx")) {
      return true;
    }
  }
  return false;
}

}  // namespace

core::Task<core::Result<std::optional<std::string>>> WhyNotAccepted(lean::Checker& checker,
                                                                    const lean::ProofSite& site,
                                                                    std::string tactics,
                                                                    const Limits& limits) {
  if (HasSorry(tactics)) co_return "it uses sorry";
  const lean::SiteDocument document = site.ForConfirmation(tactics);
  lean::CheckRequest request;
  request.text = document.text;
  request.deadline = limits.deadline;
  request.cancellation = limits.cancellation;
  const auto checked = co_await checker.Check(std::move(request));
  if (!checked) co_return core::Fail(checked.error());
  for (const auto& d : checked->diagnostics) {
    if (d.severity == lean::Severity::kError && document.InDeclaration(d)) co_return d.message;
  }
  co_return std::nullopt;
}

std::string Fingerprint(std::string_view tactics) {
  std::string fingerprint;
  for (const lean::Token& token : lean::LexCode(tactics)) {
    fingerprint += token.first_on_line ? '\n' : ' ';
    fingerprint += lean::TextOf(tactics, token);
  }
  return fingerprint;
}

}  // namespace zermelo::strategy
