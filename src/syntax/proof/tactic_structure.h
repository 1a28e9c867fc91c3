// The block structure of Lean code, as far as tokens and layout show it: which tokens begin a
// tactic, in which tactic block, and where each `sorry` is. One pass without backtracking, linear
// in the number of tokens; any token sequence is accepted.
//
// Recognized: `by`, bullets, `case`/`next`/`conv … =>`, `cases`/`induction`/`match … with`,
// `first`, tactic combinators, `if … then … else`, `open`/`set_option … in`, brackets, `;`, `<;>`
// and the column rule (a token at the block's column begins a tactic, a deeper one continues it,
// one to the left ends the block).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/lexer.h"

namespace zermelo::syntax {

enum class HolePosition {
  kTactic,     // a tactic is expected here
  kTerm,       // a term is expected here
  kAmbiguous,  // after the `=>` of a tactic this module does not know; treated as a tactic
};

/// When new text at a hole must be put in parentheses, or on its own line.
enum class When { kNever, kSeveralLines, kAlways };

/// One `sorry` (or, where a tactic is expected, `admit`). In a declaration also a whole `all_goals
/// sorry` or, at the end of a tactic, `<;> sorry`: few tactics prove each of several goals alike,
/// so one proof of them all takes its place. Offsets are bytes, columns code points.
struct Hole {
  size_t begin = 0;
  size_t end = 0;
  HolePosition position = HolePosition::kTerm;
  /// Inside a tactic block, or the proof of a `have`, `show`, `suffices` or `obtain`.
  bool in_proof = false;
  /// Column of the tactics of the innermost block around the hole; for a term outside any block,
  /// the indentation of the declaration's line.
  size_t block_column = 0;
  /// The innermost have, obtain, suffices or show whose proof contains the hole: its name ("this"
  /// if it has none, empty for a pattern or `show`) and the offset of its keyword, else kNowhere.
  std::string label;
  size_t label_begin = kNowhere;

  // For SpliceProof.
  size_t column = 0;         // of the hole
  size_t fresh_column = 0;   // for a block that goes on a new line
  When wrap = When::kNever;  // kSeveralLines: also for several tactics on one line
  When own_line = When::kNever;
  /// Where to insert `· ` so that the proof sees only its tactic's goals; kNowhere: no bullet.
  size_t bullet = kNowhere;
};

enum class BlockKind {
  kRoot,         // the whole input
  kBy,           // by, decreasing_by
  kBullet,       // ·
  kArm,          // case, next, conv, else: no alternative has to follow
  kAlternative,  // | pattern => of cases, induction, match
  kOther,        // combinators, first, then, parentheses
};

struct TacticBlock {
  BlockKind kind = BlockKind::kOther;
  size_t intro = kNowhere;        // token that opens it: `by`, `·`, `=>`, …
  size_t parent_step = kNowhere;  // step of the enclosing block
  size_t group = kNowhere;        // shared by all alternatives of one `cases`
  /// Code truncated inside the block still parses: no bracket, calc, … is open between it and
  /// parent_step.
  bool may_end_here = false;
};

/// Tokens [first, last] of one tactic. `a <;> b` is one step, `a; b` are two.
struct TacticStep {
  size_t block = 0;
  size_t first = 0;
  size_t last = 0;
};

struct TacticStructure {
  std::vector<TacticBlock> blocks;  // a block comes after the one it is nested in
  std::vector<TacticStep> steps;    // in order of `first`
  std::vector<Hole> holes;
};

/// Analyzes tactics, given as the tokens of `text` without trivia (LexCode); blocks[0] is the root.
TacticStructure AnalyzeTactics(std::string_view text, std::span<const Token> tokens);

/// Analyzes a declaration's value, given as its tokens from `:=`, `where` or `|`; `indent` is the
/// indentation of the declaration's line in code points.
TacticStructure AnalyzeValue(std::string_view text, std::span<const Token> tokens, size_t indent);

/// Whether token `i` is a `sorry`: not part of a name, not a projection `.sorry`.
bool IsSorry(std::string_view text, std::span<const Token> tokens, size_t i);

/// Whether a word is of a tactic that may run those in it more than once, or hides their errors:
/// `<;>`, `first`, `repeat`, `conv`, …
bool MayRunRepeatedly(std::string_view word);

}  // namespace zermelo::syntax
