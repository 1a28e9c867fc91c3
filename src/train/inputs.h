// The inputs of a training run.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "decoder/tokenizer/tokenizer.h"
#include "train/model/transformer.h"
#include "train/settings.h"

namespace zermelo::train {

/// Adds the SHA-256 of the files of the initial model and of the data to a run's settings, so that
/// the run is not continued with others. kInput.
core::Status AddInputs(const std::filesystem::path& model, const std::filesystem::path& data,
                       nlohmann::json& settings);

struct ModelAndTokenizer {
  Transformer model;
  decoder::Tokenizer tokenizer;
};
/// kInput, also if the tokenizer has more tokens than the model.
core::Result<ModelAndTokenizer> LoadModel(const std::filesystem::path& folder,
                                          const RunSettings& settings);

}  // namespace zermelo::train
