// Writes several completions of one prompt at once.
#pragma once

#include <atomic>
#include <random>
#include <span>
#include <vector>

#include "core/deadline.h"
#include "decoder/decoder.h"
#include "decoder/tokenizer/tokenizer.h"
#include "llm/model.h"
#include "llm/prompt/fence.h"

namespace zermelo::decoder {

/// The completions of one request, which share the work on the prompt. With a seed, completion i
/// uses seed + i and is the same alone and in a batch. A stop string that is an added token of the
/// tokenizer stops at that token. Belongs to the thread that runs it.
class Generation {
 public:
  struct Line {
    Line(uint64_t seed, bool fence_is_open) : random(seed), fence(fence_is_open) {}
    llm::Completion completion;    // its finish is kBroken until it is whole
    std::vector<Token> tokens;     // written; the last may reach beyond the completion's text
    std::vector<double> logprobs;  // of the tokens in the model's distribution
    bool whole = false;

   private:
    friend class Generation;
    Sequence sequence;
    std::mt19937_64 random;
    llm::FenceWatcher fence;
  };

  /// `decoder`, `tokenizer` and `request` must outlive the generation.
  Generation(const Decoder& decoder, const Tokenizer& tokenizer, const llm::Request& request,
             core::Deadline deadline);

  /// Requests the end; may be called on another thread.
  void Stop() { stopped_ = true; }

  /// Runs until every completion is whole, the deadline passes, or Stop is called. `prompt`: at
  /// least one token, and fewer than the context holds.
  void Run(const std::vector<Token>& prompt);

  /// Run in parts, so that generations of one decoder can share its passes: the first token of
  /// each completion, and then one more for every completion that is not whole.
  void Begin(const std::vector<Token>& prompt);
  /// False if there was none: all are whole, stopped or late.
  static bool Advance(std::span<Generation* const> generations);

  std::vector<Line>& lines() { return lines_; }
  size_t open() const;  // completions that are not whole

 private:
  void Choose(Line& line, std::span<const float> logits) const;
  bool CutAtStop(Line& line, size_t before) const;
  bool CutAtFence(Line& line) const;

  const Decoder& decoder_;
  const Tokenizer& tokenizer_;
  const llm::Request& request_;
  const core::Deadline deadline_;
  const double temperature_, top_p_;
  const size_t most_;  // tokens
  std::vector<Token> ends_;
  std::vector<Line> lines_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace zermelo::decoder
