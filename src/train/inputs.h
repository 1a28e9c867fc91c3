// The inputs of a training run.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "decoder/tokenizer/tokenizer.h"
#include "train/model/transformer.h"
#include "train/settings.h"

namespace zermelo::train {

/// Adds the SHA-256 of each named file to a run's settings, so that the run is not continued with
/// other files. kInput.
core::Status AddInputs(const std::vector<std::pair<std::string, std::filesystem::path>>& files,
                       nlohmann::json& settings);

struct ModelAndTokenizer {
  Transformer model;
  decoder::Tokenizer tokenizer;
};
/// kInput, also if the tokenizer has more tokens than the model.
core::Result<ModelAndTokenizer> LoadModel(const std::filesystem::path& folder,
                                          const RunSettings& settings);

}  // namespace zermelo::train
