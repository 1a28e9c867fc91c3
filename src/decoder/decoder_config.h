// The shape of a language model, as in Hugging Face's config.json.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "core/error.h"

namespace zermelo::decoder {

/// Llama 3.1's slower rotations of what turns slowly, for texts longer than those it first learnt.
struct RopeScaling {
  double factor = 1;
  double low_frequency_factor = 1, high_frequency_factor = 4;
  double original_context = 8192;
};

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
  std::optional<RopeScaling> rope_scaling;
  bool qkv_bias = false;      // Qwen2; Llama with attention_bias
  bool output_bias = false;   // Llama with attention_bias
  bool qk_norm = false;       // Qwen3: queries and keys are normalised in each head
  bool tied = false;          // the output layer is the embedding
  std::vector<int32_t> ends;  // tokens that end a text; may be empty
};

/// By how much each pair of values in a head turns from one position to the next (RoPE):
/// [head_size / 2], in radians.
std::vector<double> RotationSpeeds(const DecoderConfig& config);

/// Reads the configuration of a Llama, Qwen2 or Qwen3 model. kInput with the reason: another kind
/// of model, or a feature that the decoder does not have (positions scaled otherwise
/// than in Llama 3, sliding windows, experts).
core::Result<DecoderConfig> ReadDecoderConfig(const std::filesystem::path& path);
core::Result<DecoderConfig> ParseDecoderConfig(const nlohmann::json& json);

}  // namespace zermelo::decoder
