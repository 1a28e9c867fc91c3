// What was proved on the way to theorems that stayed open, as a file that somebody can go on with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/acceptance.h"

namespace zermelo::engine {

/// Where lemmas go and what they are: declarations with proofs, in an order in which Lean took
/// them.
struct ProvedOnTheWay {
  size_t place = 0;  // byte offset (lean::PlaceOfAuxiliary)
  std::vector<std::string> lemmas;
};

struct LemmaFile {
  std::vector<ProvedOnTheWay> kept;  // those that hold
  size_t count = 0;                  // of them
  size_t refused = 0;
};

/// Accepts lemmas as proofs are accepted: `text` (which compiles, its open theorems by `sorry`) is
/// compiled by fresh processes with the lemmas stated and with the lemmas proved, each as `prepare`
/// makes it, and both are compared. What is refused is left out. Errors: as Acceptance::Judge.
core::Task<core::Result<LemmaFile>> AcceptLemmas(const core::Executor& executor,
                                                 const lean::Toolchain& toolchain, std::string text,
                                                 std::vector<ProvedOnTheWay> found,
                                                 std::function<std::string(std::string)> prepare,
                                                 AcceptanceOptions options);

/// The lemmas as commands, a blank line between them.
std::string AsAuxiliary(const ProvedOnTheWay& lemmas);

}  // namespace zermelo::engine
