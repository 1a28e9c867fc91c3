#include "syntax/proof/tactic_structure.h"

#include <optional>
#include <utility>

#include "syntax/frame_stack.h"
#include "syntax/proof/hole_layout.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

// Combinators: those that run their tactics once, and the others.
constexpr WordSet kWrappers({"checkpoint", "classical", "focus", "stop", "unhygienic",
                             "with_reducible", "with_reducible_and_instances", "with_unfolding_all",
                             "with_unfolding_none"});
constexpr WordSet kRepeaters({"all_goals", "any_goals", "fail_if_success", "iterate", "repeat",
                              "repeat'", "repeat1", "repeat1'", "success_if_fail_with_msg", "try"});
constexpr WordSet kOtherRepeaters({"<;>", "<|>", "case'", "conv", "conv'", "conv_lhs", "conv_rhs",
                                   "map_tacs", "on_goals"});
constexpr WordSet kArrowTactics({"case", "case'", "conv", "conv'", "conv_lhs", "conv_rhs", "next",
                                 "on_goal"});
constexpr WordSet kAlternativeTactics({"cases", "fun_cases", "fun_induction", "induction",
                                       "match"});
constexpr WordSet kFirstLike({"first", "solve"});
constexpr WordSet kBarPatternTactics({"obtain", "rcases", "rintro"});
constexpr WordSet kProofWords({"have", "haveI", "obtain", "replace", "show", "suffices"});
// At the column of a block, these continue the tactic before them.
constexpr WordSet kContinuations({")", ",", ":=", ";", "<;>", "=>", "]", "at", "else", "from", "in",
                                  "then", "using", "where", "with", "|", "}", "⟩"});
constexpr WordSet kBinders({"∀", "∃", "∃!", "∏", "∑", "∫", "⋂", "⋃", "⨅", "⨆"});

class Analyzer {
 public:
  Analyzer(std::string_view text, std::span<const Token> tokens, bool tactics, size_t indent)
      : text_(text), tokens_(tokens), is_value_(!tactics), indent_(indent), line_indent_(indent) {
    if (tactics) frames_.PushBlock(BlockKind::kRoot, kNowhere);
  }

