// Weights in a file of the safetensors format: the length of a JSON header in 8 bytes, the header,
// and the tensors' bytes. Source: https://github.com/huggingface/safetensors, "Format".
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"

namespace zermelo::decoder {

/// A tensor in row-major order, converted to 32-bit floats.
struct Tensor {
  std::vector<size_t> shape;
  std::vector<float> values;
};

using Tensors = std::map<std::string, Tensor, std::less<>>;

/// Reads all tensors of a file. They may be F32, BF16 or F16. kInput with the reason: missing,
/// truncated, with bytes that belong to no tensor or to two, or of another type.
core::Result<Tensors> ReadSafetensors(const std::filesystem::path& path);

/// The same for the bytes of a file; `name` is for messages.
core::Result<Tensors> ParseSafetensors(std::string_view bytes, const std::string& name);

/// What is written of a tensor.
struct TensorView {
  std::vector<size_t> shape;
  std::span<const float> values;  // row-major
};

/// Writes tensors as F32 and flushes them to disk. kEnvironment if that fails (a full disk, say);
/// the file is then incomplete.
core::Status WriteSafetensors(const std::filesystem::path& path,
                              const std::map<std::string, TensorView, std::less<>>& tensors);

}  // namespace zermelo::decoder
