// Positions in a text as LSP counts them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "core/text.h"

namespace zermelo::syntax {

/// 0-based line, 0-based column in UTF-16 code units.
struct Position {
  uint32_t line = 0;
  uint32_t character = 0;
  auto operator<=>(const Position&) const = default;
};

struct LineRange {
  uint32_t first = 0;
  uint32_t last = 0;  // inclusive
  bool Contains(Position p) const { return p.line >= first && p.line <= last; }
};

inline Position PositionAt(const core::LineIndex& lines, size_t byte_offset) {
  const auto at = lines.ToUtf16(byte_offset);
  return {.line = static_cast<uint32_t>(at.line), .character = static_cast<uint32_t>(at.column)};
}

inline size_t OffsetOf(const core::LineIndex& lines, Position position) {
  return lines.FromUtf16({.line = position.line, .column = position.character});
}

}  // namespace zermelo::syntax
