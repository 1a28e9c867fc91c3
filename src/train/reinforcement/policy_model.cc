#include "train/reinforcement/policy_model.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "syntax/file.h"
#include "train/reinforcement/rollouts.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

Result<std::unique_ptr<decoder::LocalModel>> MakePolicyModel(const core::Executor& executor,
                                                             const ModelAndTokenizer& policy) {
  auto decoder = decoder::Decoder::Create(policy.model.config(), policy.model.Weights());
  if (!decoder) return Fail(decoder.error());
  const std::shared_ptr<const decoder::Tokenizer> tokenizer(std::shared_ptr<void>(),
                                                            &policy.tokenizer);  // not owned
  return std::make_unique<decoder::LocalModel>(executor, "policy", *std::move(decoder), tokenizer,
                                               static_cast<size_t>(at::get_num_threads()));
}

Transcript TranscriptOf(decoder::LocalModel& model, const RlSettings& settings, uint64_t seed) {
  llm::Sampling sampling;
  sampling.temperature = settings.temperature;
  sampling.top_p = 1;
  sampling.max_tokens = static_cast<int>(settings.max_tokens);
  return Transcript(
      [&model](auto prompt, auto request, auto context) {
        return model.Write(std::move(prompt), std::move(request), std::move(context));
      },
      model.tokenizer(), sampling, [seed](size_t answer) { return MixedSeed(seed, answer, 0); });
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
