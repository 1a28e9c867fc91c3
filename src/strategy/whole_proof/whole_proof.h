// Whole-proof generation: independent samples, and rounds of correction.
#pragma once

#include <nlohmann/json.hpp>

#include "strategy/strategy.h"

namespace zermelo::strategy {

struct WholeProofParameters {
  size_t samples = 32;        // generations in all, corrections included
  size_t per_call = 1;        // completions asked for in one call
  size_t calls = 8;           // calls in flight
  size_t corrections = 0;     // turns after a sample that Lean refuses (Goedel-Prover-V2: 2)
  double check_seconds = 60;  // a sample that Lean takes longer over has failed
  bool operator==(const WholeProofParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WholeProofParameters, samples, per_call, calls, corrections,
                                   check_seconds)

/// kUsage when a parameter is out of its range.
core::Status Check(const WholeProofParameters& parameters);

/// Samples proofs of the whole theorem and checks each as it arrives, the kernel on; stops at the
/// first proof, with everything in flight, unless all are wanted. A sample that Lean refuses is
/// answered with Lean's errors and asked for again, as Goedel-Prover-V2 does (arXiv 2508.03613,
/// section 3), if the format can do that. `context.theorem` of the problem is what is asked about.
/// Errors: as Expander::Run. Requires `environment.completions`.
core::Task<core::Result<Outcome>> WholeProof(const Environment& environment, const Problem& problem,
                                             const WholeProofParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
