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

/// Verdicts by problem and text of the answer, or its file.
using KnownVerdicts = std::map<std::pair<size_t, std::string>, bool>;

/// Judges the answers whose verdicts are not known, equal ones once, and sets the rewards of all.
/// Removes what could not be judged.
core::Status RewardAnswers(const std::vector<Problem>& problems, const Judge& judge, double failure,
                           std::vector<Rollout>& rollouts, KnownVerdicts known = {});

struct JudgedRollouts {
  std::vector<Rollout> rollouts;  // in the order of the drawn problems, without rewards
  KnownVerdicts verdicts;
  bool lean_was_away = false;   // for some of them, at least: they have to be judged again
  double sampling_seconds = 0;  // until all were written
};
/// As SampleAnswers, while `judge` judges the answers that are complete. Errors of both, but for
/// kEnvironment of the judge.
core::Result<JudgedRollouts> SampleAndJudge(const ModelAndTokenizer& policy,
                                            const std::vector<Problem>& problems,
                                            const std::vector<size_t>& drawn,
                                            const RlSettings& settings, size_t step,
                                            const Judge& judge);

}  // namespace zermelo::train
