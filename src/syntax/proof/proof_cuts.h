// Finds where a proof may be truncated and continued differently, and where to ask Lean for the
// tactic state there (DeepSeek-Prover-V1.5, section 4.1: "truncate", "segmented into code
// fractions").
//
// Pure functions; any bytes are accepted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/proof/tactic_structure.h"

namespace zermelo::syntax {

/// A tactic that encloses a position: a `·`, a `have … := by`, the last alternative of a `cases`.
struct EnclosingTactic {
  size_t begin = 0;  // bytes
  /// From its beginning to its `·`, `by` or `=>`; for an alternative, from its `|`. Tokens are
  /// separated by one blank.
  std::string head;
};

struct CutPoint {
  size_t end = 0;  // the prefix is bytes [0, end): whole tactics, and it parses
  /// Where the next tactic begins; the goals before it are the state after the prefix. kNowhere at
  /// the end of the proof.
  size_t next = kNowhere;
  /// Around the next tactic or, at the end, the last one; outermost first.
  std::vector<EnclosingTactic> around;
};

/// The cut points after every tactic of a block and of the blocks in it that may end early, in
/// order. None are inside combinators (`all_goals`, `first`, `<;>`, brackets), whose tactics have
/// no single state.
std::vector<CutPoint> CutPoints(std::string_view tactics);

/// Byte offset of the first `sorry` or `admit`; kNowhere if there is none.
size_t FirstSorry(std::string_view tactics);

}  // namespace zermelo::syntax
