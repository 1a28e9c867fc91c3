// Tensors in files of the safetensors format.
#pragma once

#include <ATen/core/Tensor.h>
#include <filesystem>
#include <map>
#include <string>

#include "core/error.h"
#include "decoder/safetensors.h"

namespace zermelo::train {

using NamedTensors = std::map<std::string, at::Tensor, std::less<>>;  // F32

/// What was read from a file.
NamedTensors FromFile(const decoder::Tensors& tensors);

/// Writes contiguous tensors and flushes them to disk. kEnvironment.
core::Status SaveTensors(const std::filesystem::path& path, const NamedTensors& tensors);
/// kInput with the reason.
core::Result<NamedTensors> LoadTensors(const std::filesystem::path& path);

}  // namespace zermelo::train
