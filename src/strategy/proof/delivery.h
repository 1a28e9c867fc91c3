// Combines declarations that Lean accepted separately into a proof for the file.
#pragma once

#include <string>
#include <string_view>

#include "core/async.h"
#include "strategy/lemma_store.h"
#include "strategy/session.h"

namespace zermelo::strategy {

/// `value`: of the theorem, by `role`, which Lean accepts behind its head after `known.Text()`.
/// Renames the required lemmas to names that are free in the file, checks the whole with Lean for
/// at most `limit`, and reports the proof to the session of the problem. Returns false if Lean
/// rejects it in the file.
core::Task<bool> Deliver(Session& session, std::string_view role, const Problem& problem,
                         const LemmaStore& known, std::string value, core::Duration limit);

}  // namespace zermelo::strategy
