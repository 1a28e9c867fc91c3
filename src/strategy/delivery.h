// Combines declarations that Lean accepted separately into a proof for the file.
#pragma once

#include <string>

#include "core/async.h"
#include "strategy/expander.h"
#include "strategy/lemma_memory.h"

namespace zermelo::strategy {

/// `text`: the theorem of the expander's problem with its proof, which Lean accepts after
/// `known.Text()`. Renames the required lemmas to names that are free in the file, checks the whole
/// with Lean, and reports the proof to the expander. Returns false if Lean rejects it in the file.
core::Task<bool> Deliver(Expander& expander, const LemmaMemory& known, std::string text,
                         core::Duration limit);

}  // namespace zermelo::strategy
