// Looks on as a problem is worked at, and keeps what came furthest.
#pragma once

#include <functional>
#include <string>
#include <tuple>

#include "eval/problem.h"
#include "lean/checker.h"

namespace zermelo::eval {

/// Passes checks on to a shared Lean, counts them, and reads in them how far the proof came: of
/// probes (lean/probe.h), the tactics that leave the fewest and shortest goals; of whole proofs,
/// the one whose first error comes latest, which counts for more. Must outlive its checks.
class AttemptWatcher : public lean::Checker {
 public:
  AttemptWatcher(lean::Checker& inner, const Problem& problem)
      : inner_(inner), theorem_(problem.theorem) {}

  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override;
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return checks_; }

  /// Called after every check with the number of candidates (tactics of probes, and proofs) that
  /// Lean has judged so far; may be null.
  std::function<void(uint64_t candidates)> on_candidates;

  /// Tactics, and in comments what they lack; empty: nothing came anywhere.
  std::string best() const { return whole_.empty() ? steps_ : whole_; }

 private:
  void Look(const lean::CheckRequest& request, const lean::CheckResult& result);
  void LookAtProbe(const std::string& value, size_t value_line, const lean::CheckRequest& request,
                   const lean::CheckResult& result);
  void LookAtProof(const std::string& value, size_t value_line, const lean::CheckResult& result);

  lean::Checker& inner_;
  const std::string theorem_;
  uint64_t checks_ = 0;
  uint64_t candidates_ = 0;
  std::string steps_;                           // the best of probes
  std::pair<size_t, size_t> left_ = {~0UL, 0};  // goals and bytes that steps_ leaves
  std::string whole_;                           // the best of whole proofs
  double share_ = -1;                           // of whole_, before its first error
};

}  // namespace zermelo::eval
