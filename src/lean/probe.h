// Tries many candidates for one tactic state in one check.
//
// A document for each candidate would cost a round trip and most of a hundredth of a second each. A
// probe duplicates the first goal instead and tries each candidate on its own copy in a `case`,
// from whose errors Lean recovers before it continues with the next:
//
//     <tactics so far>
//     refine (fun {p : Sort _} (c1 c2 cz : p) => c1) ?zc1 ?zc2 ?zend
//     case zc1 =>
//       <candidate 1>
//     case zc2 =>
//       <candidate 2>
//     case zend => fail "zend"
//
// A case without an error closed the goal; one whose only error is "unsolved goals", reported at
// its head, left those goals; any other error is a failure. The last case always fails: if its
// error is missing, Lean stopped before it, and the results after the last error are unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "lean/checker.h"
#include "syntax/proof/proof_site.h"

namespace zermelo::lean {

struct ProbeResult {
  enum class Outcome {
    kClosed,   // the goal is gone
    kOpen,     // `goals` remain
    kFailed,   // Lean rejected it; `message` says why
    kSlow,     // cut off at the limit for one candidate
    kUnknown,  // the deadline passed before it was tried
  };
  Outcome outcome = Outcome::kUnknown;
  std::vector<std::string> goals;  // as Lean prints them
  std::string message;             // the first error
  std::string suggestion;          // "Try this:" of exact?, simp? and the like
  bool crashed = false;            // kFailed, since Lean died of it
};

struct ProbeLimits {
  core::Duration per_candidate = std::chrono::seconds(3);
  core::Deadline deadline;
  core::Cancellation* cancellation = nullptr;                // may be null; must outlive the probe
  size_t heartbeats = syntax::ProofSite::kSearchHeartbeats;  // of a Checker, for all together
};

/// Whether a tactic searches the library: `exact?`, `apply?`, `rw?`. Lean does not end these when
/// it is told to, only when their heartbeats are used up, so a limit in seconds is not enough.
bool SearchesLibrary(std::string_view tactic);

/// Tries each candidate on the first goal that `tactics` (one or more lines, may be empty) leave at
/// the site; the goal must not contain metavariables. Returns one result per candidate, in order.
/// With the kernel off, kClosed is provisional until a check with the kernel on confirms it.
core::Task<core::Result<std::vector<ProbeResult>>> Probe(Checker& checker,
                                                         const syntax::ProofSite& site,
                                                         std::string tactics,
                                                         std::vector<std::string> candidates,
                                                         ProbeLimits limits);

class TacticRunner;
struct StateRun;

/// The same with a runner of tactics; nullopt and errors as TacticRunner::Try.
core::Task<core::Result<std::optional<std::vector<ProbeResult>>>> Probe(
    TacticRunner& runner, const syntax::ProofSite& site, std::string tactics,
    std::vector<std::string> candidates, ProbeLimits limits);

/// What one check of a probe says of each candidate, where `first_lines` are those of the parts,
/// the sentinel's last. If Lean stopped before the sentinel, what follows the last error is
/// unknown.
std::vector<ProbeResult> ResultsOf(const CheckResult& checked,
                                   const std::vector<uint32_t>& first_lines);

/// The result that Probe would give for a candidate with these steps.
ProbeResult ResultOf(const StateRun& run);

/// The hole of a site, for a runner of tactics.
struct StateHole HoleAt(const syntax::ProofSite& site);

/// The goals as Lean prints several: an empty line between them.
std::string JoinedGoals(const std::vector<std::string>& goals);
/// Lean's message about goals that are left.
std::string UnsolvedMessage(const std::vector<std::string>& goals);
/// The goals in such a message; empty when it is not one.
std::vector<std::string> UnsolvedGoals(const std::string& message);

struct HoleGoals {
  std::vector<std::string> goals;  // as Lean prints them
  std::string message;             // why there are none
};

/// The tactic state at the site's hole, obtained with a tactic that leaves it unchanged. Errors as
/// for Checker::Check. `cancellation` may be null.
core::Task<core::Result<HoleGoals>> GoalsAt(Checker& checker, const syntax::ProofSite& site,
                                            core::Deadline deadline,
                                            core::Cancellation* cancellation = nullptr);

}  // namespace zermelo::lean
