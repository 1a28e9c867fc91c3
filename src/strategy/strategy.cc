#include "strategy/strategy.h"

namespace zermelo::strategy {

core::Task<core::Result<std::optional<std::string>>> WhyNotAccepted(lean::Pool& pool,
                                                                    const lean::ProofSite& site,
                                                                    std::string tactics,
                                                                    core::Deadline deadline) {
  const lean::SiteDocument document = site.ForConfirmation(tactics);
  lean::CheckRequest request;
  request.text = document.text;
  request.deadline = deadline;
  const auto checked = co_await pool.Check(std::move(request));
  if (!checked) co_return core::Fail(checked.error());
  for (const auto& d : checked->diagnostics) {
    if (d.severity == lean::Severity::kError && document.InDeclaration(d)) co_return d.message;
  }
  co_return std::nullopt;
}

}  // namespace zermelo::strategy
