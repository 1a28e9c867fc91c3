// A model's folder: config.json, model.safetensors and tokenizer.json.
#pragma once

#include <filesystem>

#include "core/error.h"
#include "decoder/decoder.h"
#include "decoder/tokenizer/tokenizer.h"

namespace zermelo::decoder {

struct DecoderAndTokenizer {
  Decoder decoder;
  Tokenizer tokenizer;
};

/// kInput with the reason, also if the tokenizer has more tokens than the model.
core::Result<DecoderAndTokenizer> LoadModelFolder(const std::filesystem::path& folder);

}  // namespace zermelo::decoder
