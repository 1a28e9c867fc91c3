#include "syntax/proof/hole_layout.h"

#include <algorithm>
#include <string>

#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

// After these tokens, a term may be a bare `by` block.
constexpr WordSet kBeforeBareTerm({":=", "=>", "exact", "from", "refine", "refine'"});

class Describer {
 public:
  explicit Describer(const HoleContext& context)
      : context_(context),
        frames_(context.frames),
        token_(context.tokens[context.at]),
        before_(context.at > 0 ? Word(context.at - 1) : std::string_view()),
        next_(context.last + 1 < context.tokens.size() ? &context.tokens[context.last + 1]
                                                       : nullptr) {}

  Hole Run(HolePosition position) const {
    const Frame& top = frames_.Top();
    Hole hole;
    hole.begin = token_.begin;
    hole.end = context_.tokens[context_.last].end;
    hole.position = position;
    hole.column = token_.column;
    hole.block_column = frames_.ColumnBelow(frames_.size()).value_or(context_.indent);
    hole.in_proof = top.block != kNowhere || top.proof != kNowhere;
    if (top.proof != kNowhere) {
      hole.label = LabelOf(frames_[top.proof].token);
      hole.label_begin = context_.tokens[frames_[top.proof].token].begin;
    }
    hole.fresh_column = OuterColumn(position) + 2;
    if (position == HolePosition::kTerm) {
      LayOutTerm(hole);
    } else {
      LayOutTactic(hole);
    }
    return hole;
  }

 private:
  std::string_view Word(size_t i) const { return WordAt(context_.text, context_.tokens, i); }

  std::string LabelOf(size_t keyword) const {
    if (Word(keyword) == "show" || keyword + 1 >= context_.tokens.size()) return {};
    const std::string_view next = Word(keyword + 1);
    if (context_.tokens[keyword + 1].kind == TokenKind::kWord) return std::string(next);
    const bool unnamed = next == ":" || next == ":=" || next == "(";
    return unnamed && Word(keyword) != "obtain" ? "this" : "";
  }

  // A block on a new line at this hole must begin to the right of this column.
  size_t OuterColumn(HolePosition position) const {
    const size_t value =
        before_ == "by" ? context_.at - 1 : context_.at;  // first token of the term
    const bool same_line = !token_.first_on_line;
    if (same_line && context_.is_value && value == 1 && Word(0) == ":=") return context_.indent;
    // The frame around the hole, or around a block that consists of the hole alone.
    const size_t index = frames_.size() - (position == HolePosition::kTactic ? 1 : 0);
    const Frame& around = frames_[index > 0 ? index - 1 : 0];
    const bool whole_proof = before_ == "by" || before_ == ":=" || before_ == "from";
    if (same_line && whole_proof && around.kind == FrameKind::kProof && around.tactic) {
      return context_.tokens[around.token].column;
    }
    // In Lean, nothing in an alternative may stand to the left of the first `|`, and nothing in a
    // `where` to the left of its first declaration.
    const auto bars = frames_.Find(
        [](const Frame& f) { return f.kind == FrameKind::kAlternatives && f.column != kNowhere; });
    return std::max({frames_.ColumnBelow(index).value_or(context_.indent), context_.line_indent,
                     bars ? frames_[*bars].column : 0, context_.where_column});
  }

  void LayOutTactic(Hole& hole) const {
    const bool ambiguous = hole.position == HolePosition::kAmbiguous;
    const bool same_line = !token_.first_on_line;
    if (token_.column != hole.block_column || before_ == "<;>" || ambiguous) {
      hole.wrap = When::kSeveralLines;
    }
    if (same_line && before_ == "by") hole.own_line = When::kAlways;
    if (same_line && before_ == "=>" && !ambiguous) hole.own_line = When::kSeveralLines;
    if (next_ == nullptr) return;
    const std::string_view after = Word(context_.last + 1);
    if (next_->first_on_line) {
      if (next_->column > token_.column || after == "<;>") hole.wrap = When::kAlways;
      if (next_->column >= hole.fresh_column) hole.own_line = When::kNever;
    } else if (ClosingBracket(after) == BracketKind::kNone) {
      hole.wrap = When::kAlways;
    }
  }

  void LayOutTerm(Hole& hole) const {
    const bool ends =
        next_ == nullptr || (next_->first_on_line && next_->column < hole.fresh_column);
    hole.wrap = ends && kBeforeBareTerm.Contains(before_) ? When::kNever : When::kAlways;
    hole.own_line = When::kAlways;
  }

  const HoleContext& context_;
  const FrameStack& frames_;
  const Token& token_;
  std::string_view before_;  // the token before the hole
  const Token* next_;        // the token after it
};

}  // namespace

Hole DescribeHole(const HoleContext& context, HolePosition position) {
  return Describer(context).Run(position);
}

}  // namespace zermelo::syntax
