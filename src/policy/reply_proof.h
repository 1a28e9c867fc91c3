// Extracts the proof of a theorem from a model's reply, or the reason why it contains none. Nothing
// is verified here: the proof still goes through Lean and trust.
//
// Pure functions; any bytes are accepted; linear in their input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "llm/format.h"
#include "syntax/declarations.h"
#include "syntax/proof_site.h"

namespace zermelo::policy {

/// The input of prompts for a theorem of a file that is to be proved. The theorem must come from
/// FindDeclarations(text).
llm::PromptInput DescribeTheorem(std::string_view text, const syntax::Declaration& theorem);

struct ReplyProof {
  std::string tactics;    // the whole proof, including the prefix of the prompt; at column 0
  std::string auxiliary;  // commands to put before the theorem, each line ended, or empty
  /// The same under the reply's own `open`s and options, if the file lacks them.
  std::optional<syntax::Proof> in_context;
  bool has_sorry = false;
  bool was_cut = false;  // the reply ended in the middle of a tactic, which was dropped

  /// The variants to check, in this order. The plain one comes first: replies often open namespaces
  /// that the file's Lean does not have and the proof does not need.
  std::vector<syntax::Proof> Variants() const;
  bool operator==(const ReplyProof&) const = default;
};

enum class Refusal {
  kNoCode,            // llm::NoCode says why
  kNoTheorem,         // declarations, but not the theorem
  kStatementChanged,  // the theorem, but with another statement
  kNoTacticProof,     // proved by equations or `where`, or not at all
  kForbidden,         // an axiom, a macro, … besides the theorem
  kNotSelfContained,  // would leave a bracket, comment or string open, or close one of the file
};
const char* Name(Refusal refusal);

struct RefusedReply {
  Refusal refusal = Refusal::kNoCode;
  std::string message;  // "the statement was changed: `3` instead of `2`"
};

/// Reads a reply to `format.Build(input)`. The code may repeat the theorem, under any name but with
/// its statement token by token, or contain only its proof. Declarations before the theorem are
/// renamed to names that are free in the file. Everything after the theorem is dropped, as are
/// imports and declarations that the file already has.
tl::expected<ReplyProof, RefusedReply> ReadProof(const llm::Format& format,
                                                 const llm::PromptInput& input,
                                                 std::string_view reply);

/// Reads a reply of a format that answers with one tactic.
tl::expected<std::string, RefusedReply> ReadTactic(const llm::Format& format,
                                                   std::string_view reply);

}  // namespace zermelo::policy
