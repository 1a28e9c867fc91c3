#include "decoder/generation.h"

#include <algorithm>

#include "core/text.h"
#include "decoder/sampling.h"

namespace zermelo::decoder {

using llm::FinishReason;

Generation::Generation(const Decoder& decoder, const Tokenizer& tokenizer,
                       const llm::Request& request, core::Deadline deadline)
    : decoder_(decoder),
      tokenizer_(tokenizer),
      request_(request),
      deadline_(deadline),
      temperature_(request.sampling.temperature.value_or(llm::kDefaultTemperature)),
      top_p_(request.sampling.top_p.value_or(llm::kDefaultTopP)),
      most_(static_cast<size_t>(
          std::max(1, request.sampling.max_tokens.value_or(llm::kDefaultMaxTokens)))),
      ends_(decoder.config().ends) {
  for (const std::string& stop : request.sampling.stop) {
    if (const auto token = tokenizer.Added(stop)) ends_.push_back(*token);
  }
  const uint64_t seed = request.sampling.seed.value_or(std::random_device{}());
  for (int i = 0; i < std::max(1, request.sampling.n); ++i) {
    lines_.emplace_back(seed + static_cast<uint64_t>(i), request.fence_is_open);
    lines_.back().completion.finish = FinishReason::kBroken;
  }
}

void Generation::Run(const std::vector<Token>& prompt) {
  Generation* const self = this;
  Begin(prompt);
  while (Advance({&self, 1})) {
  }
}

void Generation::Begin(const std::vector<Token>& prompt) {
  const Decoder::Step first{.sequence = &lines_[0].sequence, .tokens = prompt};
  const std::vector<float> logits = decoder_.Append({&first, 1});
  for (Line& line : lines_) {
    if (&line != &lines_[0]) line.sequence = lines_[0].sequence;
  }
  for (Line& line : lines_) Choose(line, logits);
}

bool Generation::Advance(std::span<Generation* const> generations) {
  struct Open {
    const Generation* generation;
    Line* line;
  };
  std::vector<Open> open;
  std::vector<Decoder::Step> steps;
  for (Generation* const generation : generations) {
    if (generation->stopped_ || generation->deadline_.Passed()) continue;
    for (Line& line : generation->lines_) {
      if (line.whole) continue;
      open.push_back({generation, &line});
      steps.push_back({.sequence = &line.sequence, .tokens = {line.tokens.back()}});
    }
  }
  if (open.empty()) return false;
  const Decoder& decoder = generations[0]->decoder_;
  const size_t vocabulary = decoder.config().vocabulary;
  const std::vector<float> logits = decoder.Append(steps);
  for (size_t i = 0; i < open.size(); ++i) {
    open[i].generation->Choose(*open[i].line, {&logits[i * vocabulary], vocabulary});
  }
  return true;
}

size_t Generation::open() const {
  return static_cast<size_t>(std::ranges::count(lines_, false, &Line::whole));
}

namespace {

void End(Generation::Line& line, Sequence& sequence, FinishReason reason) {
  line.completion.finish = reason;
  line.whole = true;
  sequence = {};  // frees its cache
}

}  // namespace

/// Writes the next token of a completion.
void Generation::Choose(Line& line, std::span<const float> logits) const {
  const Choice choice = Sample(logits, temperature_, top_p_, line.random);
  line.tokens.push_back(choice.token);
  line.logprobs.push_back(choice.logprob);
  if (std::ranges::count(ends_, choice.token) > 0) {
    return End(line, line.sequence, FinishReason::kStop);
  }
  const std::string_view bytes = tokenizer_.Bytes(choice.token);
  const size_t before = line.completion.text.size();
  line.completion.text += bytes;
  if (request_.sampling.logprobs) {
    line.completion.logprobs.push_back(
        {.token = core::ReplaceInvalidUtf8(std::string(bytes)), .logprob = choice.logprob});
  }
  if (CutAtStop(line, before) || CutAtFence(line)) return;
  const bool full = line.sequence.length() + 1 >= decoder_.config().context;
  if (line.tokens.size() >= most_ || full) End(line, line.sequence, FinishReason::kLength);
}

/// Cuts the text before a stop string that ends after byte `before`.
bool Generation::CutAtStop(Line& line, size_t before) const {
  size_t cut = std::string::npos;
  for (const std::string& stop : request_.sampling.stop) {
    if (stop.empty()) continue;
    const size_t from = before - std::min(before, stop.size() - 1);
    cut = std::min(cut, line.completion.text.find(stop, from));
  }
  if (cut == std::string::npos) return false;
  line.completion.text.resize(cut);
  End(line, line.sequence, FinishReason::kStop);
  return true;
}

bool Generation::CutAtFence(Line& line) const {
  if (!request_.stop_at_fence) return false;
  const auto cut = line.fence.CloseIn(line.completion.text);
  if (!cut) return false;
  line.completion.text.resize(*cut);
  End(line, line.sequence, FinishReason::kFence);
  return true;
}

}  // namespace zermelo::decoder
