// Assembles the completions of one call from the pieces that arrive from its requests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "llm/model.h"
#include "llm/prompt/fence.h"
#include "llm/reply_parser.h"

namespace zermelo::llm {

/// The sampling.n completions of a request. One that has begun is never requested again: if it
/// breaks off, it is kept as kBroken, so that nothing is paid for twice.
class CompletionAssembler {
 public:
  CompletionAssembler(const Request& request, std::function<void(const Completion&)> on_completion);

  /// The places for which nothing has arrived.
  std::vector<size_t> Missing(const std::vector<size_t>& places) const;
  /// The completions that have arrived, whole or broken.
  std::vector<Completion> Take();
  std::string model;

  /// The reply to one HTTP request: its i-th choice is the completion at places[i].
  class Response {
   public:
    Response(CompletionAssembler& assembler, std::vector<size_t> places)
        : assembler_(assembler), places_(std::move(places)) {}

    /// `streamed`: the piece is an event of a stream; otherwise it is a whole reply.
    void Add(const ReplyPiece& piece, bool streamed);
    /// Whether something has arrived.
    bool Begun() const;
    /// Whether the request can be stopped: every completion is whole, and the server is still busy
    /// with one that was cut at its fence.
    bool MayStop() const;
    /// Ends the response. `regular`: the reply ended normally, so a completion that has begun is
    /// whole even if the server did not say so. Returns whether a completion broke off.
    bool End(bool regular);
    /// The usage as reported by the server; otherwise counted from what arrived.
    Usage UsedTokens(int64_t prompt_tokens) const;

   private:
    CompletionAssembler& assembler_;
    const std::vector<size_t> places_;
    std::optional<Usage> total_;
  };

 private:
  struct Slot {
    explicit Slot(bool fence_is_open) : fence(fence_is_open) {}
    Completion completion;
    FenceWatcher fence;
    bool begun = false;
    bool whole = false;
    bool server_done = false;   // the server sent a finish reason
    int64_t pieces = 0;         // pieces of text; most servers send one per token
    std::optional<Usage> said;  // usage that the server reported for this completion alone
  };

  void Add(Slot& slot, const ChoicePiece& piece);
  void Finish(Slot& slot, FinishReason reason);
  void CutAtFence(Slot& slot);

  const bool stop_at_fence_;
  const std::function<void(const Completion&)> on_completion_;
  std::vector<Slot> slots_;
};

}  // namespace zermelo::llm
