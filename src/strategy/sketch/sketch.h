// The test-time workflow of Seed-Prover 1.5 (arXiv 2512.17260, sections 3.3 and 3.4): a proof in
// words, a sketch of lemmas in Lean, every lemma proved or disproved by the agent, what is still
// open taken apart again.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

struct SketchParameters {
  size_t depth = 4;           // of decompositions; lemmas at this depth are not taken apart
  size_t restarts = 1;        // with all that was proved: the paper's depth 8
  size_t width = 1;           // sketches asked for at once; the best is worked on
  size_t refinements = 4;     // sketches of a statement, one after the other
  size_t lemmas = 4;          // worked on at once
  size_t trajectories = 3;    // of the agent, for a lemma: Pass@3×3
  size_t rounds = 3;          // likewise
  bool judge = true;          // lemmas are judged in words first
  bool rubric = true;         // sketches are given marks
  double min_quality = 0;     // a sketch with lower marks is not worked on
  double free_share = 1;      // of the lemmas, first tried by the built-in policy, which is free
  double free_seconds = 5;    // of such a try, at most
  double check_seconds = 60;  // of Lean, for a sketch
  bool operator==(const SketchParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SketchParameters, depth, restarts, width, refinements, lemmas,
                                   trajectories, rounds, judge, rubric, min_quality, free_share,
                                   free_seconds, check_seconds)

/// kUsage when a parameter is out of its range.
core::Status Check(const SketchParameters& parameters);

/// Who proves single statements.
struct SketchProvers {
  StatementProver agent;  // costs something; may disprove
  StatementProver free;   // may be empty
};

/// Proves the problem's theorem from lemmas of its own (lean::Proof); what was proved on the way is
/// in Outcome::lemmas also when the theorem stays open. Requires models for role::kInformal,
/// role::kSketcher and role::kJudge, and `context.theorem`. Errors: as Expander::Run; kEnvironment,
/// kUsage: the prompts cannot be read.
core::Task<core::Result<Outcome>> Sketch(const Environment& environment, const Problem& problem,
                                         const SketchParameters& parameters,
                                         const SketchProvers& provers, Limits limits);

}  // namespace zermelo::strategy
