// Models by what they are asked to do.
#pragma once

#include <array>
#include <string_view>

#include "llm/model.h"
#include "policy/completion.h"

namespace zermelo::strategy {

/// The roles that `[roles]` of zermelo.toml may name.
namespace role {
inline constexpr std::string_view kProver = "prover";        // whole proofs of formal statements
inline constexpr std::string_view kReasoner = "reasoner";    // sketches, informal proofs, repairs
inline constexpr std::string_view kJudge = "judge";          // whether a statement is true
inline constexpr std::string_view kRetriever = "retriever";  // search queries, selection
inline constexpr std::string_view kSketcher = "sketcher";    // from a proof in words to a sketch
inline constexpr std::string_view kInformal = "informal";    // proofs in words
inline constexpr std::string_view kAgent = "agent";          // calls tools
inline constexpr std::string_view kTactics = "tactics";      // one tactic at a time
inline constexpr std::array kAll{kProver,   kReasoner, kJudge, kRetriever,
                                 kSketcher, kInformal, kAgent, kTactics};
}  // namespace role

/// Whoever is asked in a role is counted under it (engine::Models tells the figures). One thread;
/// must outlive the calls.
class Roles {
 public:
  virtual ~Roles() = default;
  /// A model that chats. What a request's sampling leaves as it is in `llm::Sampling()` is as the
  /// model is configured. Null: nobody is configured for it.
  virtual llm::Model* chat(std::string_view role) = 0;
  /// Models that write whole proofs, each in its own format; likewise.
  virtual policy::CompletionPolicy* prover(std::string_view role) = 0;
};

}  // namespace zermelo::strategy
