// Completion policies: they write the rest of a proof, where a step policy proposes one tactic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/error.h"
#include "llm/budget.h"
#include "llm/format.h"
#include "llm/model.h"
#include "policy/reply_proof.h"

namespace zermelo::policy {

/// One generation of a model.
struct Sample {
  tl::expected<ReplyProof, RefusedReply> proof;
  std::string reply;  // all that was said but the reasoning; what a correction turn repeats
  llm::FinishReason finish = llm::FinishReason::kStop;
  std::optional<double> logprob;  // of the whole, natural; if the server tells
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
  /// About `n` samples; on_completion of `call` is called as for a model. Errors as
  /// llm::Model::Generate; kUsage when the format has no place for what `input` holds.
  virtual core::Task<core::Result<Samples>> Complete(llm::PromptInput input, size_t n,
                                                     llm::CallContext call) = 0;
  /// Whom the n-th of several independent searches asks, so that each keeps to one prompt: of an
  /// ensemble one of its members, by weight. Lives as long as this policy.
  virtual CompletionPolicy& ForTree(size_t /*tree*/) { return *this; }
  /// Whether prompts can hold the beginning of a proof, which is then gone on with.
  virtual bool ContinuesProofs() const { return true; }
  /// A sample with this origin became a proof that Lean accepted.
  virtual void Succeeded(const std::string& /*origin*/) {}
};

}  // namespace zermelo::policy
