#include "train/reinforcement/rollouts/rollouts.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <fmt/format.h>
#include <future>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

#include "core/deadline.h"
#include "core/text.h"
#include "decoder/generation.h"
#include "serve/snippet_text.h"
#include "train/reinforcement/one_blas_thread.h"
#include "train/shuffled_order.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

/// Answers that one thread writes at once, if a group is not larger: many share the work on the
/// weights, but each needs memory for its keys and values.
constexpr size_t kAtOnce = 32;

Row RowOf(const std::vector<decoder::Token>& prompt, const std::vector<decoder::Token>& answer) {
  Row row;
  row.Append(prompt, false);
  row.Append(answer, true);
  return row;
}

/// The answers to one problem.
struct Group {
  size_t number = 0;   // among those that were drawn
  size_t problem = 0;  // index
  std::vector<decoder::Token> prompt;
  llm::Request request;
  std::optional<decoder::Generation> generation;
};

/// The answers of a group that is complete, which gives its memory back.
std::vector<Rollout> TakeAnswers(Group& group) {
  std::vector<Rollout> rollouts;
  for (decoder::Generation::Line& line : group.generation->lines()) {
    rollouts.push_back({.problem = group.problem,
                        .row = RowOf(group.prompt, line.tokens),
                        .text = core::ReplaceInvalidUtf8(std::move(line.completion.text))});
  }
  group.generation.reset();
  return rollouts;
}

/// Writes the answers of groups `first`, `first` + `stride`, …. What is written at once depends on
/// no clock, so the same groups give the same answers.
void Write(const decoder::Decoder& decoder, const decoder::Tokenizer& tokenizer,
           std::deque<Group>& groups, size_t first, size_t stride, const OnAnswers& on_answers) {
  std::vector<Group*> open;
  const auto lines = [&] {
    size_t sum = 0;
    for (const Group* const group : open) sum += group->generation->open();
    return sum;
  };
  size_t next = first;
  do {
    while (next < groups.size() &&
           (open.empty() ||
            lines() + static_cast<size_t>(groups[next].request.sampling.n) <= kAtOnce)) {
      Group& group = groups[next];
      group.generation.emplace(decoder, tokenizer, group.request, core::Deadline());
      group.generation->Begin(group.prompt);
      open.push_back(&group);
      next += stride;
    }
    std::vector<decoder::Generation*> generations;
    for (Group* const group : open) generations.push_back(&*group->generation);
    decoder::Generation::Advance(generations);
    std::erase_if(open, [&](Group* group) {
      if (group->generation->open() != 0) return false;
      on_answers(group->number, TakeAnswers(*group));
      return true;
    });
  } while (!open.empty() || next < groups.size());
}

/// On as many threads as torch has.
void WriteAll(const decoder::Decoder& decoder, const decoder::Tokenizer& tokenizer,
              std::deque<Group>& groups, const OnAnswers& on_answers) {
  const auto threads = std::min(static_cast<size_t>(at::get_num_threads()), groups.size());
  const OneBlasThread one;  // which may set torch's, too
  std::vector<std::future<void>> shares;
  for (size_t i = 0; i < threads; ++i) {
    shares.push_back(std::async(
        std::launch::async, [&, i] { Write(decoder, tokenizer, groups, i, threads, on_answers); }));
  }
  for (std::future<void>& share : shares) share.get();
}

}  // namespace

uint64_t MixedSeed(uint64_t seed, uint64_t step, uint64_t problem) {
  std::seed_seq all{seed, seed >> 32U, step, problem};
  return std::mt19937_64(all)();
}

std::vector<size_t> DrawProblems(size_t count, size_t problems, uint64_t seed, size_t step) {
  std::vector<size_t> drawn;
  std::vector<size_t> order;
  std::optional<uint64_t> epoch_of_order;
  for (size_t number = step * count; number < (step + 1) * count; ++number) {
    const uint64_t epoch = number / problems;
    if (epoch_of_order != epoch) {
      std::mt19937_64 random(MixedSeed(seed, epoch, 0));
      order = ShuffledOrder(problems, random);
      epoch_of_order = epoch;
    }
    drawn.push_back(order[number % problems]);
  }
  return drawn;
}

core::Status WriteAnswers(const ModelAndTokenizer& policy, const std::vector<Problem>& problems,
                          const std::vector<size_t>& drawn, const RlSettings& settings, size_t step,
                          const OnAnswers& on_answers) {
  auto decoder = decoder::Decoder::Create(policy.model.config(), policy.model.Weights());
  if (!decoder) return Fail(decoder.error());
  std::deque<Group> groups;
  for (size_t i = 0; i < drawn.size(); ++i) {
    const Problem& problem = problems[drawn[i]];
    Group& group = groups.emplace_back();
    group.number = i;
    group.problem = drawn[i];
    group.prompt = policy.tokenizer.Encode(problem.prompt);
    if (group.prompt.empty() || group.prompt.size() >= decoder->config().context) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("the prompt of problem {} has {} tokens; the model takes from 1 to {}",
                      drawn[i] + 1, group.prompt.size(), decoder->config().context - 1));
    }
    llm::Request& request = group.request;
    request.sampling.n = static_cast<int>(settings.group);
    request.sampling.temperature = settings.temperature;
    request.sampling.top_p = 1;
    request.sampling.max_tokens = static_cast<int>(settings.max_tokens);
    request.sampling.seed = MixedSeed(settings.seed, step, i + 1);
    request.fence_is_open = request.stop_at_fence = serve::OpensFence(problem.prompt);
  }
  WriteAll(*decoder, policy.tokenizer, groups, on_answers);
  return {};
}

