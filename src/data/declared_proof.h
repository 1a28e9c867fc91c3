// A theorem of a file together with its proof by tactics.
//
// Pure functions; any bytes are accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "syntax/file.h"
#include "syntax/theorem.h"

namespace zermelo::data {

struct DeclaredProof {
  syntax::Theorem theorem;
  std::string tactics;      // a block at column 0 (syntax/proof/proof_text.h)
  syntax::TextRange range;  // of the tactics in the file
};

/// nullopt for what is not a theorem, lemma, example or instance of the form `… := by tactics`;
/// also if `where` or `termination_by` belongs to the proof.
std::optional<DeclaredProof> ProofOf(const syntax::File& file,
                                     const syntax::Declaration& declaration);

/// Maps a place in a part of a file to the same token of the block made from it (AsBlock).
class BlockOffsets {
 public:
  BlockOffsets(const syntax::File& file, const DeclaredProof& proof);
  /// The offset in the block of the token that begins at a byte of the file; nullopt if none does.
  std::optional<size_t> Find(size_t byte) const;

 private:
  std::vector<std::pair<size_t, size_t>> begins_;  // in the file and in the block, ascending
};

}  // namespace zermelo::data
