#include "strategy/auto/auto.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <set>
#include <utility>

#include "strategy/expander.h"

namespace zermelo::strategy {

using core::Fail;
using core::Result;
using core::Task;

namespace {

// In the order of their cost.
constexpr std::string_view kAnywhere[] = {"rfl",      "trivial", "assumption", "omega", "simp",
                                          "simp_all", "decide",  "grind",      "exact?"};
constexpr std::string_view kWithMathlib[] = {"norm_num", "ring",       "linarith", "tauto",
                                             "aesop",    "positivity", "nlinarith"};

std::vector<std::string> AutomationTactics(const Problem& problem) {
  std::vector<std::string> tactics(std::begin(kAnywhere), std::end(kAnywhere));
  if (problem.context.has_mathlib) {
    tactics.insert(tactics.end() - 1, std::begin(kWithMathlib), std::end(kWithMathlib));
  }
  return tactics;
}

/// A strategy of one expansion that tries all tactics at once.
class OneProbe {
 public:
  OneProbe(const Environment& environment, const Problem& problem, double seconds_each,
           Limits limits, core::Executor executor)
      : expander_(environment, problem, std::move(limits), std::move(executor)),
        seconds_each_(seconds_each) {}

  Task<Result<Outcome>> Run() {
    return expander_.Run(1, [this]() -> std::optional<Expander::Work> {
      const bool one_goal = expander_.problem().goals.size() == 1;
      if (std::exchange(done_, true) || !one_goal) return std::nullopt;
      return [this] { return TryAll(); };
    });
  }

 private:
  Task<void> TryAll() {
    const auto tactics = AutomationTactics(expander_.problem());
    const auto attempts =
        co_await expander_.TryTactics("", tactics, core::FromSeconds(seconds_each_));
    if (!attempts) co_return;
    for (size_t i = 0; i < tactics.size() && !expander_.Done(); ++i) {
      const lean::Attempt& attempt = (*attempts)[i];
      if (attempt.outcome != lean::Attempt::Outcome::kClosed) continue;
      const std::string proof = attempt.suggestion.empty() ? tactics[i] : attempt.suggestion;
      const bool confirmed = co_await expander_.Confirm(proof);
      if (confirmed) expander_.Found(proof);
    }
  }

  Expander expander_;
  const double seconds_each_;
  bool done_ = false;
};

void AddTo(Outcome& sum, Outcome next, std::set<std::string>& known) {
  sum.samples += next.samples;
  sum.unusable += next.unusable;
  for (const auto& [why, times] : next.refusals) sum.refusals[why] += times;
  sum.checks += next.checks;
  sum.nodes += next.nodes;
  sum.spending += next.spending;
  for (std::string& proof : next.proofs) {
    if (known.insert(Fingerprint(proof)).second) sum.proofs.push_back(std::move(proof));
  }
  if (!sum.proof) {
    sum.proof = std::move(next.proof);
    sum.auxiliary = std::move(next.auxiliary);
  }
  sum.reason = sum.reason == "budget" ? sum.reason : next.reason;
}

/// Subtracts the phase's share from `time`. The time actually used is ignored because the clock
/// differs between executions.
Task<Result<Outcome>> RunPhase(const Phase& phase, core::Duration* time, const Limits& limits,
                               core::Executor executor) {
  if (phase.share >= 1) co_return co_await phase.run(limits);
  const core::Duration share = core::FromSeconds(core::Seconds(*time) * phase.share);
  *time -= share;
  Timebox box(executor, limits, share);
  Limits part = box.limits();
  part.whole = &limits;
  co_return co_await phase.run(std::move(part));
}

}  // namespace

core::Status Check(const AutoParameters& p) {
  for (const double share : {p.builtin_share, p.whole_proof_share}) {
    if (share >= 0 && share <= 1) continue;
    return Fail(core::ErrorCode::kUsage,
                "builtin_share and whole_proof_share must be between 0 and 1");
  }
  if (p.automation_seconds > 0) return {};
  return Fail(core::ErrorCode::kUsage, "automation_seconds must be above 0");
}

Task<Result<Outcome>> Automation(const Environment& environment, const Problem& problem,
                                 double seconds_each, Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  OneProbe probe(environment, problem, seconds_each, std::move(limits), executor);
  co_return co_await probe.Run();
}

Task<Result<Outcome>> RunPhases(std::vector<Phase> phases, core::Duration time, bool all,
                                Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  Outcome sum;
  std::set<std::string> known;
  for (const Phase& phase : phases) {
    if (limits.Ended() || (sum.proof && !all)) break;
    auto outcome = co_await RunPhase(phase, &time, limits, executor);
    if (!outcome) {
      if (sum.proof) break;
      co_return Fail(outcome.error());
    }
    AddTo(sum, *std::move(outcome), known);
  }
  if (limits.stop()) {
    sum.reason = "stopped";
  } else if (limits.Ended()) {
    sum.reason = "time";
  }
  co_return sum;
}

}  // namespace zermelo::strategy
