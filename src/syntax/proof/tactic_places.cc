#include "syntax/proof/tactic_places.h"

#include <algorithm>
#include <map>
#include <utility>

#include "syntax/proof/tactic_structure.h"

namespace zermelo::syntax {

namespace {

/// Says which blocks have a tactic state of their own at each tactic.
class Blocks {
 public:
  Blocks(const File& file, std::span<const Token> tokens, const TacticStructure& structure)
      : file_(file), tokens_(tokens), structure_(structure) {
    for (const TacticBlock& block : structure.blocks) plain_.push_back(IsPlain(block));
  }

  bool IsPlainAt(const TacticStep& step) const { return plain_[step.block]; }

  size_t DepthOf(size_t block) const {
    size_t depth = 0;
    for (size_t step = structure_.blocks[block].parent_step; step != kNowhere; ++depth) {
      block = structure_.steps[step].block;
      step = structure_.blocks[block].parent_step;
    }
    return depth;
  }

 private:
  bool IsPlain(const TacticBlock& block) const {
    if (block.kind == BlockKind::kOther) return false;
    if (block.parent_step == kNowhere) return true;
    const TacticStep& parent = structure_.steps[block.parent_step];
    if (TextOf(file_.text(), tokens_[parent.first]).starts_with("conv")) return false;
    return plain_[parent.block];  // outer blocks come first
  }

  const File& file_;
  const std::span<const Token> tokens_;
  const TacticStructure& structure_;
  std::vector<bool> plain_;
};

}  // namespace

std::span<const Token> TokensIn(const File& file, TextRange range) {
  const auto& tokens = file.tokens();
  const auto first = std::ranges::lower_bound(tokens, range.begin, {}, &Token::begin);
  const auto last = std::ranges::lower_bound(tokens, range.end, {}, &Token::begin);
  return {first, last};
}

std::vector<TacticPlace> TacticPlaces(const File& file, const Declaration& declaration) {
  const auto tokens = TokensIn(file, declaration.value);
  const auto structure = AnalyzeValue(file.text(), tokens, declaration.indent);
  const Blocks blocks(file, tokens, structure);
  std::vector<TacticPlace> places;
  std::map<size_t, size_t> last_of_block;
  for (const TacticStep& step : structure.steps) {
    if (!blocks.IsPlainAt(step)) continue;
    TacticPlace place;
    place.range = {.begin = tokens[step.first].begin, .end = tokens[step.last].end};
    place.depth = blocks.DepthOf(step.block);
    const auto [before, first] = last_of_block.try_emplace(step.block, places.size());
    if (!first) places[std::exchange(before->second, places.size())].next = places.size();
    places.push_back(place);
  }
  return places;
}

}  // namespace zermelo::syntax
