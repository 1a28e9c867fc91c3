#include "train/reinforcement/reinforce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/deadline.h"
#include "train/model/running_average.h"
#include "train/reinforcement/rollouts/rollouts.h"
#include "train/run_folder.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

/// The texts of a conversation that are learnt: what the policy wrote.
std::vector<std::string> LearntTexts(const Row& row, const decoder::Tokenizer& tokenizer) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < row.tokens.size(); ++i) {
    if (!row.learnt[i]) continue;
    if (i == 0 || !row.learnt[i - 1]) texts.emplace_back();
    texts.back() += tokenizer.Bytes(row.tokens[i]);
  }
  return texts;
}

core::Status Record(const RunFolder& run, size_t step, const std::vector<Rollout>& rollouts,
                    const decoder::Tokenizer& tokenizer) {
  for (const Rollout& rollout : rollouts) {
    const auto tokens = std::ranges::count(rollout.row.learnt, true);
    json line{{"step", step},
              {"problem", rollout.problem + 1},
              {"text", rollout.text},
              {"tokens", tokens},
              {"reward", rollout.reward}};
    if (rollout.tool_calls) line["tool_calls"] = *rollout.tool_calls;
    if (rollout.tool_calls || rollout.known_reward) {
      line["learnt"] = LearntTexts(rollout.row, tokenizer);
    }
    auto written = run.Append("rollouts.jsonl", line);
    if (!written) return written;
  }
  return {};
}

double MeanOver(const std::vector<Rollout>& rollouts, auto part) {
  double sum = 0;
  for (const Rollout& rollout : rollouts) sum += part(rollout);
  return rollouts.empty() ? 0 : sum / static_cast<double>(rollouts.size());
}

/// Seconds since the last call.
class Stopwatch {
 public:
  double Lap() {
    const auto now = core::Clock::now();
    return core::Seconds(now - std::exchange(last_, now));
  }

 private:
  core::Clock::time_point last_ = core::Clock::now();
};

/// The answers of a step with their rewards. Adds to `line` how long what took.
Result<std::vector<Rollout>> SampledAndRewarded(const ModelAndTokenizer& policy,
                                                const std::vector<Problem>& problems,
                                                const std::vector<size_t>& drawn,
                                                const RlSettings& settings,
                                                const Environment& environment, size_t step,
                                                json& line) {
  Stopwatch watch;
  const auto reward = [&](std::vector<Rollout> rollouts, const Judge& judge,
                          KnownVerdicts known) -> Result<std::vector<Rollout>> {
    auto rewarded = RewardAnswers(problems, judge, settings.failure, rollouts, std::move(known));
    if (!rewarded) return Fail(rewarded.error());
    return rollouts;
  };
  if (environment.sample || !environment.early_judge) {
    const auto sample = environment.sample ? environment.sample : Sampler(SampleAnswers);
    auto sampled = sample(policy, problems, drawn, settings, step);
    if (!sampled) return sampled;
    line["sampling_seconds"] = watch.Lap();
    auto rollouts = reward(*std::move(sampled), environment.judge, {});
    line["lean_seconds"] = watch.Lap();
    return rollouts;
  }
  auto sampled = SampleAndJudge(policy, problems, drawn, settings, step, environment.early_judge);
  if (!sampled) return Fail(sampled.error());
  // What has no verdict although Lean was there is no sample.
  const Judge none = [](const std::vector<Answer>& answers) {
    return std::vector<std::optional<bool>>(answers.size());
  };
  const bool again = sampled->lean_was_away || sampled->verdicts.empty();
  const double sampling = sampled->sampling_seconds;
  auto rollouts = reward(std::move(sampled->rollouts), again ? environment.judge : none,
                         std::move(sampled->verdicts));
  line["sampling_seconds"] = sampling;
  line["lean_seconds"] = watch.Lap() - sampling;
  return rollouts;
}

