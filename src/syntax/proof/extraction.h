// Extracts the proof of a theorem from foreign code: that of a model, or of a search that proved it
// as part of a longer text. Nothing is verified here.
//
// Pure functions; any bytes are accepted; linear in their input.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "syntax/proof/auxiliary.h"
#include "syntax/proof/proof_site.h"
#include "syntax/theorem.h"

namespace zermelo::syntax {

struct ExtractedProof {
  std::string tactics;    // the whole proof, the prefix included; at column 0
  std::string auxiliary;  // commands to put before the theorem, each line ended, or empty
  /// The same under the reply's own `open`s and options, if the file lacks them.
  std::optional<Proof> in_context;
  bool has_sorry = false;
  bool was_cut = false;  // the reply ended in the middle of a tactic, which was dropped

  /// The variants to check, in this order. The plain one comes first: replies often open namespaces
  /// that the file's Lean does not have and the proof does not need.
  std::vector<Proof> Variants() const;
  bool operator==(const ExtractedProof&) const = default;
};

enum class Refusal {
  kNoCode,            // there is nothing to read
  kNoTheorem,         // declarations, but not the theorem
  kStatementChanged,  // the theorem, but with another statement
  kNoTacticProof,     // proved by equations or `where`, or not at all
  kForbidden,         // an axiom, a macro, … besides the theorem
  kNotSelfContained,  // would leave a bracket, comment or string open, or close one of the file
};
const char* Name(Refusal refusal);

struct NoProof {
  Refusal refusal = Refusal::kNoCode;
  std::string message;  // "the statement was changed: `3` instead of `2`"
};

/// The code may repeat the theorem, under any name but with its statement token by token, or
/// contain only its proof or what follows `prefix` (indented by two, each line ended, or empty).
/// Declarations before the theorem are renamed to names that are free in the file, or dropped
/// unless `keeps_auxiliary`. Everything after the theorem is dropped, as are imports and
/// declarations that the file already has.
tl::expected<ExtractedProof, NoProof> ExtractProof(const Theorem& theorem, std::string_view code,
                                                   std::string_view prefix = {},
                                                   bool keeps_auxiliary = true);

/// A proof from its parts: the theorem's value (` := by …`) behind its own head, and declarations
/// that must precede it. Lean accepts them together; they are renamed to names that are free in the
/// theorem's file.
tl::expected<Proof, NoProof> ProofFromParts(const Theorem& theorem,
                                            std::span<const AuxiliaryDeclaration> declarations,
                                            std::string_view value);

/// The tactics in code[begin, end) as a block at column 0. Lines to the left of the first tactic
/// (they continue one that follows `by` on its line) are indented by two; lines that begin inside a
/// string stay as they are.
std::string AsBlock(std::string_view code, size_t begin, size_t end);

}  // namespace zermelo::syntax
