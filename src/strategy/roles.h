// Models by role.
#pragma once

#include <string_view>

#include "llm/model.h"
#include "policy/completion.h"

namespace zermelo::strategy {

/// Roles that several strategies have; a strategy may have others (Needs).
namespace role {
inline constexpr std::string_view kProver = "prover";        // whole proofs of formal statements
inline constexpr std::string_view kReasoner = "reasoner";    // sketches, informal proofs, repairs
inline constexpr std::string_view kJudge = "judge";          // whether a statement is true
inline constexpr std::string_view kRetriever = "retriever";  // search queries, selection
inline constexpr std::string_view kSketcher = "sketcher";  // turns an informal proof into a sketch
inline constexpr std::string_view kInformal = "informal";  // informal proofs
inline constexpr std::string_view kAgent = "agent";        // calls tools
inline constexpr std::string_view kTactics = "tactics";    // one tactic at a time
/// No model's: proposals of the built-in policy and automation tactics.
inline constexpr std::string_view kBuiltin = "builtin";
}  // namespace role

/// Calls are counted by role (engine::Models reports the figures). One thread; must outlive the
/// calls.
class Roles {
 public:
  virtual ~Roles() = default;
  /// A chat model. Sampling options that a request leaves unset are taken from the model's
  /// configuration, max_tokens also if that is less. Null: no model is configured for the role.
  virtual llm::Model* chat(std::string_view role) = 0;
  /// Models that write whole proofs, each in its own format. Null: none is configured.
  virtual policy::CompletionPolicy* prover(std::string_view role) = 0;
};

}  // namespace zermelo::strategy
