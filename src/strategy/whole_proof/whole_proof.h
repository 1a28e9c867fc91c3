// Whole-proof generation: independent samples, with rounds of correction.
#pragma once

#include <nlohmann/json.hpp>

#include "strategy/strategy.h"

namespace zermelo::strategy {

/// WholeProofStrategy::Parameters (in whole_proof.cc) says what each means.
struct WholeProofParameters {
  size_t samples = 32;
  size_t per_call = 1;
  size_t calls = 8;
  size_t corrections = 0;
  double check_seconds = 60;
  bool operator==(const WholeProofParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WholeProofParameters, samples, per_call, calls, corrections,
                                   check_seconds)

/// Fails with kUsage if a parameter is out of range.
core::Status Check(const WholeProofParameters& parameters);

/// Samples proofs of `context.theorem`, the whole theorem, and checks each as it arrives with the
/// kernel on. Stops at the first proof and cancels all work in progress, unless all proofs are
/// wanted. If Lean rejects a sample, the model is asked to correct it with Lean's errors, as in
/// Goedel-Prover-V2 (arXiv 2508.03613, section 3), if the format supports that. Errors: as
/// Expander::Run. Requires `services.completions`.
core::Task<core::Result<SearchResult>> WholeProof(const Services& services, const Problem& problem,
                                                  const WholeProofParameters& parameters,
                                                  Limits limits);

}  // namespace zermelo::strategy
