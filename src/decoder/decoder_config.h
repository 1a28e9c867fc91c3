// The shape of a language model, as in Hugging Face's config.json.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/error.h"

namespace zermelo::decoder {

struct DecoderConfig {
  size_t layers = 0;
  size_t hidden = 0;        // values of a state between two layers
  size_t intermediate = 0;  // values inside of a feed-forward layer
  size_t heads = 0;         // of queries
  size_t kv_heads = 0;      // of keys and values; divides `heads`
  size_t head_size = 0;     // even
  size_t vocabulary = 0;
  size_t context = 0;  // maximum number of tokens in a sequence
  double norm_epsilon = 1e-6;
  double rope_theta = 10000;
  bool qkv_bias = false;      // Qwen2; Llama with attention_bias
  bool output_bias = false;   // Llama with attention_bias
  bool qk_norm = false;       // Qwen3: queries and keys are normalised in each head
  bool tied = false;          // the output layer is the embedding
  std::vector<int32_t> ends;  // tokens that end a text; may be empty
};

/// Reads the configuration of a Llama, Qwen2 or Qwen3 model. kInput with the reason: another kind
/// of model, or a feature that the decoder does not have (scaled positions, sliding windows,
/// experts).
core::Result<DecoderConfig> ReadDecoderConfig(const std::filesystem::path& path);
core::Result<DecoderConfig> ParseDecoderConfig(const nlohmann::json& json);

}  // namespace zermelo::decoder
