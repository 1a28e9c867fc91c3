// Samples of a model's answers, and their rewards.
#pragma once

#include <vector>

#include "train/reinforcement/reinforce.h"

namespace zermelo::train {

/// A seed that depends on all three.
uint64_t MixedSeed(uint64_t seed, uint64_t step, uint64_t number);

/// The problems of step `step`: each is drawn once before one is drawn again, in an order that the
/// seed determines.
std::vector<size_t> DrawProblems(size_t count, size_t problems, uint64_t seed, size_t step);

/// Samples `settings.group` answers for each problem from the current model. kInput: a prompt
/// leaves no room in the context.
core::Result<std::vector<Rollout>> SampleAnswers(const ModelAndTokenizer& policy,
                                                 const std::vector<Problem>& problems,
                                                 const std::vector<size_t>& drawn,
                                                 const RlSettings& settings, size_t step);

/// Sets the rewards and removes what could not be judged. Equal answers to a problem are judged
/// once.
core::Status RewardAnswers(const std::vector<Problem>& problems, const Judge& judge, double failure,
                           std::vector<Rollout>& rollouts);

}  // namespace zermelo::train
