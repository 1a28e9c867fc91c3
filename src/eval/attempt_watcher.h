// Watches the checks of an attempt at a problem and keeps the best attempt.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "eval/problem.h"
#include "lean/checker.h"
#include "lean/states/tactic_runner.h"
#include "lean/use_by_role.h"

namespace zermelo::eval {

/// Forwards checks and tactics to a shared Lean, counts them, and keeps the best attempt: among
/// whole proofs, the one with the latest first error; if there is none, among probes (lean/probe.h)
/// the tactics that leave the fewest and shortest goals. Must outlive its checks.
class AttemptWatcher : public lean::Checker, public lean::TacticRunner {
 public:
  /// `states` may be null; then nothing is tried there.
  AttemptWatcher(lean::Checker& inner, lean::TacticRunner* states, const Problem& problem)
      : inner_(inner), states_(states), theorem_(problem.theorem) {}

  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override;
  core::Task<core::Result<std::optional<std::vector<lean::ProbeResult>>>> Try(
      lean::Trials trials) override;
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return checks_; }
  const lean::UseByRole& by_role() const { return by_role_; }

  /// Called after every check and trial with the number of candidates (tactics of probes, and whole
  /// proofs) that Lean has judged so far; may be null.
  std::function<void(uint64_t candidates)> on_candidates;

  /// Tactics, with what is missing in comments; empty if there was no usable attempt.
  std::string best() const { return whole_.empty() ? steps_ : whole_; }

 private:
  void Look(const lean::CheckRequest& request, const lean::CheckResult& result);
  void LookAtTried(std::string_view before, const std::string& candidate,
                   const lean::ProbeResult& result);
  void LookAtProof(const std::string& value, size_t value_line, const lean::CheckResult& result);

  bool IsBest(const std::vector<std::string>& goals);

  lean::Checker& inner_;
  lean::TacticRunner* const states_;
  const std::string theorem_;
  uint64_t checks_ = 0;
  lean::UseByRole by_role_;
  uint64_t candidates_ = 0;
  std::string steps_;                           // the best probe
  std::pair<size_t, size_t> left_ = {~0UL, 0};  // goals and bytes that steps_ leaves
  std::string whole_;                           // the best whole proof
  double share_ = -1;                           // share of whole_ before its first error
};

}  // namespace zermelo::eval
