// A small language model on the CPU: a decoder of the Llama, Qwen2 and Qwen3 kinds, with a cache of
// keys and values for each sequence. All arithmetic is in 32-bit floats; weights that are bfloat16
// stay so in memory.
//
// Sources: Llama (arXiv 2302.13971), RoPE (arXiv 2104.09864, in the half-split form of Hugging
// Face), GQA (arXiv 2305.13245), SwiGLU (arXiv 2002.05202), RMSNorm (arXiv 1910.07467); Qwen2 adds
// biases to queries, keys and values, Qwen3 normalises queries and keys in each head.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "core/error.h"
#include "decoder/decoder_config.h"
#include "decoder/matrix.h"
#include "decoder/safetensors.h"

namespace zermelo::decoder {

/// The state that a model keeps for the tokens of one sequence. A copy continues independently.
class Sequence {
 public:
  size_t length() const { return length_; }

 private:
  friend class Decoder;
  struct Layer {
    std::vector<float> keys, values;  // [length][kv_heads * head_size]
  };
  std::vector<Layer> layers_;
  size_t length_ = 0;  // tokens
};

class Decoder {
 public:
  /// Reads config.json and model.safetensors in `folder`. kInput with the reason: as
  /// ReadDecoderConfig and ReadSafetensors; a tensor that is missing, unknown or of another shape.
  static core::Result<Decoder> Load(const std::filesystem::path& folder);
  static core::Result<Decoder> Create(DecoderConfig config, Tensors tensors);

  const DecoderConfig& config() const { return config_; }
  size_t matrix_bytes() const;  // of memory, nearly all that the model takes

  /// Tokens to append to a sequence: at least one, in [0, vocabulary), no more than fit into the
  /// context.
  struct Step {
    Sequence* sequence = nullptr;
    std::vector<int32_t> tokens;
  };
  enum class Logits { kLast, kAll };
  /// Appends to different sequences at once. Returns logits [rows][vocabulary]: with kLast, a row
  /// for each step, after its last token; with kAll, for each token of each step in order. Safe
  /// from several threads, for different sequences.
  std::vector<float> Append(std::span<const Step> steps, Logits logits = Logits::kLast) const;

 private:
  struct Layer {
    std::vector<float> attention_norm, mlp_norm;          // [hidden]
    Matrix query, key, value;                             // [heads * head_size][hidden]
    std::vector<float> query_bias, key_bias, value_bias;  // empty: none
    std::vector<float> query_norm, key_norm;              // [head_size]; empty: none
    Matrix output;                                        // [hidden][heads * head_size]
    std::vector<float> output_bias;                       // empty: none
    Matrix gate, up;                                      // [intermediate][hidden]
    Matrix down;                                          // [hidden][intermediate]
  };
  class Pass;

  DecoderConfig config_;
  Matrix embedding_;         // [vocabulary][hidden]
  std::vector<float> norm_;  // [hidden], before the output layer
  Matrix head_;              // [vocabulary][hidden]; empty: the embedding
  std::vector<Layer> layers_;
};

}  // namespace zermelo::decoder
