#include "data/declared_proof.h"

#include <algorithm>
#include <map>
#include <span>

#include "syntax/proof/extraction.h"
#include "syntax/proof/tactic_structure.h"

namespace zermelo::data {

using syntax::BlockKind;
using syntax::Declaration;
using syntax::File;
using syntax::TacticBlock;
using syntax::TacticStep;
using syntax::TacticStructure;
using syntax::Token;

namespace {

bool IsProof(const Declaration& declaration) {
  const auto& keyword = declaration.keyword;
  return declaration.IsTheorem() || keyword == "example" || keyword == "instance";
}

std::span<const Token> TokensIn(const File& file, syntax::TextRange range) {
  const auto& tokens = file.tokens();
  const auto first = std::ranges::lower_bound(tokens, range.begin, {}, &Token::begin);
  const auto last = std::ranges::lower_bound(tokens, range.end, {}, &Token::begin);
  return {first, last};
}

bool HasOwnDeclarations(const File& file, std::span<const Token> tokens) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    const auto word = TextOf(file.text(), token);
    return word == "where" || word == "termination_by" || word == "decreasing_by";
  });
}

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
    for (size_t step = structure_.blocks[block].parent_step; step != syntax::kNowhere; ++depth) {
      block = structure_.steps[step].block;
      step = structure_.blocks[block].parent_step;
    }
    return depth;
  }

 private:
  bool IsPlain(const TacticBlock& block) const {
    if (block.kind == BlockKind::kOther) return false;
    if (block.parent_step == syntax::kNowhere) return true;
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

std::optional<DeclaredProof> ProofOf(const File& file, const Declaration& declaration) {
  if (!IsProof(declaration)) return std::nullopt;
  const auto tokens = TokensIn(file, declaration.value);
  if (tokens.size() < 3 || TextOf(file.text(), tokens[0]) != ":=" ||
      TextOf(file.text(), tokens[1]) != "by" || HasOwnDeclarations(file, tokens)) {
    return std::nullopt;
  }
  DeclaredProof proof;
  proof.theorem = syntax::TheoremOf(file, declaration);
  proof.range = {.begin = tokens[2].begin, .end = tokens.back().end};
  proof.tactics = syntax::AsBlock(file.text(), tokens[1].end, proof.range.end);
  return proof;
}

std::vector<TacticPlace> TacticPlaces(const File& file, const Declaration& declaration) {
  const auto tokens = TokensIn(file, declaration.value);
  const auto structure = syntax::AnalyzeValue(file.text(), tokens, declaration.indent);
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

BlockOffsets::BlockOffsets(const File& file, const DeclaredProof& proof) {
  const auto in_file = TokensIn(file, proof.range);
  const auto in_block = syntax::LexCode(proof.tactics);
  if (in_file.size() != in_block.size()) return;
  for (size_t i = 0; i < in_block.size(); ++i) {
    begins_.emplace_back(in_file[i].begin, in_block[i].begin);
  }
}

std::optional<size_t> BlockOffsets::Find(size_t byte) const {
  const auto found = std::ranges::lower_bound(begins_, byte, {}, &std::pair<size_t, size_t>::first);
  if (found == begins_.end() || found->first != byte) return std::nullopt;
  return found->second;
}

}  // namespace zermelo::data
