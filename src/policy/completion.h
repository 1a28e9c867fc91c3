// Completion policies write the rest of a proof, whereas a step policy proposes one tactic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "llm/budget.h"
#include "llm/model.h"
#include "llm/prompt/format.h"
#include "policy/reply_proof.h"

namespace zermelo::policy {

/// What a model continues.
struct CompletionInput {
  syntax::Theorem theorem;
  std::string prefix;  // tactics so far, indented by two, each line ended, or empty
  std::string state;   // after the prefix, as Lean prints it; empty: unknown
  std::vector<llm::FailedAttempt> failed;  // proofs that Lean did not accept, in order
};

/// Its values for the placeholders of a prompt.
llm::PromptInput PromptOf(const CompletionInput& input);

/// The tactics in the form of CompletionInput::prefix.
std::string PrefixOf(std::string_view tactics);

/// One generation of a model.
struct Sample {
  tl::expected<syntax::ExtractedProof, syntax::NoProof> proof;
  std::string reply;  // the reply without its reasoning; a correction turn repeats it
  llm::FinishReason finish = llm::FinishReason::kStop;
  std::optional<double> logprob;  // natural, of the whole completion; if the server reports it
  std::string origin;
};

struct Samples {
  std::vector<Sample> samples;
  llm::Spending spending;
};

/// Calls on one object may overlap; it must outlive them.
class CompletionPolicy {
 public:
  virtual ~CompletionPolicy() = default;
  /// Requests about `n` samples; on_completion of `call` is called as in llm::Model::Generate. Same
  /// errors as llm::Model::Generate; kUsage if the format has no place for a part of `input`.
  virtual core::Task<core::Result<Samples>> Complete(CompletionInput input, size_t n,
                                                     llm::CallContext call) = 0;
  /// The policy for one of several independent searches (trees, or attempts of an evaluation), so
  /// that each keeps to one prompt: for an ensemble, one of its members, chosen by weight. Lives as
  /// long as this policy.
  virtual CompletionPolicy& ForTree(size_t /*tree*/) { return *this; }
  /// Whether prompts can contain a partial proof for the model to continue.
  virtual bool ContinuesProofs() const { return true; }
  /// Reports that a sample with this origin became a proof that Lean accepted.
  virtual void Succeeded(const std::string& /*origin*/) {}
};

}  // namespace zermelo::policy
