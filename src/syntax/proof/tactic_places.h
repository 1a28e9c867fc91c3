// The tactics of a declaration, and which of them have a tactic state of their own.
//
// Pure functions; any bytes are accepted.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syntax/file.h"

namespace zermelo::syntax {

/// The tokens of a file that begin in a range.
std::span<const Token> TokensIn(const File& file, TextRange range);

/// A tactic of a declaration, wherever it is nested. Bytes of the file.
struct TacticPlace {
  TextRange range;
  size_t depth = 0;  // blocks around it, apart from the first
  /// The next tactic of its block, as an index; nullopt: it is the last, and must close its goals.
  std::optional<size_t> next;
};

/// The tactics of a declaration in the order in which they begin. Left out are those within
/// combinators (`all_goals`, `first`, `<;>`) and `conv`, which have no single tactic state.
std::vector<TacticPlace> TacticPlaces(const File& file, const Declaration& declaration);

}  // namespace zermelo::syntax