namespace {

/// The answers to some of the problems that were drawn, by their numbers.
using Answered = std::map<size_t, std::vector<Rollout>>;

std::vector<Rollout> InOrder(Answered answered) {
  std::vector<Rollout> all;
  for (auto& [number, rollouts] : answered) std::ranges::move(rollouts, std::back_inserter(all));
  return all;
}

/// Answers that were written and wait to be taken. Thread-safe.
class Written {
 public:
  void Add(size_t number, std::vector<Rollout> rollouts) {
    const std::scoped_lock lock(mutex_);
    waiting_[number] = std::move(rollouts);
    changed_.notify_all();
  }
  /// There will be no more.
  void Close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  /// Waits until there are any. Empty: there will be no more.
  Answered Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Answered waiting_;
  bool closed_ = false;
};

}  // namespace

Result<std::vector<Rollout>> SampleAnswers(const ModelAndTokenizer& policy,
                                           const std::vector<Problem>& problems,
                                           const std::vector<size_t>& drawn,
                                           const RlSettings& settings, size_t step) {
  Written written;
  auto status = WriteAnswers(
      policy, problems, drawn, settings, step,
      [&](size_t number, std::vector<Rollout> own) { written.Add(number, std::move(own)); });
  if (!status) return Fail(status.error());
  written.Close();
  return InOrder(written.Take());
}

namespace {

/// The reward of what needs no verdict: a sketch, or a conversation that ended without a proof.
std::optional<double> RewardWithoutVerdict(const Rollout& rollout, double failure) {
  if (rollout.known_reward) return rollout.known_reward;
  return rollout.tool_calls && rollout.file.empty() ? std::optional(failure) : std::nullopt;
}

std::pair<size_t, std::string> KeyOf(const Rollout& rollout) {
  return {rollout.problem, rollout.file.empty() ? rollout.text : rollout.file};
}

/// Judges what needs a verdict and has none. Adds the verdicts that there are.
core::Status AddVerdicts(const std::vector<Problem>& problems, const Judge& judge, double failure,
                         const std::vector<Rollout>& rollouts, KnownVerdicts& verdicts) {
  std::map<std::pair<size_t, std::string>, size_t> numbers;  // of the answers below
  std::vector<Answer> answers;
  for (const Rollout& rollout : rollouts) {
    if (RewardWithoutVerdict(rollout, failure) || verdicts.contains(KeyOf(rollout))) continue;
    if (!numbers.try_emplace(KeyOf(rollout), answers.size()).second) continue;
    answers.push_back(
        {.problem = &problems[rollout.problem], .text = rollout.text, .file = rollout.file});
  }
  if (answers.empty()) return {};
  const auto judged = judge(answers);
  if (!judged) return Fail(judged.error());
  for (const auto& [key, number] : numbers) {
    if (const auto& verdict = (*judged)[number]) verdicts[key] = *verdict;
  }
  return {};
}

}  // namespace

Result<JudgedRollouts> SampleAndJudge(const ModelAndTokenizer& policy,
                                      const std::vector<Problem>& problems,
                                      const std::vector<size_t>& drawn, const RlSettings& settings,
                                      size_t step, const Judge& judge) {
  struct Closing {
    Written& written;
    ~Closing() { written.Close(); }
  };
  JudgedRollouts out;
  const auto started = core::Clock::now();
  Written written;
  auto writing = std::async(std::launch::async, [&] {
    const Closing closing{written};
    auto status = WriteAnswers(
        policy, problems, drawn, settings, step,
        [&](size_t number, std::vector<Rollout> own) { written.Add(number, std::move(own)); });
    out.sampling_seconds = core::Seconds(core::Clock::now() - started);
    return status;
  });
  Answered all;
  core::Status judged;
  for (Answered some = written.Take(); !some.empty(); some = written.Take()) {
    std::vector<Rollout> rollouts;
    for (auto& [number, own] : some) {
      rollouts.insert(rollouts.end(), own.begin(), own.end());
      all[number] = std::move(own);
    }
    if (!judged) continue;
    auto added = AddVerdicts(problems, judge, settings.failure, rollouts, out.verdicts);
    if (added) continue;
    const bool away = added.error().code == ErrorCode::kEnvironment;
    out.lean_was_away |= away;
    if (!away) judged = std::move(added);
  }
  if (auto status = writing.get(); !status) return Fail(status.error());
  if (!judged) return Fail(judged.error());
  out.rollouts = InOrder(std::move(all));
  return out;
}

core::Status RewardAnswers(const std::vector<Problem>& problems, const Judge& judge, double failure,
                           std::vector<Rollout>& rollouts, KnownVerdicts known) {
  auto added = AddVerdicts(problems, judge, failure, rollouts, known);
  if (!added) return added;
  std::erase_if(rollouts, [&](Rollout& rollout) {
    if (const auto reward = RewardWithoutVerdict(rollout, failure)) {
      rollout.reward = *reward;
      return false;
    }
    const auto verdict = known.find(KeyOf(rollout));
    if (verdict == known.end()) return true;
    rollout.reward = verdict->second ? 1 : failure;
    return false;
  });
  return {};
}

}  // namespace zermelo::train
