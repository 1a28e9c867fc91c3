// Completions of one call, put together from the pieces that its requests bring.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "llm/fence.h"
#include "llm/model.h"
#include "llm/reply_parser.h"

namespace zermelo::llm {

/// The sampling.n completions of a request. One that has begun is never asked for again: what broke
/// off is kept as kBroken, so that nothing is paid for twice.
class Gathering {
 public:
  Gathering(const Request& request, std::function<void(const Completion&)> on_completion);

  /// Those of which nothing has arrived.
  std::vector<size_t> Missing(const std::vector<size_t>& places) const;
  /// Those that have arrived, whole or broken.
  std::vector<Completion> Take();
  std::string model;

  /// What one HTTP request brings: its i-th choice is the completion at places[i].
  class Attempt {
   public:
    Attempt(Gathering& gathering, std::vector<size_t> places)
        : gathering_(gathering), places_(std::move(places)) {}

    /// `streamed`: an event of a stream; otherwise a whole reply.
    void Add(const ReplyPiece& piece, bool streamed);
    /// Something has arrived.
    bool Begun() const;
    /// Nothing more is worth waiting for: every completion is whole, and the server is still busy
    /// with one that was cut at its fence.
    bool MayStop() const;
    /// No more comes. `regular`: the reply ended as it should, so a completion that has begun is
    /// whole even when the server did not say so. True when a completion broke.
    bool End(bool regular);
    /// By what the server said; where it said nothing, by counting what arrived.
    Usage UsedTokens(int64_t prompt_tokens) const;

   private:
    Gathering& gathering_;
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
    bool server_done = false;   // it said why it ended
    int64_t pieces = 0;         // of text; most servers send one a token
    std::optional<Usage> said;  // by the server, for this one alone
  };

  void Add(Slot& slot, const ChoicePiece& piece);
  void Finish(Slot& slot, FinishReason reason);
  void CutAtFence(Slot& slot);

  const bool stop_at_fence_;
  const std::function<void(const Completion&)> on_completion_;
  std::vector<Slot> slots_;
};

}  // namespace zermelo::llm
