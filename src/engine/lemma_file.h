// Lemmas proved for theorems that stayed open, as a file from which work can continue.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "engine/acceptance/acceptance.h"
#include "strategy/lemma_store.h"

namespace zermelo::engine {

/// Proved lemmas, as declarations in an order that Lean accepts, and where to insert them.
struct ProvedOnTheWay {
  size_t place = 0;  // byte offset (syntax::PlaceOfAuxiliary)
  std::deque<strategy::ProvedLemma> lemmas;
};

struct LemmaFile {
  std::vector<ProvedOnTheWay> kept;  // the accepted lemmas
  size_t count = 0;                  // number of accepted lemmas
  size_t refused = 0;                // number of rejected lemmas
};

/// Accepts lemmas as proofs are accepted: fresh processes compile `text` (which compiles, with
/// `sorry` in open theorems) once with the lemmas stated and once with them proved, each passed
/// through `prepare`, and the results are compared. Rejected lemmas are left out. Errors: as
/// Acceptance::Judge.
core::Task<core::Result<LemmaFile>> AcceptLemmas(const core::Executor& executor,
                                                 const lean::Toolchain& toolchain, std::string text,
                                                 std::vector<ProvedOnTheWay> found,
                                                 std::function<std::string(std::string)> prepare,
                                                 AcceptanceOptions options);

/// The lemmas as commands, separated by blank lines.
std::string AsAuxiliary(const ProvedOnTheWay& lemmas);

}  // namespace zermelo::engine
