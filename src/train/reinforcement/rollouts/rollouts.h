// Samples of a model's answers, and their rewards.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "train/reinforcement/reinforce.h"

namespace zermelo::train {

/// A seed that depends on all three.
uint64_t MixedSeed(uint64_t seed, uint64_t step, uint64_t number);

/// The problems of step `step`: each is drawn once before one is drawn again, in an order that the
/// seed determines.
std::vector<size_t> DrawProblems(size_t count, size_t problems, uint64_t seed, size_t step);

/// Called from any thread with the answers to a problem, when they are complete, and with its index
/// among those that were drawn.
using OnAnswers = std::function<void(size_t, std::vector<Rollout>)>;

/// Samples `settings.group` answers for each problem from the current model. kInput: a prompt
/// leaves no room in the context.
core::Status WriteAnswers(const ModelAndTokenizer& policy, const std::vector<Problem>& problems,
                          const std::vector<size_t>& drawn, const RlSettings& settings, size_t step,
                          const OnAnswers& on_answers);
/// As WriteAnswers, in the order of the drawn problems.
core::Result<std::vector<Rollout>> SampleAnswers(const ModelAndTokenizer& policy,
                                                 const std::vector<Problem>& problems,
                                                 const std::vector<size_t>& drawn,
                                                 const RlSettings& settings, size_t step);

/// What is known of answers, by problem and text.
using KnownVerdicts = std::map<std::pair<size_t, std::string>, bool>;

/// Sets the rewards and removes what could not be judged. Equal answers to a problem are judged
/// once; if there are `verdicts`, only they count.
core::Status RewardAnswers(const std::vector<Problem>& problems, const Judge& judge, double failure,
                           std::vector<Rollout>& rollouts, const KnownVerdicts& verdicts = {});

/// As SampleAnswers, while `judge` judges the answers that are complete. Its errors, and answers
/// without a verdict, are left to a second attempt. `sampling_seconds`: until all were written.
core::Result<std::vector<Rollout>> SampleAndJudge(const ModelAndTokenizer& policy,
                                                  const std::vector<Problem>& problems,
                                                  const std::vector<size_t>& drawn,
                                                  const RlSettings& settings, size_t step,
                                                  const Judge& judge, KnownVerdicts& verdicts,
                                                  double& sampling_seconds);

}  // namespace zermelo::train
