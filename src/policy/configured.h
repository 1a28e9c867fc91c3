// The policies of zermelo.toml: its models, each with its formats and their shares.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/error.h"
#include "llm/model.h"
#include "llm/prompt/format.h"
#include "policy/ensemble_policy.h"

namespace zermelo::policy {

/// A model and its configuration. The model must outlive the policies.
struct ConfiguredModel {
  core::ModelConfig config;
  llm::Model* model = nullptr;
};

/// An ensemble with a member for every format of every model. A member is named after the model, or
/// "MODEL/FORMAT" if the model has several formats, which divide its weight by their shares.
/// Settings that are missing in `sampling` are those of the format. kUsage: a format does not
/// exist, or is one of single tactics. `seed` draws the examples of prompts that have some.
core::Result<std::unique_ptr<CompletionEnsemble>> MakeCompletionEnsemble(
    const std::vector<ConfiguredModel>& models, const llm::Formats& formats, uint64_t seed = 0);

/// The same for tactics. `builtin`: with the built-in policy as the first member, free of charge.
/// `samples_per_state` is shared by the models: 10 in Bourbaki (section 4), 32 in
/// InternLM2.5-StepProver. Models whose prompts cannot contain a partial proof are left out.
/// `without`: as for MakeBuiltinPolicy.
core::Result<std::unique_ptr<EnsemblePolicy>> MakeStepEnsemble(
    const std::vector<ConfiguredModel>& models, const llm::Formats& formats,
    size_t samples_per_state, bool builtin = true, uint64_t seed = 0,
    std::string_view without = {});

}  // namespace zermelo::policy
