// From what Lean accepted piece by piece to a proof that can go into the file.
#pragma once

#include <string>

#include "core/async.h"
#include "strategy/expander.h"
#include "strategy/lemma_memory.h"

namespace zermelo::strategy {

/// `text`: the theorem of the expander's problem with its proof, which Lean accepts after
/// `known.Text()`. Gives the lemmas that it needs names that are free in the file, has Lean judge
/// the whole, and tells the expander of the proof. False: it does not hold in the file.
core::Task<bool> Deliver(Expander& expander, const LemmaMemory& known, std::string text,
                         core::Duration limit);

}  // namespace zermelo::strategy
