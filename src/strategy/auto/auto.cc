#include "strategy/auto/auto.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cassert>
#include <cmath>
#include <set>
#include <utility>

namespace zermelo::strategy {

using core::Fail;
using core::Result;
using core::Task;

namespace {

void AddTo(SearchResult& sum, SearchResult next, std::set<std::string>& known) {
  sum.AddUse(next);
  for (std::string& proof : next.proofs) {
    if (known.insert(ProofKey(proof)).second) sum.proofs.push_back(std::move(proof));
  }
  sum.TakeProof(next);
  sum.reason = sum.reason == "budget" ? sum.reason : next.reason;
}

/// Subtracts the phase's share from `time`. The time actually used is ignored because the clock
/// differs between executions.
Task<Result<SearchResult>> RunPhase(const Phase& phase, core::Duration* time, const Limits& limits,
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

Task<Result<SearchResult>> RunPhases(std::vector<Phase> phases, core::Duration time, bool all,
                                     Limits limits) {
  const auto executor = co_await boost::asio::this_coro::executor;
  SearchResult sum;
  std::set<std::string> known;
  for (const Phase& phase : phases) {
    if (limits.Ended() || (sum.proof && !all)) break;
    auto result = co_await RunPhase(phase, &time, limits, executor);
    if (!result) {
      if (sum.proof) break;
      co_return Fail(result.error());
    }
    AddTo(sum, *std::move(result), known);
  }
  if (limits.stop()) {
    sum.reason = "stopped";
  } else if (limits.Ended()) {
    sum.reason = "time";
  }
  co_return sum;
}

namespace {

// Time for the built-in search, which goes first, in an attempt without a time limit.
constexpr double kUntimedBuiltinSeconds = 15;

/// Without models, sg_mdp comes first: it exhausts the built-in policy's proposals within seconds,
/// which leaves the remaining time to best-first search.
class Auto : public StrategyWith<AutoParameters> {
 public:
  std::string_view name() const override { return "auto"; }
  std::string_view summary() const override {
    return "automation, built-in search, whole proofs, then a tree search";
  }
  std::vector<Parameter> Parameters() const override {
    return {
        {"automation_seconds", "seconds for each of the tactics that may finish the proof alone"},
        {"builtin_share",
         "share of the time for best_first, from 0 to 1; without models, for sg_mdp"},
        {"whole_proof_share", "share of the time that then remains, for whole_proof"},
    };
  }

  void Fit(const EvaluatedAttempt& attempt, StrategyParameters& parameters) const override {
    auto own = Own(parameters);
    if (!attempt.timed) own.builtin_share = kUntimedBuiltinSeconds / core::Seconds(attempt.time);
    parameters.sections["auto"] = own;
    if (parameters.strategy != name() || !attempt.samples) return;
    const double samples = own.whole_proof_share * static_cast<double>(*attempt.samples);
    const size_t most = std::max<size_t>(static_cast<size_t>(samples), 1);
    [[maybe_unused]] const auto set = Set(parameters, "whole_proof.samples", most);
    assert(set);
  }

  Task<Result<SearchResult>> Run(Job job, Limits limits) const override {
    const AutoParameters own = Own(job.parameters);
    const Services free = WithoutModels(job.services);
    co_return co_await RunPhases(Phases(job, free, own), job.time, job.parameters.all,
                                 std::move(limits));
  }

 private:
  std::vector<Phase> Phases(const Job& job, const Services& free, const AutoParameters& own) const {
    const Services& services = job.services;
    std::vector<Phase> phases;
    if (free.steps != nullptr) {
      phases.push_back({"automation", 0.2, [&free, &own, job](Limits limits) {
                          return Automation(free, job.problem, own.automation_seconds,
                                            std::move(limits));
                        }});
      if (!services.models) phases.push_back(Of("sg_mdp", own.builtin_share, job, services));
      phases.push_back(Of("best_first", services.models ? own.builtin_share : 1, job, free));
    }
    if (services.completions != nullptr) {
      phases.push_back(Of("whole_proof", own.whole_proof_share, job, services));
    }
    if (services.completions != nullptr && services.completions->ContinuesProofs()) {
      phases.push_back(Of("rmaxts", 1, job, services));
    } else if (services.models && services.steps != nullptr) {
      phases.push_back(Of("sg_mdp", 1, job, services));
    }
    return phases;
  }

  /// A strategy with these services as a phase.
  static Phase Of(const char* name, double share, const Job& job, const Services& services) {
    const Job part{services, job.problem, job.parameters, job.time};
    return {name, share, [name, part](Limits limits) {
              return FindStrategy(name)->Search(part, std::move(limits));
            }};
  }
};

}  // namespace

}  // namespace zermelo::strategy

ZERMELO_STRATEGY(auto, Auto);
