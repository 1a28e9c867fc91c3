// From a model's reply to a proof of the theorem that it was asked about, or to the reason why
// there is none in it. Nothing is believed here: the proof still goes through Lean and trust.
//
// Pure functions; any bytes are accepted; linear in their input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lean/declarations.h"
#include "lean/proof_site.h"
#include "llm/format.h"

namespace zermelo::policy {

/// What prompts say about a theorem of a file whose value is to be proved. The theorem must come
/// from FindDeclarations(text).
llm::PromptInput DescribeTheorem(std::string_view text, const lean::Declaration& theorem);

struct ReplyProof {
  std::string tactics;    // the whole proof, the prefix of the prompt included; at column 0
  std::string auxiliary;  // commands to put before the theorem, each line ended, or empty
  /// The same under the reply's own `open`s and options, if the file does not have them.
  std::optional<lean::Proof> in_context;
  bool has_sorry = false;
  bool was_cut = false;  // it ended in the middle of a tactic, which has been left out

  /// What is worth checking, in this order. The plain one comes first: replies often open what the
  /// file's Lean does not have and the proof does not need.
  std::vector<lean::Proof> Variants() const;
  bool operator==(const ReplyProof&) const = default;
};

enum class Refusal {
  kNoCode,            // llm::NoCode says why
  kNoTheorem,         // declarations, but not the theorem
  kStatementChanged,  // the theorem, but it says something else
  kNoTacticProof,     // proved by equations or `where`, or not at all
  kForbidden,         // an axiom, a macro, … beside the theorem
  kNotSelfContained,  // would leave or close a bracket, comment or string of the file
};
const char* Name(Refusal refusal);

struct RefusedReply {
  Refusal refusal = Refusal::kNoCode;
  std::string message;  // "the statement was changed: `3` instead of `2`"
};

/// Reads a reply to `format.Build(input)`. The code may repeat the theorem, under its own or
/// another name but with its statement token by token, or give only its proof. Declarations before
/// the theorem get names that are free in the file; what comes after it is left out, and so are
/// imports and what the file has already.
tl::expected<ReplyProof, RefusedReply> ReadProof(const llm::Format& format,
                                                 const llm::PromptInput& input,
                                                 std::string_view reply);

/// Reads a reply of a format that answers with one tactic.
tl::expected<std::string, RefusedReply> ReadTactic(const llm::Format& format,
                                                   std::string_view reply);

}  // namespace zermelo::policy
