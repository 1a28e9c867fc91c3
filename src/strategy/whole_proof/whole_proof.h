// Whole-proof generation: independent samples, and rounds of correction.
#pragma once

#include <vector>

#include "llm/budget.h"
#include "policy/completion.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

struct WholeProofParameters {
  size_t samples = 32;        // generations in all, corrections included
  size_t per_call = 1;        // completions asked for in one call
  size_t calls = 8;           // calls in flight
  size_t corrections = 0;     // turns after a sample that Lean refuses (Goedel-Prover-V2: 2)
  bool all = false;           // go on after the first proof, for more of them
  double check_seconds = 60;  // a sample that Lean takes longer over has failed
  bool operator==(const WholeProofParameters&) const = default;
};

struct WholeProofOutcome : Outcome {
  std::vector<std::string> proofs;  // distinct up to blanks and comments, in order of their finding
  size_t unusable = 0;              // samples in whose text there was no proof to check
  llm::Spending spending;
};

/// Samples proofs of the whole theorem and checks each as it arrives, the kernel on; stops at the
/// first proof, with everything in flight, unless all are wanted. A sample that Lean refuses is
/// answered with Lean's errors and asked for again, as Goedel-Prover-V2 does (arXiv 2508.03613,
/// section 3), if the format can do that. `context.theorem` of the problem is what is asked about.
/// Errors: as CompletionPolicy::Complete, except that a spent budget or deadline is an Outcome;
/// kEnvironment when Lean no longer runs.
core::Task<core::Result<WholeProofOutcome>> WholeProof(lean::Checker& checker,
                                                       policy::CompletionPolicy& policy,
                                                       const Problem& problem,
                                                       const WholeProofParameters& parameters,
                                                       Limits limits);

}  // namespace zermelo::strategy
