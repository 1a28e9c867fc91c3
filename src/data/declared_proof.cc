#include "data/declared_proof.h"

#include <algorithm>
#include <span>

#include "syntax/proof/extraction.h"
#include "syntax/proof/tactic_places.h"

namespace zermelo::data {

using syntax::Declaration;
using syntax::File;
using syntax::Token;
using syntax::TokensIn;

namespace {

bool IsProof(const Declaration& declaration) {
  return declaration.IsTheoremOrExample() || declaration.keyword == "instance";
}

bool HasOwnDeclarations(const File& file, std::span<const Token> tokens) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    const auto word = TextOf(file.text(), token);
    return word == "where" || word == "termination_by" || word == "decreasing_by";
  });
}

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
