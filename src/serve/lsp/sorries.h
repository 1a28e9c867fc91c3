// The `sorry`s of a text that is being edited, and edits that put proofs in their place.
//
// A search takes minutes, and the text changes meanwhile. A `sorry` is found again by its
// declaration: same name, same text. A proof is never put anywhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/declarations.h"

namespace zermelo::serve::lsp {

/// Identifies a `sorry` in a text and in later versions of it.
struct Sorry {
  std::string declaration;  // SHA-256 of its text
  std::string full_name;    // of the declaration; empty for an example
  size_t nth = 0;           // among the declaration's `sorry`s
  size_t twin = 0;          // among the declarations with this name and text
  size_t twins = 1;         // their number
  bool operator==(const Sorry&) const = default;
};

/// A `sorry` that can be proved, in one version of a text.
struct SorryPlace {
  syntax::Declaration declaration;  // without its holes
  syntax::DeclarationHole hole;
  std::string name;  // engine::HoleName
  Sorry id;
};

/// In order; linear in the text.
std::vector<SorryPlace> FindSorries(const std::string& text);
/// The place of a `sorry` of an earlier version. Null: its declaration has been changed or deleted,
/// or there are now more or fewer declarations like it.
const SorryPlace* FindAgain(const std::vector<SorryPlace>& places, const Sorry& sorry);

/// What a client names a `sorry` by.
struct Selection {
  size_t offset = 0;                // a byte of the text
  std::optional<std::string> name;  // SorryPlace::name
};
/// The selected `sorry`: the one at the offset; else by name; else the only one on the line; else
/// the only one of the declaration around the offset. Null if there is none.
const SorryPlace* Select(const std::vector<SorryPlace>& places, std::string_view text,
                         const Selection& selection);

/// Replaces bytes [begin, end).
struct Edit {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
  bool operator==(const Edit&) const = default;
};

struct FoundProof {
  Sorry sorry;
  std::string name;  // of the sorry
  std::string tactics;
  std::string auxiliary;  // commands before the declaration; often empty
};

/// Edits of a text that insert proofs.
struct Placement {
  std::vector<Edit> edits;  // in order, disjoint
  std::vector<FoundProof> placed;
  std::vector<FoundProof> homeless;  // their `sorry` has been deleted or changed
};
Placement PlaceProofs(const std::string& text, const std::vector<FoundProof>& proofs);

/// `edits` must be in order and disjoint.
std::string WithEdits(std::string text, const std::vector<Edit>& edits);
/// A `sorry` before and after an edit elsewhere.
struct Move {
  Sorry from;
  Sorry to;
  bool operator==(const Move&) const = default;
};
/// The `sorry`s of `before` that `edits` leave alone. `edits` as for WithEdits.
std::vector<Move> MovesOf(const std::string& before, const std::vector<Edit>& edits);

}  // namespace zermelo::serve::lsp
