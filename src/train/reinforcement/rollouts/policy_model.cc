#include "train/reinforcement/rollouts/policy_model.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "syntax/file.h"
#include "train/reinforcement/rollouts/rollouts.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

Result<PolicyWriter> OwnWriter(const core::Executor& executor, const ModelAndTokenizer& policy) {
  auto decoder = decoder::Decoder::Create(policy.model.config(), policy.model.Weights());
  if (!decoder) return Fail(decoder.error());
  const std::shared_ptr<const decoder::Tokenizer> tokenizer(std::shared_ptr<void>(),
                                                            &policy.tokenizer);  // not owned
  const auto threads = static_cast<size_t>(at::get_num_threads());
  const auto model = std::make_shared<decoder::LocalModel>(executor, "policy", *std::move(decoder),
                                                           tokenizer, threads);
  Writer write = [model](std::vector<decoder::Token> prompt, llm::Request request,
                         llm::CallContext context) {
    return model->Write(std::move(prompt), std::move(request), std::move(context));
  };
  return PolicyWriter{.write = std::move(write), .at_once = threads};
}

Task<void> DoInPlace(
    core::Gate& places, core::Executor executor, double seconds,
    std::function<Task<void>(const strategy::Limits&, std::unique_ptr<core::Gate::Pass>)> work) {
  auto place = co_await places.Enter(core::Deadline(), nullptr);
  const strategy::Limits unlimited;
  const strategy::Timebox time(executor, unlimited, core::FromSeconds(seconds));
  co_await work(time.limits(), std::move(place));
}

Transcript TranscriptOf(const PolicyWriter& writer, const decoder::Tokenizer& tokenizer,
                        const RlSettings& settings, uint64_t seed, std::function<void()> written) {
  llm::Sampling sampling;
  sampling.temperature = settings.temperature;
  sampling.top_p = 1;
  sampling.max_tokens = static_cast<int>(settings.max_tokens);
  return Transcript(
      [&writer, written = std::move(written)](
          std::vector<decoder::Token> prompt, llm::Request request,
          llm::CallContext context) -> Task<Result<decoder::LocalModel::Written>> {
        auto answer =
            co_await writer.write(std::move(prompt), std::move(request), std::move(context));
        written();
        co_return answer;
      },
      tokenizer, sampling, [seed](size_t answer) { return MixedSeed(seed, answer, 0); });
}

Result<syntax::Theorem> TheoremOf(const Problem& problem) {
  const syntax::File file(problem.statement);
  if (file.declarations().empty()) {
    return Fail(ErrorCode::kInput, "a problem has no theorem",
                "its statement is:\n" + problem.statement);
  }
  return syntax::TheoremOf(file, file.declarations().back());
}

core::Error TooLong(size_t problem, const core::Error& why) {
  return {
      ErrorCode::kInput,
      fmt::format("the first messages about problem {} are too long: {}", problem + 1, why.message),
      "train a model with a longer context"};
}

Task<Result<lean::CheckResult>> WatchedLean::Check(lean::CheckRequest request) {
  auto checked = co_await lean_.Check(std::move(request));
  crashed_ = crashed_ || (!checked && checked.error().code == ErrorCode::kCrashed);
  co_return checked;
}

}  // namespace zermelo::train
