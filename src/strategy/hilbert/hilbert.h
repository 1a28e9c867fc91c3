// Hilbert: recursive decomposition by a reasoner, a prover, Lean and a retriever (arXiv 2509.22819,
// section 3, appendices A.1 and A.3).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "llm/prompt_template.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// Who makes theorems of the `have`s of a sketch (section 3.2.1, step 3).
enum class Extraction {
  kReasoner,  // the paper: the reasoner; Lean's tactic states stand in for what it does not manage
  kLean,      // Lean's tactic states, free of charge; the reasoner for what they do not give
};
NLOHMANN_JSON_SERIALIZE_ENUM(Extraction, {{static_cast<Extraction>(-1), nullptr},
                                          {Extraction::kReasoner, "reasoner"},
                                          {Extraction::kLean, "lean"}})

/// Defaults are the paper's where it tells them, else those of its code (apple/ml-hilbert).
struct HilbertParameters {
  size_t initial_proofs = 4;      // of the theorem, by the prover
  size_t subgoal_proofs = 4;      // of a subgoal (step 1)
  size_t depth = 5;               // D: how deep decompositions nest; 0: direct attempts only
  size_t sketch_attempts = 4;     // sketches from nothing, of one theorem
  size_t sketch_corrections = 6;  // passes with Lean's errors over a sketch, statement or assembly
                                  // (not told; 6 in the code)
  size_t sketch_refinements = 8;  // of a sketch with a false subgoal (not told; 8 in the code)
  size_t missing_retries = 3;     // askings for subgoals that were left out (not told; 3)
  size_t tag_retries = 3;         // askings for an answer in the form that was asked for (not told)
  size_t queries = 5;             // searches of the library for a theorem
  size_t premises = 5;            // that are looked at of each search
  size_t error_queries = 2;       // searches after an unknown name (not told; 2 in the code)
  size_t shallow_attempts = 6;    // of a subgoal, by the reasoner (step 3)
  size_t shallow_corrections = 6;  // passes over one of them
  size_t shallow_lines = 30;       // a longer proof that is wrong ends its attempt
  size_t calls = 8;                // of models, in flight (A.3: semaphores)
  size_t parallel = 8;             // subgoals of a sketch, attempts at one, or judges side by side
  double builtin_seconds = 10;     // of the built-in policy, free, for every goal first; 0: none
  double disprove_seconds = 5;  // likewise for the negation of what was not proved; ours; 0: none
  double sketch_seconds = 30;   // that Lean may take over a sketch (not told; 30 in the code)
  double proof_seconds = 60;    // or a proof (likewise; 60)
  Extraction extraction = Extraction::kReasoner;
  bool operator==(const HilbertParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HilbertParameters, initial_proofs, subgoal_proofs, depth,
                                   sketch_attempts, sketch_corrections, sketch_refinements,
                                   missing_retries, tag_retries, queries, premises, error_queries,
                                   shallow_attempts, shallow_corrections, shallow_lines, calls,
                                   parallel, builtin_seconds, disprove_seconds, sketch_seconds,
                                   proof_seconds, extraction)

/// kUsage when a parameter is out of its range.
core::Status Check(const HilbertParameters& parameters);

/// Tries to prove a goal free of charge, within the limits. Errors: as Expander::Run.
using FreeAttempt =
    std::function<core::Task<core::Result<Outcome>>(const Problem& problem, Limits limits)>;

/// Algorithm 1: direct attempts; then sketches, whose subgoals are proved in the same way. The
/// proof has its subgoals as lemmas before the theorem (Outcome::auxiliary), compiled as a whole.
/// `context.theorem` of the problem is what is asked about: a whole theorem. Roles of the
/// environment that are asked: prover (may be null), reasoner (must not), sketcher, informal,
/// judge, retriever. `prompts`: those of prompts/hilbert. `builtin` may be null.
/// Errors: of models as llm::Model, kEnvironment when Lean no longer runs; a used-up budget is
/// none.
core::Task<core::Result<Outcome>> Hilbert(const Environment& environment,
                                          const llm::PromptTemplates& prompts, FreeAttempt builtin,
                                          const Problem& problem,
                                          const HilbertParameters& parameters, Limits limits);

}  // namespace zermelo::strategy
