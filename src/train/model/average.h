// The mean of several models' weights.
#pragma once

#include <filesystem>
#include <vector>

#include "core/error.h"

namespace zermelo::train {

/// Writes the mean of the models, with the configuration and the tokenizer of the first, into a new
/// folder. kInput: one cannot be read, or is of another shape. kEnvironment.
core::Status AverageModels(const std::vector<std::filesystem::path>& models,
                           const std::filesystem::path& out);

}  // namespace zermelo::train
