// The test-time workflow of Seed-Prover 1.5 (arXiv 2512.17260, sections 3.3 and 3.4): an informal
// proof, a Lean sketch of lemmas, each lemma proved or disproved by the agent, open lemmas
// decomposed again.
#pragma once

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "strategy/statement_prover.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// SketchStrategy::Parameters (in sketch.cc) says what each means.
struct SketchParameters {
  size_t depth = 4;
  size_t restarts = 1;  // the paper's depth 8
  size_t width = 1;
  size_t refinements = 4;
  size_t lemmas = 4;
  size_t trajectories = 3;  // Pass@3×3
  size_t rounds = 3;
  bool judge = true;
  bool rubric = true;
  double min_quality = 0;
  double free_share = 1;
  double free_seconds = 5;
  double check_seconds = 60;
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
