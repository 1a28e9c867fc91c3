#include "train/reinforcement/patient_judge.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;

namespace {

using Verdicts = core::Result<std::vector<std::optional<bool>>>;

/// Why the answers have to be judged again; nothing if they need not.
std::optional<core::Error> Outage(const Verdicts& verdicts) {
  if (!verdicts) {
    return verdicts.error().code == ErrorCode::kEnvironment ? std::optional(verdicts.error())
                                                            : std::nullopt;
  }
  const bool any =
      std::ranges::any_of(*verdicts, [](const auto& verdict) { return verdict.has_value(); });
  if (any || verdicts->empty()) return std::nullopt;
  return core::Error{ErrorCode::kEnvironment,
                     fmt::format("Lean has judged none of {} answers", verdicts->size())};
}

std::optional<core::Error> Outage(const core::Result<std::vector<Rollout>>& rollouts) {
  if (rollouts || rollouts.error().code != ErrorCode::kEnvironment) return std::nullopt;
  return rollouts.error();
}

template <class Attempt>
auto Patiently(const Attempt& attempt, double patience, const Wait& wait) -> decltype(attempt()) {
  constexpr double kLongest = 30;  // seconds
  double pause = 1;
  double waited = 0;
  while (true) {
    auto result = attempt();
    const auto outage = Outage(result);
    if (!outage) return result;
    if (waited >= patience) return Fail(*outage);
    const double next = std::min(pause, patience - waited);
    if (!wait(next, *outage)) return Fail(ErrorCode::kCancelled, "stopped while Lean was away");
    waited += next;
    pause = std::min(2 * pause, kLongest);
  }
}

}  // namespace

Judge Patient(Judge judge, double patience, Wait wait) {
  return [judge = std::move(judge), patience,
          wait = std::move(wait)](const std::vector<Answer>& answers) {
    return Patiently([&] { return judge(answers); }, patience, wait);
  };
}

Sampler Patient(Sampler sample, double patience, Wait wait) {
  return [sample = std::move(sample), patience, wait = std::move(wait)](
             const ModelAndTokenizer& policy, const std::vector<Problem>& problems,
             const std::vector<size_t>& drawn, const RlSettings& settings, size_t step) {
    return Patiently([&] { return sample(policy, problems, drawn, settings, step); }, patience,
                     wait);
  };
}

}  // namespace zermelo::train
