// Policies that call one language model with one prompt format.
#pragma once

#include <memory>
#include <string>

#include "llm/budget.h"
#include "llm/model.h"
#include "llm/prompt/format.h"
#include "policy/completion.h"
#include "policy/policy.h"

namespace zermelo::policy {

struct ModelSetup {
  llm::Model* model = nullptr;  // must outlive the policy
  llm::Format format;           // with the sampling settings, except n
  llm::Price price;
  std::string origin;  // of its candidates: the model, and the format if the model has several
  uint64_t seed = 0;   // of the examples in prompts that have some; each call draws its own
};

/// Proposes whole proofs, or the rest of one.
std::unique_ptr<CompletionPolicy> MakeModelCompletionPolicy(ModelSetup setup);

/// Proposes tactics. A model of whole proofs writes the rest of the proof, of which the first
/// tactic is taken (Bourbaki, section 3.1, samples tactics from such models). Equal tactics are
/// merged. The cost of a tactic is the mean negative log-probability of its tokens
/// (InternLM2.5-StepProver, BFS-Prover); if the server does not report it, or the tactic is only
/// the beginning of a reply, the cost is the negative logarithm of the share of the samples.
std::unique_ptr<Policy> MakeModelStepPolicy(ModelSetup setup);

}  // namespace zermelo::policy
