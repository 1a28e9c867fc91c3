// Edits proofs as text: fills holes, cuts proofs into tactics, cuts off what follows an error.
//
// Pure functions; any bytes are accepted; linear in their input. A tactic block is text of one or
// more tactics at its own column 0 ("intro x\nsimp"); offsets are bytes, columns code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lean/tactic_structure.h"

namespace zermelo::lean {

struct Splice {
  std::string text;  // the whole new file
  // Where the block's first tactic begins and its last one ends in `text`, with what lies between.
  size_t begin = 0;
  size_t end = 0;
  // Column of the block: a position in its n-th line (n > 0) is this far to the right of where it
  // was. Lines that begin inside a string or comment of the block have not moved.
  size_t indent = 0;
};

// Puts `tactics` in the place of `hole`, which must come from FindDeclarations(text), laid out so
// that it parses there: re-indented, on lines of its own after `by`, after a new `by` where a term
// is expected, in parentheses where something follows. Line breaks become those of `text`. All
// bytes outside the hole stay as they are, except blanks between `by`, `:=` or `=>` and the hole
// when a line break goes there. A block without tactics counts as `skip`. Check blocks written by
// others with IsSelfContained first.
Splice SpliceProof(std::string_view text, const Hole& hole, std::string_view tactics);

// Whether a block leaves no comment, string or bracket open, closes none that it did not open, and
// holds no command: spliced in, it cannot swallow or replace what follows the hole.
bool IsSelfContained(std::string_view tactics);

// Whether a word of the code leaves something unproved: `sorry`, `admit`, `stop`, `sorryAx`. Lean's
// warning does not tell where: a declaration may have holes beside the one that is filled.
bool UsesSorry(std::string_view code);

// Whether no comment, string or bracket is left open or closed that was not opened.
bool IsBalanced(std::string_view code);

// One tactic of a block, with comments before it and on its last line. Bytes [begin, end).
struct TacticSegment {
  size_t begin = 0;
  size_t code_begin = 0;  // without the comments before
  size_t end = 0;
};

// The top-level tactics of a block, in order: a step goes on over deeper lines, `|` alternatives,
// `calc` steps and nested blocks; `a <;> b` is one, `a; b` are two.
std::vector<TacticSegment> SplitTactics(std::string_view tactics);

// The longest prefix of whole tactics before the one with the error at `error_offset` (bytes into
// `tactics`), so that the prefix has no error but unsolved goals (DeepSeek-Prover-V1.5,
// section 4.1, "Truncate"). Goes into a block (`·`, `case`, `have … := by`, the last alternative of
// `cases`) when the error is inside and a tactic comes before it there. An error at the `·`, `by`
// or `=>` itself says that the block leaves goals open, so that block is kept. An error past the
// last tactic keeps everything.
//
// A syntax error is reported where parsing stopped, which can be a token later than the bad tactic:
// check the prefix again.
std::string_view TruncateAtError(std::string_view tactics, size_t error_offset);

}  // namespace zermelo::lean
