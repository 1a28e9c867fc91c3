#include "llm/http/completion_assembler.h"

#include <algorithm>

#include "llm/usage.h"

namespace zermelo::llm {

CompletionAssembler::CompletionAssembler(const Request& request,
                                         std::function<void(const Completion&)> on_completion)
    : stop_at_fence_(request.stop_at_fence),
      on_completion_(std::move(on_completion)),
      slots_(static_cast<size_t>(request.sampling.n), Slot(request.fence_is_open)) {}

std::vector<size_t> CompletionAssembler::Missing(const std::vector<size_t>& places) const {
  std::vector<size_t> missing;
  std::copy_if(places.begin(), places.end(), std::back_inserter(missing),
               [this](size_t place) { return !slots_[place].begun; });
  return missing;
}

std::vector<Completion> CompletionAssembler::Take() {
  std::vector<Completion> completions;
  for (Slot& slot : slots_) {
    if (slot.begun) completions.push_back(std::move(slot.completion));
  }
  return completions;
}

void CompletionAssembler::Add(Slot& slot, const ChoicePiece& piece) {
  const bool says_something =
      !piece.text.empty() || !piece.reasoning.empty() || !piece.tool_calls.empty();
  if (says_something) ++slot.pieces;
  slot.begun = slot.begun || says_something || piece.finish;
  slot.server_done = slot.server_done || piece.finish;
  if (slot.whole) return;  // cut at its fence, while the server continues
  Completion& completion = slot.completion;
  completion.text += piece.text;
  completion.reasoning += piece.reasoning;
  completion.logprobs.insert(completion.logprobs.end(), piece.logprobs.begin(),
                             piece.logprobs.end());
  for (const ToolCallPiece& part : piece.tool_calls) {
    auto& calls = completion.tool_calls;
    const auto index = static_cast<size_t>(part.index);
    if (calls.size() <= index) calls.resize(index + 1);
    if (!part.call.id.empty()) calls[index].id = part.call.id;
    if (!part.call.name.empty()) calls[index].name = part.call.name;
    calls[index].arguments += part.call.arguments;
  }
  if (stop_at_fence_) CutAtFence(slot);
  if (slot.whole || !piece.finish) return;
  // Gemini ends with "stop" after tool calls.
  const bool calls_tools = *piece.finish == FinishReason::kStop && !completion.tool_calls.empty();
  Finish(slot, calls_tools ? FinishReason::kToolCalls : *piece.finish);
}

void CompletionAssembler::CutAtFence(Slot& slot) {
  Completion& completion = slot.completion;
  const auto cut = slot.fence.CloseIn(completion.text);
  if (!cut) return;
  completion.text.resize(*cut);
  size_t length = 0;
  const auto beyond = std::find_if(completion.logprobs.begin(), completion.logprobs.end(),
                                   [&](const TokenLogprob& token) {
                                     length += token.token.size();
                                     return length > *cut;
                                   });
  completion.logprobs.erase(beyond, completion.logprobs.end());
  Finish(slot, FinishReason::kFence);
}

void CompletionAssembler::Finish(Slot& slot, FinishReason reason) {
  slot.whole = true;
  slot.completion.finish = reason;
  if (reason != FinishReason::kBroken && on_completion_) on_completion_(slot.completion);
}

void CompletionAssembler::Response::Add(const ReplyPiece& piece, bool streamed) {
  if (assembler_.model.empty()) assembler_.model = piece.model;
  for (const ChoicePiece& choice : piece.choices) {
    const auto index = static_cast<size_t>(choice.index);
    if (index >= places_.size()) continue;  // more choices than requested
    Slot& slot = assembler_.slots_[places_[index]];
    if (streamed && piece.usage) slot.said = piece.usage;
    assembler_.Add(slot, choice);
  }
  if (piece.usage && (!streamed || piece.choices.empty())) total_ = piece.usage;
}

bool CompletionAssembler::Response::Begun() const {
  return assembler_.Missing(places_).size() < places_.size();
}

bool CompletionAssembler::Response::MayStop() const {
  const auto slot = [this](size_t place) -> const Slot& { return assembler_.slots_[place]; };
  return std::all_of(places_.begin(), places_.end(), [&](size_t p) { return slot(p).whole; }) &&
         std::any_of(places_.begin(), places_.end(),
                     [&](size_t p) { return !slot(p).server_done; });
}

bool CompletionAssembler::Response::End(bool regular) {
  bool broke = false;
  for (const size_t place : places_) {
    Slot& slot = assembler_.slots_[place];
    if (!slot.begun || slot.whole) continue;
    const auto reason =
        slot.completion.tool_calls.empty() ? FinishReason::kStop : FinishReason::kToolCalls;
    assembler_.Finish(slot, regular ? reason : FinishReason::kBroken);
    broke = broke || !regular;
  }
  return broke;
}

Usage CompletionAssembler::Response::UsedTokens(int64_t prompt_tokens) const {
  if (total_) return *total_;
  Usage used;
  for (const size_t place : places_) {
    const Slot& slot = assembler_.slots_[place];
    if (slot.said) {
      used.prompt_tokens = std::max(used.prompt_tokens, slot.said->prompt_tokens);
      used.cached_prompt_tokens =
          std::max(used.cached_prompt_tokens, slot.said->cached_prompt_tokens);
      used.completion_tokens += slot.said->completion_tokens;
    } else if (slot.begun) {
      const Completion& completion = slot.completion;
      int64_t tokens = EstimateTokens(completion.text) + EstimateTokens(completion.reasoning);
      for (const ToolCall& call : completion.tool_calls) tokens += EstimateTokens(call.arguments);
      used.completion_tokens += std::max(tokens, slot.pieces);
      used.estimated = true;
    }
  }
  if (used.prompt_tokens == 0) {
    used.prompt_tokens = prompt_tokens;
    used.estimated = true;
  }
  return used;
}

}  // namespace zermelo::llm
