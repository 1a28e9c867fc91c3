// The test-time workflow of Seed-Prover 1.5 (arXiv 2512.17260, sections 3.3 and 3.4): an informal
// proof, a Lean sketch of lemmas, each lemma proved or disproved by the agent, open lemmas
// decomposed again.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

struct SketchParameters {
  size_t depth = 4;           // of decompositions; lemmas at this depth are not decomposed
  size_t restarts = 1;        // keeping all proved lemmas: the paper's depth 8
  size_t width = 1;           // concurrent sketches; the best one is used
  size_t refinements = 4;     // sketches of a statement in sequence
  size_t lemmas = 4;          // lemmas in progress at once
  size_t trajectories = 3;    // of the agent per lemma: Pass@3×3
  size_t rounds = 3;          // of each trajectory
  bool judge = true;          // a judge checks lemmas first
  bool rubric = true;         // a judge gives sketches marks
  double min_quality = 0;     // sketches with lower marks are not used
  double free_share = 1;      // share of lemmas tried first by the free built-in search
  double free_seconds = 5;    // time limit of such an attempt
  double check_seconds = 60;  // Lean time per sketch
  bool operator==(const SketchParameters&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SketchParameters, depth, restarts, width, refinements, lemmas,
                                   trajectories, rounds, judge, rubric, min_quality, free_share,
                                   free_seconds, check_seconds)

/// Fails with kUsage if a parameter is out of range.
core::Status Check(const SketchParameters& parameters);

/// The provers of single statements.
struct SketchProvers {
  StatementProver agent;  // uses paid models; may disprove
  StatementProver free;   // free of charge; may be empty
};

/// Proves the problem's theorem from lemmas (syntax::Proof::auxiliary). Proved lemmas are in
/// SearchResult::lemmas even if the theorem stays open. Requires models for role::kInformal,
/// role::kSketcher and role::kJudge, and `context.theorem`. Errors: as Expander::Run; kEnvironment
/// or kUsage if the prompts cannot be read.
core::Task<core::Result<SearchResult>> Sketch(const Services& services, const Problem& problem,
                                              const SketchParameters& parameters,
                                              const SketchProvers& provers, Limits limits);

}  // namespace zermelo::strategy
