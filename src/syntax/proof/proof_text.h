// Edits proofs as text: fills holes, splits proofs into tactics, truncates them at an error.
//
// Pure functions; any bytes are accepted; linear in their input. A tactic block is text of one or
// more tactics at its own column 0 ("intro x\nsimp"); offsets are bytes, columns code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/proof/tactic_structure.h"

namespace zermelo::syntax {

struct Splice {
  std::string text;  // the whole new file
  /// Bytes [begin, end) of the block in `text`, from its first tactic to the end of its last one.
  size_t begin = 0;
  size_t end = 0;
  /// Column of the block: the n-th line (n > 0) has moved right by this much, unless it begins
  /// inside a string or comment of the block.
  size_t indent = 0;
};

/// Replaces `hole`, which must come from FindDeclarations(text), with `tactics`, laid out so that
/// they parse there: re-indented, on their own lines after `by`, after a new `by` where a term is
/// expected, in parentheses where more code follows. Line breaks become those of `text`. All bytes
/// outside the hole are kept, except blanks before the hole when a line break goes there; where the
/// hole says so, a bullet is added. A block without tactics counts as `skip`. Check untrusted
/// blocks with IsSelfContained first.
Splice SpliceProof(std::string_view text, const Hole& hole, std::string_view tactics);

/// A value that proves a statement: ` := by`, a line break and the tactics, laid out as above.
std::string ValueOf(std::string_view tactics);

/// Whether a block leaves no comment, string or bracket open, closes none that it did not open, and
/// contains no command: once inserted, it cannot swallow or replace what follows the hole.
bool IsSelfContained(std::string_view tactics);

/// Whether any word of the code leaves something unproved: `sorry`, `admit`, `stop`, `sorryAx`.
/// Lean's warning does not say where: a declaration may have holes besides the one that is filled.
bool UsesSorry(std::string_view code);

/// Whether every comment, string and bracket that is opened is closed, and no others are.
bool IsBalanced(std::string_view code);

/// One tactic of a block, with the comments before it and on its last line. Bytes [begin, end).
struct TacticSegment {
  size_t begin = 0;
  size_t code_begin = 0;  // without the comments before
  size_t end = 0;
};

/// The top-level tactics of a block, in order. A step includes deeper lines, `|` alternatives,
/// `calc` steps and nested blocks; `a <;> b` is one step, `a; b` are two.
std::vector<TacticSegment> SplitTactics(std::string_view tactics);

/// The longest prefix of whole tactics before the one with the error at `error_offset` (bytes into
/// `tactics`), so that its only error is unsolved goals (DeepSeek-Prover-V1.5, section 4.1,
/// "Truncate"). Enters a block (`·`, `case`, `have … := by`, the last alternative of `cases`) when
/// the error is inside and a tactic precedes it there. An error at the `·`, `by` or `=>` itself
/// means that the block leaves goals open, so that block is kept. An error past the last tactic
/// keeps everything.
///
/// A syntax error is reported where parsing stopped, which can be a token later than the bad
/// tactic: check the prefix again.
std::string_view TruncateAtError(std::string_view tactics, size_t error_offset);

}  // namespace zermelo::syntax
