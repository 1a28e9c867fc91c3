// Models in one file for llama.cpp. Source:
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3; names and metadata as
// llama.cpp's convert_hf_to_gguf.py writes them.
#pragma once

#include <filesystem>

#include "core/error.h"

namespace zermelo::train {

enum class GgufType { kF32, kF16 };  // of matrices; vectors are always F32

/// Writes a model's folder (config.json, model.safetensors, tokenizer.json) as a GGUF file, all of
/// it or none. kInput: as decoder::Decoder::Load; a tokenizer whose division of texts llama.cpp
/// does not know, or a model without an end of text. kEnvironment: the file cannot be written.
core::Status WriteGguf(const std::filesystem::path& model, const std::filesystem::path& file,
                       GgufType type);

}  // namespace zermelo::train
