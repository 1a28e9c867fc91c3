// The stack of open constructs that tactic_structure.cc maintains while it reads tokens: tactic
// blocks, brackets, `fun … =>`, `cases … with`, `have … :=` and the like. Private to that file.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "syntax/proof/tactic_structure.h"
#include "syntax/words.h"

namespace zermelo::syntax {

/// Maximum number of frames searched for the owner of a token. Real code needs a handful; the bound
/// keeps hostile input linear.
inline constexpr size_t kMaxSearch = 64;

enum class FrameKind {
  kRoot,
  kBlock,
  kBracket,
  kFun,           // fun … =>
  kAlternatives,  // cases/match … with, first
  kArrow,         // case h =>
  kBranch,        // if
  kProof,         // have
  kIn,            // open … in
  kCalc,
};

struct Frame {
  FrameKind kind = FrameKind::kRoot;
  bool tactic = false;  // it contains tactics
  /// A kFun, kAlternatives or kArrow awaits its `=>`, a kProof its `:=`, a kBlock a tactic.
  bool awaiting = false;
  size_t token = kNowhere;
  size_t column = kNowhere;  // kBlock: of its tactics, once known; kAlternatives: of its first `|`
  size_t layout_column = 0;  // a line that begins here or further left ends the frame
  size_t id = kNowhere;      // kBlock: index in blocks; kAlternatives: group
  size_t step = kNowhere;    // kBlock: current step
  size_t first_step = kNowhere;  // kBlock
  size_t pending_commas = 0;     // still expected by binders: `∃ x, p`
  BracketKind bracket_kind = BracketKind::kNone;
  bool opens_block = false;   // kAlternatives: `|` itself opens a block (first)
  bool ignores_bars = false;  // kBlock: its current tactic has patterns like ⟨x⟩ | ⟨y⟩
  bool cuttable = true;       // code may be truncated here, as far as the innermost block
  /// Stack indices of the innermost frame of each kind, this one included (a kProof once its proof
  /// has begun).
  size_t block = kNowhere;
  size_t bracket = 0;
  size_t proof = kNowhere;
};

/// Never empty: the bottom frame is kRoot. Records blocks and steps in a TacticStructure as they
/// open and close.
class FrameStack {
 public:
  explicit FrameStack(TacticStructure& structure) : structure_(structure), frames_{Frame{}} {}

  /// Sets the current token: frames opened from now on begin at it, and steps closed end before it.
  void MoveTo(size_t token, size_t column, size_t line_indent);

  Frame& Top() { return frames_.back(); }
  const Frame& Top() const { return frames_.back(); }
  const Frame& operator[](size_t index) const { return frames_[index]; }
  size_t size() const { return frames_.size(); }

  Frame& Push(FrameKind kind, bool tactic);
  void PushBlock(BlockKind kind, size_t intro, size_t group = kNowhere);
  void PopTo(size_t size);
  void EndStep(Frame& block);

  /// Innermost frame of the current bracket that satisfies `wanted`.
  template <typename Predicate>
  std::optional<size_t> Find(Predicate wanted) const {
    const size_t bracket = Top().bracket;
    for (size_t i = frames_.size(), n = 0; i-- > bracket && n < kMaxSearch; ++n) {
      if (wanted(frames_[i])) return i;
    }
    return std::nullopt;
  }

  /// The innermost block within the current bracket.
  std::optional<size_t> OpenBlock() const;

  /// Column of the innermost block below stack index `index` whose column is known.
  std::optional<size_t> ColumnBelow(size_t index) const;

 private:
  TacticStructure& structure_;
  std::vector<Frame> frames_;
  size_t token_ = 0;
  size_t column_ = 0;
  size_t line_indent_ = 0;
};

}  // namespace zermelo::syntax
