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

core::Task<core::Result<std::optional<std::string>>> WhyNotAccepted(lean::Pool& pool,
                                                                    const lean::ProofSite& site,
                                                                    std::string tactics,
                                                                    core::Deadline deadline) {
  if (lean::UsesSorry(tactics)) co_return "it uses sorry";
  const lean::SiteDocument document = site.ForConfirmation(tactics);
  lean::CheckRequest request;
  request.text = document.text;
  request.deadline = deadline;
  const auto checked = co_await pool.Check(std::move(request));
  if (!checked) co_return core::Fail(checked.error());
  const lean::Diagnostic* const error = FirstError(document, checked->diagnostics);
  if (error != nullptr) co_return error->message;
  co_return std::nullopt;
}

}  // namespace zermelo::strategy
