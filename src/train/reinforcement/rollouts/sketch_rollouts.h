// Rollouts of a sketch model (Seed-Prover 1.5, arXiv 2512.17260, section 3.3 and appendix B): as in
// the strategy `sketch`, the policy turns a proof in words into lemmas and a proof from them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "lean/checker.h"
#include "strategy/roles.h"
#include "strategy/sketch/draft.h"
#include "train/reinforcement/reinforce.h"
#include "train/reinforcement/rollouts/policy_model.h"

namespace zermelo::train {

class StepRoles;

/// A Sampler: `settings.group` sketches of each problem, from one proof in words (the problem's, or
/// one that role::kInformal writes), each within `settings.tool_seconds` from when the policy can
/// write it. Their rewards are equation 2's: Lean decides about the structure, and role::kJudge
/// about the lemmas and the quality. What `others` are asked has a seed of its own in each step, so
/// that a run that goes on can take recorded answers. A sketch is no sample if its reward depends
/// on what these have not said, nor if a model's proof in words leaves it no room in the context.
/// The sketches depend on what the writer makes of the settings' seed and on the proofs in words.
/// Errors: the writer's; kInput (a prompt with the problem's words leaves no room in the context),
/// kUsage (a model is missing or refuses every request), kEnvironment (no sketch has a reward, or
/// prompts are missing).
class SketchRollouts {
 public:
  /// `io`, `lean` and `others` must outlive it; no one else runs `io`.
  SketchRollouts(boost::asio::io_context& io, lean::Checker& lean, strategy::Roles& others,
                 WriterOf writer);

  core::Result<std::vector<Rollout>> operator()(const ModelAndTokenizer& policy,
                                                const std::vector<Problem>& problems,
                                                const std::vector<size_t>& drawn,
                                                const RlSettings& settings, size_t step) const;

 private:
  boost::asio::io_context& io_;
  lean::Checker& lean_;
  const WriterOf writer_of_;
  const std::shared_ptr<StepRoles> others_;  // a step that is sampled again asks anew
};

/// What has become of one sketch.
struct SketchResult {
  strategy::sketch::Draft draft;
  std::optional<core::Error> error;  // of a model, or of Lean
  bool is_written = false;           // by the policy, at least in part
  bool lean_crashed = false;
  bool ended = false;  // by the clock
};
/// nullopt: it is not known. Errors: those that end a step, kTooLong if the policy had no room.
core::Result<std::optional<double>> RewardOf(const SketchResult& result);

}  // namespace zermelo::train
