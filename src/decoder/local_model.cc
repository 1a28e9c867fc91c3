#include "decoder/local_model.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <random>
#include <thread>

#include "core/text.h"
#include "decoder/sampling.h"
#include "llm/prompt/fence.h"

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using llm::FinishReason;

/// The completions of one call. Belongs to the thread that runs it until that has ended.
class LocalModel::Generation {
 public:
  Generation(const LocalModel& model, const llm::Request& request, core::Deadline deadline)
      : model_(model), request_(request), deadline_(deadline) {
    const llm::Sampling& sampling = request.sampling;
    temperature_ = sampling.temperature.value_or(llm::kDefaultTemperature);
    top_p_ = sampling.top_p.value_or(llm::kDefaultTopP);
    most_ = static_cast<size_t>(std::max(1, sampling.max_tokens.value_or(llm::kDefaultMaxTokens)));
    const uint64_t seed = sampling.seed.value_or(std::random_device{}());
    for (int i = 0; i < std::max(1, sampling.n); ++i) {
      lines_.emplace_back(seed + static_cast<uint64_t>(i), request.fence_is_open);
    }
  }

  /// Another thread asks for the end.
  void Stop() { stopped_ = true; }

  void Run(const std::vector<Token>& prompt) {
    const size_t vocabulary = model_.decoder_.config().vocabulary;
    const Decoder::Step first{.sequence = &lines_[0].sequence, .tokens = prompt};
    const std::vector<float> logits = model_.decoder_.Append({&first, 1});
    for (Line& line : lines_) {
      if (&line != &lines_[0]) line.sequence = lines_[0].sequence;
      Choose(line, logits);
    }
    while (!stopped_ && !deadline_.Passed()) {
      std::vector<Line*> open;
      std::vector<Decoder::Step> steps;
      for (Line& line : lines_) {
        if (line.whole) continue;
        open.push_back(&line);
        steps.push_back({.sequence = &line.sequence, .tokens = {line.last}});
      }
      if (open.empty()) return;
      const std::vector<float> next = model_.decoder_.Append(steps);
      for (size_t i = 0; i < open.size(); ++i) {
        Choose(*open[i], {&next[i * vocabulary], vocabulary});
      }
    }
  }

  llm::Reply Finish(size_t prompt_tokens, double seconds) {
    llm::Reply reply;
    reply.model = model_.name_;
    reply.seconds = seconds;
    reply.usage.prompt_tokens = static_cast<int64_t>(prompt_tokens);
    for (Line& line : lines_) {
      if (!line.whole) line.completion.finish = FinishReason::kBroken;
      line.completion.text = core::ReplaceInvalidUtf8(std::move(line.completion.text));
      reply.usage.completion_tokens += static_cast<int64_t>(line.tokens);
      reply.completions.push_back(std::move(line.completion));
    }
    return reply;
  }

 private:
  struct Line {
    Line(uint64_t seed, bool fence_is_open) : random(seed), fence(fence_is_open) {}
    Sequence sequence;
    std::mt19937_64 random;
    llm::FenceWatcher fence;
    llm::Completion completion;
    Token last = 0;     // not yet in the sequence
    size_t tokens = 0;  // written
    bool whole = false;
  };

  /// Writes the next token of a completion.
  void Choose(Line& line, std::span<const float> logits) {
    const Choice choice = Sample(logits, temperature_, top_p_, line.random);
    line.last = choice.token;
    ++line.tokens;
    if (std::ranges::count(model_.decoder_.config().ends, choice.token) > 0) {
      End(line, FinishReason::kStop);
      return;
    }
    const std::string_view bytes = model_.tokenizer_.Bytes(choice.token);
    const size_t before = line.completion.text.size();
    line.completion.text += bytes;
    if (request_.sampling.logprobs) {
      line.completion.logprobs.push_back(
          {.token = core::ReplaceInvalidUtf8(std::string(bytes)), .logprob = choice.logprob});
    }
    if (CutAtStop(line, before) || CutAtFence(line)) return;
    const bool full = line.sequence.length() + 1 >= model_.decoder_.config().context;
    if (line.tokens >= most_ || full) End(line, FinishReason::kLength);
  }

  /// Cuts the text before a stop string that ends after byte `before`.
  bool CutAtStop(Line& line, size_t before) {
    size_t cut = std::string::npos;
    for (const std::string& stop : request_.sampling.stop) {
      if (stop.empty()) continue;
      const size_t from = before - std::min(before, stop.size() - 1);
      cut = std::min(cut, line.completion.text.find(stop, from));
    }
    if (cut == std::string::npos) return false;
    line.completion.text.resize(cut);
    End(line, FinishReason::kStop);
    return true;
  }

