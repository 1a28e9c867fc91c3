#include "train/reinforcement/rollouts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <random>

#include "core/text.h"
#include "decoder/generation.h"
#include "serve/snippet_text.h"
#include "train/shuffled_order.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

uint64_t Mixed(uint64_t seed, uint64_t step, uint64_t problem) {
  std::seed_seq all{seed, seed >> 32U, step, problem};
  return std::mt19937_64(all)();
}

Row RowOf(const std::vector<decoder::Token>& prompt, const std::vector<decoder::Token>& answer) {
  Row row{.tokens = prompt, .learnt = std::vector<bool>(prompt.size(), false)};
  row.tokens.insert(row.tokens.end(), answer.begin(), answer.end());
  row.learnt.resize(row.tokens.size(), true);
  return row;
}

}  // namespace

std::vector<size_t> DrawProblems(size_t count, size_t problems, uint64_t seed, size_t step) {
  std::vector<size_t> drawn;
  std::vector<size_t> order;
  std::optional<uint64_t> epoch_of_order;
  for (size_t number = step * count; number < (step + 1) * count; ++number) {
    const uint64_t epoch = number / problems;
    if (epoch_of_order != epoch) {
      std::mt19937_64 random(Mixed(seed, epoch, 0));
      order = ShuffledOrder(problems, random);
      epoch_of_order = epoch;
    }
    drawn.push_back(order[number % problems]);
  }
  return drawn;
}

Result<std::vector<Rollout>> SampleAnswers(const ModelAndTokenizer& policy,
                                           const std::vector<Problem>& problems,
                                           const std::vector<size_t>& drawn,
                                           const RlSettings& settings, size_t step) {
  auto decoder = decoder::Decoder::Create(policy.model.config(), policy.model.Weights());
  if (!decoder) return Fail(decoder.error());
  std::vector<Rollout> rollouts;
  for (size_t i = 0; i < drawn.size(); ++i) {
    const Problem& problem = problems[drawn[i]];
    const auto prompt = policy.tokenizer.Encode(problem.prompt);
    if (prompt.empty() || prompt.size() >= decoder->config().context) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("the prompt of problem {} has {} tokens; the model takes from 1 to {}",
                      drawn[i] + 1, prompt.size(), decoder->config().context - 1));
    }
    llm::Request request;
    request.sampling.n = static_cast<int>(settings.group);
    request.sampling.temperature = settings.temperature;
    request.sampling.top_p = 1;
    request.sampling.max_tokens = static_cast<int>(settings.max_tokens);
    request.sampling.seed = Mixed(settings.seed, step, i + 1);
    request.fence_is_open = request.stop_at_fence = serve::OpensFence(problem.prompt);
    decoder::Generation generation(*decoder, policy.tokenizer, request, core::Deadline());
    generation.Run(prompt);
    for (decoder::Generation::Line& line : generation.lines()) {
      rollouts.push_back({.problem = drawn[i],
                          .row = RowOf(prompt, line.tokens),
                          .text = core::ReplaceInvalidUtf8(std::move(line.completion.text))});
    }
  }
  return rollouts;
}

core::Status RewardAnswers(const std::vector<Problem>& problems, const Judge& judge, double failure,
                           std::vector<Rollout>& rollouts) {
  std::map<std::pair<size_t, std::string>, size_t> numbers;  // of the answers below
  std::vector<Answer> answers;
  for (const Rollout& rollout : rollouts) {
    if (numbers.try_emplace({rollout.problem, rollout.text}, answers.size()).second) {
      answers.push_back({.problem = &problems[rollout.problem], .text = rollout.text});
    }
  }
  const auto verdicts = judge(answers);
  if (!verdicts) return Fail(verdicts.error());
  std::erase_if(rollouts, [&](Rollout& rollout) {
    const auto& verdict = (*verdicts)[numbers.at({rollout.problem, rollout.text})];
    if (verdict) rollout.reward = *verdict ? 1 : failure;
    return !verdict;
  });
  return {};
}

}  // namespace zermelo::train