/// Samples and judges the answers of a step. Adds figures to `line`.
Result<std::vector<Rollout>> Roll(const ModelAndTokenizer& policy,
                                  const std::vector<Problem>& problems, const RlSettings& settings,
                                  const Environment& environment, size_t step, json& line) {
  const auto drawn = DrawProblems(settings.prompts, problems.size(), settings.seed, step);
  auto rollouts = SampledAndRewarded(policy, problems, drawn, settings, environment, step, line);
  if (!rollouts) return rollouts;
  const size_t sampled = drawn.size() * settings.group;
  line["samples"] = rollouts->size();
  line["without_verdict"] = sampled - rollouts->size();
  line["proved"] = MeanOver(*rollouts, [](const Rollout& r) { return r.reward == 1; });
  line["length"] =
      MeanOver(*rollouts, [](const Rollout& r) { return std::ranges::count(r.row.learnt, true); });
  if (settings.tools) {
    line["tool_calls"] =
        MeanOver(*rollouts, [](const Rollout& r) { return r.tool_calls.value_or(0); });
  }
  return rollouts;
}

}  // namespace

core::Status Reinforce(const RlFiles& files, const RlSettings& settings, json recorded,
                       ModelAndTokenizer& policy, Method& method, const Environment& environment,
                       const OnStep& on_step, const std::atomic<bool>& stop) {
  auto added = AddInputs(files.model, files.data, recorded);
  if (!added) return added;
  const auto problems = ReadProblems(files.data);
  if (!problems) return Fail(problems.error());
  recorded.update(environment.names);
  const bool all_words = std::ranges::none_of(*problems, &std::string::empty, &Problem::words);
  if (all_words) recorded.erase("informal");
  auto run = RunFolder::Open(files.out, recorded);
  if (!run) return Fail(run.error());
  RunningAverage mean(policy.model, settings.ema);
  const auto state = run->Restore(policy.model, mean.model());
  if (!state) return Fail(state.error());
  if (!state->empty() && !method.Restore(*state)) {
    return Fail(ErrorCode::kInput, files.out.string() + " is a run of another model");
  }
  for (size_t step = run->steps(); step < settings.steps; ++step) {
    json line{{"step", step + 1}};
    auto rollouts = Roll(policy, *problems, settings, environment, step, line);
    if (!rollouts) return Fail(rollouts.error());
    if (auto written = Record(*run, step + 1, *rollouts, policy.tokenizer); !written)
      return written;
    double tokens = 0;
    for (const Rollout& rollout : *rollouts) {
      tokens += static_cast<double>(std::ranges::count(rollout.row.learnt, true));
    }
    Stopwatch watch;
    method.Learn(std::move(*rollouts), step, line);
    const double update = watch.Lap();
    line["update_seconds"] = update;
    line["tokens_per_second"] =
        tokens / (line.value("sampling_seconds", 0.0) + line.value("lean_seconds", 0.0) + update);
    const std::array figures{line.value("loss", 0.0), line.value("value_loss", 0.0),
                             line.value("gradient_norm", 0.0)};
    if (!std::ranges::all_of(figures, [](double figure) { return std::isfinite(figure); })) {
      return run->NotFinite(step + 1);
    }
    mean.Add(policy.model, step);
    if (auto appended = run->Append("curve.jsonl", line); !appended) return appended;
    if (on_step) on_step(line);
    const bool last = step + 1 == settings.steps;
    if (!last && !stop && (step + 1) % settings.checkpoint_every != 0) continue;
    auto saved = run->Save(step + 1, policy.model, mean.model(), method.State(),
                           files.model / "tokenizer.json", settings.keep);
    if (saved) saved = run->Draw(method.Shown());
    if (!saved) return saved;
    if (stop && !last)
      return Fail(ErrorCode::kCancelled, fmt::format("stopped after step {}", step + 1));
  }
  return {};
}

}  // namespace zermelo::train