  bool CutAtFence(Line& line) {
    if (!request_.stop_at_fence) return false;
    const auto cut = line.fence.CloseIn(line.completion.text);
    if (!cut) return false;
    line.completion.text.resize(*cut);
    End(line, FinishReason::kFence);
    return true;
  }

  static void End(Line& line, FinishReason reason) {
    line.completion.finish = reason;
    line.whole = true;
    line.sequence = {};
  }

  const LocalModel& model_;
  const llm::Request& request_;
  const core::Deadline deadline_;
  double temperature_ = 0, top_p_ = 0;
  size_t most_ = 0;  // tokens
  std::vector<Line> lines_;
  std::atomic<bool> stopped_ = false;
};

Result<std::unique_ptr<LocalModel>> LocalModel::Load(const core::Executor& executor,
                                                     std::string name,
                                                     const std::filesystem::path& folder) {
  auto decoder = Decoder::Load(folder);
  if (!decoder) return Fail(decoder.error());
  auto tokenizer = Tokenizer::Read(folder / "tokenizer.json");
  if (!tokenizer) return Fail(tokenizer.error());
  if (tokenizer->size() > decoder->config().vocabulary) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: tokenizer.json has {} tokens, but the model knows {}",
                            folder.string(), tokenizer->size(), decoder->config().vocabulary));
  }
  return std::unique_ptr<LocalModel>(
      new LocalModel(executor, std::move(name), std::move(*decoder), std::move(*tokenizer)));
}

LocalModel::LocalModel(core::Executor executor, std::string name, Decoder decoder,
                       Tokenizer tokenizer)
    : executor_(std::move(executor)),
      name_(std::move(name)),
      decoder_(std::move(decoder)),
      tokenizer_(std::move(tokenizer)),
      free_places_(std::max(1U, std::thread::hardware_concurrency())),
      changed_(executor_) {}

LocalModel::~LocalModel() = default;

Task<bool> LocalModel::Enter(const llm::CallContext& context) {
  const core::Cancellation::Subscription cancelled(context.cancellation,
                                                   [this] { changed_.Notify(); });
  const auto is_cancelled = [&] {
    return context.cancellation != nullptr && context.cancellation->requested();
  };
  while (free_places_ == 0 && !is_cancelled() && !context.deadline.Passed()) {
    co_await changed_.Wait(context.deadline);
  }
  if (is_cancelled() || context.deadline.Passed()) co_return false;
  --free_places_;
  co_return true;
}

Task<Result<llm::Reply>> LocalModel::Generate(llm::Request request, llm::CallContext context) {
  const auto* text = std::get_if<std::string>(&request.prompt);
  if (text == nullptr) {
    co_return Fail(ErrorCode::kUsage, name_ + " completes text and cannot chat",
                   "give it a format of kind `completion`");
  }
  const std::vector<Token> prompt = tokenizer_.Encode(*text);
  if (prompt.empty() || prompt.size() >= decoder_.config().context) {
    co_return Fail(ErrorCode::kUsage,
                   fmt::format("the prompt has {} tokens; {} takes from 1 to {}", prompt.size(),
                               name_, decoder_.config().context - 1));
  }
  if (!co_await Enter(context)) {
    const bool late = context.deadline.Passed();
    co_return Fail(late ? ErrorCode::kTimeout : ErrorCode::kCancelled,
                   late ? "the deadline passed before the model was free" : "cancelled");
  }
  const auto started = core::Clock::now();
  Generation generation(*this, request, context.deadline);
  {
    const core::Cancellation::Subscription cancelled(context.cancellation,
                                                     [&] { generation.Stop(); });
    co_await core::OnThread(executor_, [&] { generation.Run(prompt); });
  }
  ++free_places_;
  changed_.Notify();
  llm::Reply reply = generation.Finish(prompt.size(), core::Seconds(core::Clock::now() - started));
  if (context.cancellation != nullptr && context.cancellation->requested()) {
    if (context.on_lost_usage) context.on_lost_usage(reply.usage);
    co_return Fail(ErrorCode::kCancelled, "cancelled");
  }
  for (const llm::Completion& completion : reply.completions) {
    if (completion.finish != FinishReason::kBroken && context.on_completion) {
      context.on_completion(completion);
    }
  }
  co_return reply;
}

}  // namespace zermelo::decoder
