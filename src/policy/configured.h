// The policies that zermelo.toml describes: its models, each in its formats, with their shares.
#pragma once

#include <memory>
#include <vector>

#include "core/config.h"
#include "core/error.h"
#include "llm/format.h"
#include "llm/model.h"
#include "policy/ensemble_policy.h"

namespace zermelo::policy {

/// A model and what was configured about it. The model must outlive the policies.
struct ConfiguredModel {
  core::ModelConfig config;
  llm::Model* model = nullptr;
};

/// A member for every format of every model, named after the model, or "MODEL/FORMAT" when it has
/// several; its weight is the model's, divided by the shares of its formats. What `sampling` does
/// not say is as the format says. kUsage when there is no such format, or when a model of tactics
/// is to write proofs.
core::Result<std::unique_ptr<CompletionEnsemble>> MakeCompletionEnsemble(
    const std::vector<ConfiguredModel>& models, const llm::Formats& formats);

/// The same for tactics, with the built-in policy, if wanted, as the free first member.
/// `samples_per_state` is shared by the models: 10 in Bourbaki (section 4), 32 in
/// InternLM2.5-StepProver. Models whose prompts cannot hold the beginning of a proof are left out.
core::Result<std::unique_ptr<EnsemblePolicy>> MakeStepEnsemble(
    const std::vector<ConfiguredModel>& models, const llm::Formats& formats,
    size_t samples_per_state, bool builtin = true);

}  // namespace zermelo::policy
