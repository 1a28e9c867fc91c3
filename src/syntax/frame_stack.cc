#include "syntax/frame_stack.h"

namespace zermelo::syntax {
namespace {

// Whether code that is truncated inside such a frame still parses.
bool MayBeCutOff(FrameKind kind, bool tactic) {
  return kind == FrameKind::kFun || kind == FrameKind::kProof || kind == FrameKind::kArrow ||
         (kind == FrameKind::kAlternatives && tactic);
}

}  // namespace

void FrameStack::MoveTo(size_t token, size_t column, size_t line_indent) {
  token_ = token;
  column_ = column;
  line_indent_ = line_indent;
}

Frame& FrameStack::Push(FrameKind kind, bool tactic) {
  const Frame& below = Top();
  Frame frame{.kind = kind, .tactic = tactic, .token = token_};
  frame.layout_column = kind == FrameKind::kProof ? column_ : line_indent_;
  frame.cuttable = below.cuttable && MayBeCutOff(kind, tactic);
  frame.block = below.block;
  frame.bracket = kind == FrameKind::kBracket ? frames_.size() : below.bracket;
  frame.proof = below.proof;
  frames_.push_back(frame);
  return Top();
}

void FrameStack::PushBlock(BlockKind kind, size_t intro, size_t group) {
  const Frame& below = Top();
  TacticBlock block{.kind = kind, .intro = intro, .group = group};
  block.may_end_here = below.cuttable && kind != BlockKind::kOther;
  if (below.block != kNowhere) block.parent_step = frames_[below.block].step;
  Frame frame{.kind = FrameKind::kBlock, .tactic = true, .awaiting = true, .token = intro};
  frame.id = structure_.blocks.size();
  frame.block = frames_.size();
  frame.bracket = below.bracket;
  frame.proof = below.proof;
  frames_.push_back(frame);
  structure_.blocks.push_back(block);
}

void FrameStack::PopTo(size_t size) {
  while (frames_.size() > size) {
    if (Top().kind == FrameKind::kBlock) EndStep(Top());
    frames_.pop_back();
  }
}

void FrameStack::EndStep(Frame& block) {
  if (block.step != kNowhere) structure_.steps[block.step].last = token_ - 1;
  block.step = kNowhere;
}

std::optional<size_t> FrameStack::OpenBlock() const {
  const Frame& top = Top();
  if (top.block == kNowhere || top.block < top.bracket) return std::nullopt;
  return top.block;
}

std::optional<size_t> FrameStack::ColumnBelow(size_t index) const {
  for (size_t n = 0; index > 0 && n < kMaxSearch; ++n) {
    index = frames_[index - 1].block;
    if (index == kNowhere) return std::nullopt;
    if (frames_[index].column != kNowhere) return frames_[index].column;
  }
  return std::nullopt;
}

}  // namespace zermelo::syntax
