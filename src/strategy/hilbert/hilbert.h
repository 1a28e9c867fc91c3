// Hilbert: recursive decomposition by a reasoner, a prover, Lean and a retriever (arXiv 2509.22819,
// section 3, appendices A.1 and A.3).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "llm/prompt/prompt_template.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// How the `have`s of a sketch become theorems (section 3.2.1, step 3).
enum class Extraction {
  kReasoner,  // as in the paper: by the reasoner; Lean's tactic states where it fails
  kLean,      // Lean's tactic states, free of charge; the reasoner where they fail
};
NLOHMANN_JSON_SERIALIZE_ENUM(Extraction, {{static_cast<Extraction>(-1), nullptr},
                                          {Extraction::kReasoner, "reasoner"},
                                          {Extraction::kLean, "lean"}})

/// Defaults are the paper's where it states them, else those of its code (apple/ml-hilbert).
/// HilbertStrategy::Parameters (in hilbert.cc) says what each means.
struct HilbertParameters {
  size_t initial_proofs = 4;
  size_t subgoal_proofs = 4;
  size_t depth = 5;
  size_t sketch_attempts = 4;
  size_t sketch_corrections = 6;
  size_t sketch_refinements = 8;
  size_t missing_retries = 3;
  size_t tag_retries = 3;
  size_t queries = 5;
  size_t premises = 5;
  size_t error_queries = 2;
  size_t shallow_attempts = 6;
  size_t shallow_corrections = 6;
  size_t shallow_lines = 30;
  size_t calls = 8;
  size_t parallel = 8;
  double builtin_seconds = 10;
  double disprove_seconds = 5;
  double sketch_seconds = 30;
  double proof_seconds = 60;
  Extraction extraction = Extraction::kReasoner;
  bool operator==(const HilbertParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HilbertParameters, initial_proofs, subgoal_proofs, depth,
                                   sketch_attempts, sketch_corrections, sketch_refinements,
                                   missing_retries, tag_retries, queries, premises, error_queries,
                                   shallow_attempts, shallow_corrections, shallow_lines, calls,
                                   parallel, builtin_seconds, disprove_seconds, sketch_seconds,
                                   proof_seconds, extraction)

/// Fails with kUsage if a parameter is out of range.
core::Status Check(const HilbertParameters& parameters);

/// Tries to prove a goal free of charge within the limits. Errors: as Expander::Run.
using FreeAttempt =
    std::function<core::Task<core::Result<SearchResult>>(const Problem& problem, Limits limits)>;

/// Algorithm 1: direct attempts; then sketches, whose subgoals are proved in the same way. The
/// subgoals become lemmas before the theorem (SearchResult::auxiliary); the whole proof is
/// compiled. `context.theorem` of the problem must be a whole theorem. Roles used: prover (may be
/// null), reasoner (must not be null), sketcher, informal, judge, retriever. `prompts`: those of
/// prompts/hilbert. `builtin` may be null. Errors: model errors as in llm::Model, kEnvironment if
/// Lean no longer runs; a used-up budget is not an error.
core::Task<core::Result<SearchResult>> Hilbert(const Services& services,
                                               const llm::PromptTemplates& prompts,
                                               FreeAttempt builtin, const Problem& problem,
                                               const HilbertParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