  TacticStructure Run() && {
    if (is_value_ && Word(0) == "|") PushAlternatives(false, false);
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_].first_on_line) line_indent_ = tokens_[at_].column;
      frames_.MoveTo(at_, tokens_[at_].column, line_indent_);
      if (tokens_[at_].first_on_line) BeginLine();
      Handle(Word(at_));
    }
    frames_.MoveTo(tokens_.size(), 0, 0);
    frames_.PopTo(1);
    return std::move(out_);
  }

 private:
  std::string_view Word(size_t i) const { return WordAt(text_, tokens_, i); }

  // ---- Layout ----

  void BeginLine() {
    const size_t column = tokens_[at_].column;
    const bool continues = kContinuations.Contains(Word(at_));
    for (auto block = frames_.OpenBlock(); block; block = frames_.OpenBlock()) {
      const Frame& frame = frames_[*block];
      const bool unset = frame.column == kNowhere;
      const auto outer = unset ? frames_.ColumnBelow(*block) : std::nullopt;
      const bool same_bracket = *block > 0 && frames_[*block - 1].block != kNowhere &&
                                frames_[*block - 1].block >= frame.bracket;
      const bool ends = unset ? outer && same_bracket && column <= *outer : column < frame.column;
      if (!ends || IsRootBlock(*block)) break;
      frames_.PopTo(*block);
    }
    while (!continues && IsPlain(frames_.Top()) && frames_.Top().layout_column >= column) {
      frames_.PopTo(frames_.size() - 1);
    }
    const auto block = frames_.OpenBlock();
    if (!block || continues || frames_[*block].column == kNowhere) return;
    // The line before ended in `set_option … in`, `open … in` or `<;>`.
    if (frames_[*block].awaiting && frames_[*block].step != kNowhere) return;
    if (frames_[*block].column == column ||
        (IsRootBlock(*block) && column < frames_[*block].column)) {
      frames_.PopTo(*block + 1);
      frames_.EndStep(frames_.Top());
      frames_.Top().awaiting = true;
    }
  }

  // The block that is the whole input never ends: a line to its left is one more tactic.
  bool IsRootBlock(size_t index) const { return !is_value_ && index == 1; }

  static bool IsPlain(const Frame& frame) {
    return frame.kind != FrameKind::kRoot && frame.kind != FrameKind::kBlock &&
           frame.kind != FrameKind::kBracket;
  }

  // ---- Tokens ----

  void Handle(std::string_view word) {
    if (HandleStructure(word)) return;
    Frame& top = frames_.Top();
    if (top.kind == FrameKind::kBlock && top.awaiting) {
      BeginTactic(word);
    } else {
      HandleTerm(word);
    }
  }

  bool HandleStructure(std::string_view word) {
    if (word == "|") return HandleBar();
    if (word == "=>") return HandleArrow();
    if (word == ":=" || word == "from") return StartProof(false);
    if (word == ",") return HandleComma();
    if (word == ";") return Separate(true);
    if (word == "<;>") return Separate(false);
    if (word == "then" || word == "else") return HandleBranch(word == "else");
    if (word == "in") return HandleIn();
    if (word == "where" || word == "termination_by" || word == "decreasing_by")
      return HandleTail(word);
    return CloseBracket(word);
  }

  bool HandleTail(std::string_view word) {
    if (!is_value_ || frames_.Top().bracket != 0) return false;
    frames_.PopTo(1);
    if (word == "where" && at_ + 1 < tokens_.size()) where_column_ = tokens_[at_ + 1].column;
    if (word == "decreasing_by") frames_.PushBlock(BlockKind::kBy, at_);
    return true;
  }

  bool CloseBracket(std::string_view word) {
    const BracketKind kind = ClosingBracket(word);
    if (kind == BracketKind::kNone) return false;
    const size_t bracket = frames_.Top().bracket;
    if (bracket > 0 && frames_[bracket].bracket_kind == kind) frames_.PopTo(bracket);
    return true;
  }

  // The next tactic of the innermost block; with `new_step` false it belongs to the same step.
  bool Separate(bool new_step) {
    const auto block = frames_.OpenBlock();
    frames_.PopTo(block ? *block + 1 : frames_.Top().bracket + 1);
    if (!block) return true;
    if (new_step) frames_.EndStep(frames_.Top());
    frames_.Top().awaiting = true;
    return true;
  }

  bool HandleComma() {
    if (frames_.Top().pending_commas > 0) {
      --frames_.Top().pending_commas;
      return true;
    }
    const size_t bracket = frames_.Top().bracket;
    if (bracket == 0 || !frames_.OpenBlock()) return true;
    frames_.PopTo(bracket + 1);
    if (frames_.Top().tactic) frames_.PushBlock(BlockKind::kOther, at_);
    return true;
  }

  bool HandleBranch(bool is_else) {
    const auto branch = frames_.Find([](const Frame& f) { return f.kind == FrameKind::kBranch; });
    if (!branch) return true;
    if (is_else && Word(at_ + 1) == "if") {  // an `else if` chain, to which the next `else` belongs
      frames_.PopTo(*branch + 1);
      return true;
    }
    const bool tactic = frames_[*branch].tactic;
    frames_.PopTo(is_else ? *branch : *branch + 1);
    if (tactic) frames_.PushBlock(is_else ? BlockKind::kArm : BlockKind::kOther, at_);
    return true;
  }

  bool HandleIn() {
    if (frames_.Top().kind != FrameKind::kIn) return true;
    const bool tactic = frames_.Top().tactic;
    frames_.PopTo(frames_.size() - 1);
    if (tactic) frames_.Top().awaiting = true;
    return true;
  }

  bool StartProof(bool by) {
    const auto proof = frames_.Find([](const Frame& f) {
      return f.kind == FrameKind::kBlock || (f.kind == FrameKind::kProof && f.awaiting);
    });
    if (!proof || frames_[*proof].kind == FrameKind::kBlock) return true;
    const std::string_view keyword = Word(frames_[*proof].token);
    if (by && keyword != "show" && keyword != "suffices") return true;
    frames_.PopTo(*proof + 1);
    frames_.Top().awaiting = false;
    frames_.Top().proof = *proof;
    return true;
  }

  bool HandleArrow() {
    const auto owner = frames_.Find([](const Frame& f) {
      return f.awaiting && (f.kind == FrameKind::kFun || f.kind == FrameKind::kAlternatives ||
                            f.kind == FrameKind::kArrow);
    });
    if (!owner) {
      unowned_arrow_ = at_;
      return true;
    }
    frames_.PopTo(*owner + 1);
    frames_.Top().awaiting = false;
    const Frame frame = frames_.Top();
    if (frame.kind != FrameKind::kAlternatives) frames_.PopTo(*owner);
    if (frame.kind == FrameKind::kFun || !frame.tactic) return true;
    const bool arm = frame.kind == FrameKind::kArrow;
    frames_.PushBlock(arm ? BlockKind::kArm : BlockKind::kAlternative, at_,
                      arm ? kNowhere : frame.id);
    return true;
  }

  // A `|` after an operator opens an absolute value and does not begin an alternative.
  bool OpensAbsoluteValue() const {
    if (at_ == 0 || tokens_[at_ - 1].kind != TokenKind::kSymbol) return false;
    static constexpr WordSet kEndsTerm(
        {"!", "'", ")", ".", ";", "?", "]", "}", "·", "›", "⊢", "⟩"});
    const std::string_view before = Word(at_ - 1);
    if (before == "*") return at_ < 2 || Word(at_ - 2) != "at";
    return !kEndsTerm.Contains(before);
  }

  bool HandleBar() {
    if (absolute_value_open_) {
      absolute_value_open_ = false;
      return true;
    }
    const Token& token = tokens_[at_];
    auto owner = frames_.Find([&](const Frame& f) {
      return f.kind == FrameKind::kAlternatives && token.first_on_line && f.column == token.column;
    });
    const bool aligned = owner.has_value();
    if (!owner)
      owner = frames_.Find([](const Frame& f) { return f.kind == FrameKind::kAlternatives; });
    if (!owner) return true;
    if (OpensAbsoluteValue()) {
      absolute_value_open_ = true;
      return true;
    }
    const auto block = frames_.OpenBlock();
    if (!aligned && block && *block > *owner && frames_[*block].ignores_bars) return true;
    frames_.PopTo(*owner + 1);
    Frame& frame = frames_.Top();
    frame.awaiting = !frame.opens_block;
    if (frame.column == kNowhere) frame.column = token.column;
    if (frame.opens_block) frames_.PushBlock(BlockKind::kOther, at_);
    return true;
  }

  void PushAlternatives(bool tactic, bool opens_block) {
    Frame& frame = frames_.Push(FrameKind::kAlternatives, tactic);
    frame.opens_block = opens_block;
    frame.id = at_;
  }

  bool PushBracket(std::string_view word, bool tactic) {
    const BracketKind kind = OpeningBracket(word);
    if (kind == BracketKind::kNone) return false;
    frames_.Push(FrameKind::kBracket, tactic).bracket_kind = kind;
    if (tactic) frames_.PushBlock(BlockKind::kOther, at_);
    return true;
  }

  bool IsBullet(std::string_view word) const {
    if (word == "·") return true;
    return word == "." && at_ + 1 < tokens_.size() && tokens_[at_ + 1].begin > tokens_[at_].end;
  }

  /// `all_goals sorry` as a whole step.
  bool IsSorryForAllGoals(std::string_view word, const TacticStep& step) const {
    const bool all = (word == "all_goals" || word == "any_goals") && step.first == at_;
    if (!is_value_ || !all || at_ + 1 >= tokens_.size() || !IsSorry(text_, tokens_, at_ + 1))
      return false;
    return at_ + 2 >= tokens_.size() || tokens_[at_ + 2].first_on_line;
  }

  // A token where a tactic is expected.
  void BeginTactic(std::string_view word) {
    Frame& block = frames_.Top();
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::kNumber) return;  // iterate 3 tac
    block.awaiting = false;
    block.ignores_bars = kBarPatternTactics.Contains(word);
    if (block.column == kNowhere) block.column = token.column;
    if (block.step == kNowhere) {
      block.step = out_.steps.size();
      if (block.first_step == kNowhere) block.first_step = block.step;
      out_.steps.push_back({block.id, at_, at_});
    }
    if (IsSorry(text_, tokens_, at_) || word == "admit") {
      AddHole(HolePosition::kTactic);
      if (is_value_) TakeGoalsTogether(block, out_.holes.back());
    } else if (IsSorryForAllGoals(word, out_.steps[block.step])) {
      AddHole(HolePosition::kTactic, at_ + 1);
      ++at_;
    } else if (IsBullet(word)) {
      frames_.PushBlock(BlockKind::kBullet, at_);
    } else if (kArrowTactics.Contains(word)) {
      frames_.Push(FrameKind::kArrow, true).awaiting = true;
    } else if (kAlternativeTactics.Contains(word) || kFirstLike.Contains(word)) {
      PushAlternatives(true, kFirstLike.Contains(word));
    } else if (kWrappers.Contains(word) || kRepeaters.Contains(word)) {
      frames_.PushBlock(BlockKind::kOther, at_);
    } else if (word == "if") {
      frames_.Push(FrameKind::kBranch, true);
    } else if (word == "open" || word == "set_option") {
      frames_.Push(FrameKind::kIn, true);
    } else if (kProofWords.Contains(word)) {
      frames_.Push(FrameKind::kProof, true).awaiting = true;
    } else if (word == "(" || word == "{" || word == "[") {
      PushBracket(word, true);
    } else {
      HandleTerm(word);
    }
  }

  /// Makes `<;> sorry` at the end of a step one hole: its proof comes on the lines after the step.
  void TakeGoalsTogether(const Frame& block, Hole& hole) const {
    const TacticBlock& outer = out_.blocks[block.id];
    const TacticStep& step = out_.steps[block.step];
    const Token& first = tokens_[step.first];
    if (at_ == step.first || Word(at_ - 1) != "<;>" || outer.kind == BlockKind::kOther) return;
    if (hole.wrap == When::kAlways) return;  // the step goes on
    if (Word(step.first) == "open" || Word(step.first) == "set_option") return;
    const Token& before = tokens_[at_ - 1];
    const auto between = text_.substr(before.end, tokens_[at_].begin - before.end);
    if (between.find_first_not_of(" \t\r\n") != between.npos) return;  // a comment
    if (out_.holes.size() > 1 && out_.holes[out_.holes.size() - 2].begin >= first.begin) return;
    const bool one_goal = block.step == block.first_step && Word(outer.intro) != "decreasing_by";
    if (!one_goal && first.line != tokens_[at_].line) return;
    hole.begin = before.begin;
    hole.wrap = When::kNever;
    hole.own_line = When::kAlways;
    hole.fresh_column = one_goal ? block.column : first.column + 2;
    if (!one_goal) hole.bullet = first.begin;
  }

  // A token of a term, or of the arguments of a tactic.
  void HandleTerm(std::string_view word) {
    if (IsSorry(text_, tokens_, at_)) {
      const bool ambiguous = unowned_arrow_ + 1 == at_ && at_ > 0 && frames_.OpenBlock();
      AddHole(ambiguous ? HolePosition::kAmbiguous : HolePosition::kTerm);
    } else if (word == "by") {
      StartProof(true);
      frames_.PushBlock(BlockKind::kBy, at_);
    } else if (word == "fun" || word == "λ") {
      if (Word(at_ + 1) == "|") {
        PushAlternatives(false, false);
      } else {
        frames_.Push(FrameKind::kFun, false).awaiting = true;
      }
    } else if (word == "match") {
      PushAlternatives(false, false);
    } else if (word == "if") {
      const bool chained =
          at_ > 0 && Word(at_ - 1) == "else" && frames_.Top().kind == FrameKind::kBranch;
      if (!chained) frames_.Push(FrameKind::kBranch, false);
    } else if (word == "calc") {
      frames_.Push(FrameKind::kCalc, false);
    } else if (word == "have" || word == "haveI" || word == "show" || word == "suffices") {
      frames_.Push(FrameKind::kProof, false).awaiting = true;
    } else if (kBinders.Contains(word)) {
      ++frames_.Top().pending_commas;
    } else {
      PushBracket(word, false);
    }
  }

  void AddHole(HolePosition position) { AddHole(position, at_); }
  void AddHole(HolePosition position, size_t last) {
    const HoleContext context{text_,     tokens_, frames_,      at_,          last,
                              is_value_, indent_, line_indent_, where_column_};
    out_.holes.push_back(DescribeHole(context, position));
  }

  std::string_view text_;
  std::span<const Token> tokens_;
  bool is_value_;
  size_t indent_;
  size_t line_indent_;
  TacticStructure out_;
  FrameStack frames_{out_};
  size_t at_ = 0;
  size_t unowned_arrow_ = kNowhere;
  size_t where_column_ = 0;
  bool absolute_value_open_ = false;
};

}  // namespace

bool IsSorry(std::string_view text, std::span<const Token> tokens, size_t i) {
  if (tokens[i].kind != TokenKind::kWord || TextOf(text, tokens[i]) != "sorry") return false;
  const bool projection =
      i > 0 && tokens[i - 1].end == tokens[i].begin && TextOf(text, tokens[i - 1]) == ".";
  return !projection;
}

bool MayRunRepeatedly(std::string_view word) {
  return kRepeaters.Contains(word) || kOtherRepeaters.Contains(word) || kFirstLike.Contains(word);
}

TacticStructure AnalyzeTactics(std::string_view text, std::span<const Token> tokens) {
  return Analyzer(text, tokens, true, 0).Run();
}

TacticStructure AnalyzeValue(std::string_view text, std::span<const Token> tokens, size_t indent) {
  return Analyzer(text, tokens, false, indent).Run();
}

}  // namespace zermelo::syntax
