// Where a proof may be cut off and gone on with differently, and where Lean is asked for the tactic
// state there (DeepSeek-Prover-V1.5, section 4.1: "truncate", "segmented into code fractions").
//
// Pure functions; any bytes are accepted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lean/tactic_structure.h"

namespace zermelo::lean {

/// A tactic that a place is inside of: a `·`, a `have … := by`, the last alternative of a `cases`.
struct EnclosingTactic {
  size_t begin = 0;  // bytes
  // From its beginning to its `·`, `by` or `=>`; of an alternative, from its `|` on. One blank
  // between tokens.
  std::string head;
};

struct CutPoint {
  size_t end = 0;  // the prefix is bytes [0, end): whole tactics, and it parses
  // Where the next tactic begins; the goals before it are the state after the prefix. kNowhere at
  // the end of the proof.
  size_t next = kNowhere;
  std::vector<EnclosingTactic> around;  // of the next tactic, else of the last one; outermost first
};

/// After every tactic of a block, and of the blocks in it that may end early, in order. Not inside
/// of combinators (`all_goals`, `first`, `<;>`, brackets), whose tactics do not have one state.
std::vector<CutPoint> CutPoints(std::string_view tactics);

/// Where the first `sorry` or `admit` stands; kNowhere when there is none.
size_t FirstSorry(std::string_view tactics);

}  // namespace zermelo::lean
