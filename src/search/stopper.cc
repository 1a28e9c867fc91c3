#include "search/stopper.h"

namespace zermelo::search {

namespace {

template <class Count>
Stopper At(Count Progress::*counter, Count limit, const char* name) {
  return [=](const Progress& progress) -> std::optional<std::string> {
    if (progress.*counter >= limit) return name;
    return std::nullopt;
  };
}

}  // namespace

Stopper AtSamples(uint64_t limit) { return At(&Progress::samples, limit, "samples"); }
Stopper AtTokens(uint64_t limit) { return At(&Progress::tokens, limit, "tokens"); }
Stopper AtMoney(double limit) { return At(&Progress::money, limit, "money"); }
Stopper AtSeconds(double limit) { return At(&Progress::seconds, limit, "time"); }
Stopper AtNodes(uint64_t limit) { return At(&Progress::nodes, limit, "nodes"); }
Stopper AtProofs(uint64_t limit) { return At(&Progress::proofs, limit, "proof"); }

Stopper AnyOf(std::vector<Stopper> stoppers) {
  return [stoppers = std::move(stoppers)](const Progress& progress) {
    std::optional<std::string> reason;
    for (size_t i = 0; i < stoppers.size() && !reason; ++i) reason = stoppers[i](progress);
    return reason;
  };
}

Stopper AllOf(std::vector<Stopper> stoppers) {
  return [stoppers = std::move(stoppers)](const Progress& progress) {
    std::optional<std::string> reasons;
    for (const auto& stopper : stoppers) {
      const auto reason = stopper(progress);
      if (!reason) return std::optional<std::string>();
      reasons = reasons ? *reasons + " and " + *reason : *reason;
    }
    return reasons;
  };
}

}  // namespace zermelo::search
