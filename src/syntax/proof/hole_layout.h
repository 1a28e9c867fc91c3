// Describes one `sorry` and how its replacement has to be laid out. Private to tactic_structure.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "syntax/frame_stack.h"
#include "syntax/lexer.h"
#include "syntax/proof/tactic_structure.h"

namespace zermelo::syntax {

/// The analyzer's state at the hole.
struct HoleContext {
  std::string_view text;
  std::span<const Token> tokens;
  const FrameStack& frames;
  size_t at = 0;            // first token of the hole
  size_t last = 0;          // its last token
  bool is_value = false;    // the tokens are those of AnalyzeValue
  size_t indent = 0;        // of the declaration's line
  size_t line_indent = 0;   // of the hole's line
  size_t where_column = 0;  // of the first declaration after the last `where`
};

Hole DescribeHole(const HoleContext& context, HolePosition position);

}  // namespace zermelo::syntax
