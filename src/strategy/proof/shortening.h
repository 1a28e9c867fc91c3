// Shorter proofs: what automation proposes names everything that may help; a reader wants what did.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "strategy/strategy.h"

namespace zermelo::strategy {

/// A part of a proof and what may take its place.
struct Edit {
  size_t begin = 0, end = 0;  // bytes
  std::string replacement;    // shorter
  size_t Saving() const { return end - begin - replacement.size(); }
};

/// What may be left out of a proof, the largest savings first: a line `have …`, `try …` or
/// `rename_i …`, or only the `try`; an item of a list of `simp`, `simp_all`, `grind` or
/// `solve_by_elim`, the whole list, or an option `(gen := 3)` before it; all but one alternative of
/// `first`, or one of several. Whether Lean still accepts the proof is for it to say. Accepts any
/// text.
std::vector<Edit> EditsOf(std::string_view proof);

/// The proof with these edits, of which those that overlap an earlier one are ignored.
std::string Edited(std::string_view proof, std::span<const Edit> edits);

/// A shorter proof of the problem, confirmed by Lean with the kernel on; nullopt if none was found.
/// Only for proofs that are tactics alone (no SearchResult::auxiliary). Each round tries single
/// edits, then as many of those that Lean accepts as work together; no more begin after `time`.
/// `problem` and `limits` must outlive the call.
core::Task<std::optional<std::string>> Shorten(Services services, const Problem& problem,
                                               std::string proof, const Limits& limits,
                                               core::Duration time);

}  // namespace zermelo::strategy
