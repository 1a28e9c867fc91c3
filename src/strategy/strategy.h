// A strategy is an algorithm that proves: it asks a policy for candidates and Lean for their
// tactic states. It never writes files and never has the last word on a proof.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "lean/pool.h"
#include "lean/proof_site.h"
#include "policy/policy.h"

namespace zermelo::strategy {

/// A hole to fill.
struct Problem {
  lean::ProofSite site;
  std::vector<std::string> goals;  // the tactic state at the hole, as Lean prints it
  policy::StepContext context;     // what does not change from state to state
};

/// What a strategy may use up, and how others look on and stop it.
struct Limits {
  core::Deadline deadline;
  std::function<bool()> stop = [] { return false; };  // asked between checks
  core::Cancellation* cancellation = nullptr;         // also ends waiting for a model; may be null
  std::function<void(const std::string&)> trying = [](const auto&) {};  // for progress displays
};

struct Outcome {
  std::optional<std::string> proof;  // tactics for the hole; confirmed with the kernel on
  std::string auxiliary;             // commands that it needs before the declaration (lean::Proof)
  uint64_t samples = 0;              // candidates that Lean tried
  uint64_t checks = 0;               // documents that Lean elaborated
  uint64_t nodes = 0;                // distinct tactic states seen
  std::string reason;                // why there is no proof: "time", "stopped", "exhausted"
};

/// Why Lean refuses what stands in the hole: the first error in its declaration, or in what a proof
/// puts before it. Null: it does not.
const lean::Diagnostic* FirstError(const lean::SiteDocument& document,
                                   const std::vector<lean::Diagnostic>& diagnostics);

/// Checks a whole proof with the kernel on and the file's own limits: no error in the declaration
/// and no `sorry` among the tactics. The message says what is wrong.
core::Task<core::Result<std::optional<std::string>>> WhyNotAccepted(lean::Pool& pool,
                                                                    const lean::ProofSite& site,
                                                                    std::string tactics,
                                                                    core::Deadline deadline);

}  // namespace zermelo::strategy
