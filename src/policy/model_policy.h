// Policies that ask one language model in one prompt format.
#pragma once

#include <memory>
#include <string>

#include "llm/budget.h"
#include "llm/format.h"
#include "llm/model.h"
#include "policy/completion.h"
#include "policy/policy.h"

namespace zermelo::policy {

struct ModelSetup {
  llm::Model* model = nullptr;  // must outlive the policy
  llm::Format format;           // with the sampling that is wanted, but for n
  llm::Price price;
  std::string origin;  // of its candidates: the model, and the format if it has several
};

/// Whole proofs, or the rest of one.
std::unique_ptr<CompletionPolicy> MakeModelCompletionPolicy(ModelSetup setup);

/// Tactics. A model of whole proofs is asked for the rest of the proof, and the first tactic of it
/// is taken (Bourbaki, section 3.1, samples tactics from such models). Equal tactics are one. Its
/// cost is the mean negative log-probability of its tokens (InternLM2.5-StepProver, BFS-Prover); of
/// a server that does not tell, and of a tactic that is only the beginning of a reply, the negative
/// logarithm of its share of the samples.
std::unique_ptr<Policy> MakeModelStepPolicy(ModelSetup setup);

}  // namespace zermelo::policy
