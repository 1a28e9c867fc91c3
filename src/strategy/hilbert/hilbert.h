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
struct HilbertParameters {
  size_t initial_proofs = 4;      // attempts at the theorem by the prover
  size_t subgoal_proofs = 4;      // attempts at a subgoal by the prover (step 1)
  size_t depth = 5;               // D: maximum depth of decompositions; 0: direct attempts only
  size_t sketch_attempts = 4;     // new sketches per theorem
  size_t sketch_corrections = 6;  // corrections of a sketch, statement or assembly by Lean's errors
                                  // (not stated; 6 in the code)
  size_t sketch_refinements = 8;  // of a sketch with a false subgoal (not stated; 8 in the code)
  size_t missing_retries = 3;     // requests for missing subgoals (not stated; 3)
  size_t tag_retries = 3;         // requests for an answer in the right form (not stated)
  size_t queries = 5;             // library searches per theorem
  size_t premises = 5;            // results used of each search
  size_t error_queries = 2;       // searches after an unknown name (not stated; 2 in the code)
  size_t shallow_attempts = 6;    // attempts at a subgoal by the reasoner (step 3)
  size_t shallow_corrections = 6;  // corrections of one such attempt
  size_t shallow_lines = 30;       // a longer wrong proof ends its attempt
  size_t calls = 8;                // concurrent model calls (A.3: semaphores)
  size_t parallel = 8;             // concurrent subgoals of a sketch, attempts at one, or judges
  double builtin_seconds = 10;     // free built-in search, first for every goal; 0: off
  double disprove_seconds = 5;     // built-in search for negations; not in the paper; 0: off
  double sketch_seconds = 30;      // Lean time per sketch (not stated; 30 in the code)
  double proof_seconds = 60;       // Lean time per proof (not stated; 60 in the code)
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
