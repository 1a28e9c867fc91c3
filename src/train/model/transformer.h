// The models of src/decoder in trainable form: weights that have gradients, and a forward pass over
// packed rows. Logits equal the decoder's within 1e-4.
#pragma once

#include <ATen/core/Tensor.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "decoder/decoder_config.h"
#include "decoder/safetensors.h"
#include "train/model/tensors.h"
#include "train/rows.h"

namespace zermelo::train {

enum class Precision { kFloat32, kBfloat16 };  // of matrix products; the rest is always in F32

class Transformer {
 public:
  /// Reads config.json and model.safetensors. kInput as decoder::Decoder::Load.
  static core::Result<Transformer> Load(const std::filesystem::path& folder);
  /// Random weights: normal with deviation 0.02, norms 1, biases 0. `config`: of config.json.
  static core::Result<Transformer> Random(nlohmann::json config, uint64_t seed);

  const decoder::DecoderConfig& config() const { return config_; }
  const nlohmann::json& config_json() const { return config_json_; }
  NamedTensors& parameters() { return parameters_; }
  const NamedTensors& parameters() const { return parameters_; }
  size_t size() const;  // number of parameters
  void set_precision(Precision precision) { precision_ = precision; }
  /// Keeps only the states between layers for the gradients and computes the rest again for them
  /// (activation checkpointing, arXiv 1604.06174): the same gradients with less memory. The model
  /// must then outlive the gradients.
  void set_recompute(bool recompute) { recompute_ = recompute; }

  /// States after the last norm: [packs * length][hidden].
  at::Tensor States(const PackedRows& rows) const;
  /// Logits of states [n][hidden]: [n][vocabulary], F32.
  at::Tensor Logits(const at::Tensor& states) const;
  /// The logarithms of the probabilities of the rows' targets: [targets].
  at::Tensor TargetLogprobs(const PackedRows& rows) const;

  /// A copy that is not trained.
  Transformer Frozen() const;
  /// The weights, for the decoder.
  decoder::Tensors Weights() const;
  /// Writes config.json and model.safetensors into an existing folder. kEnvironment.
  core::Status Save(const std::filesystem::path& folder) const;

 private:
  at::Tensor Weight(const std::string& name) const;  // undefined if there is none
  at::Tensor Linear(const at::Tensor& x, const std::string& name) const;
  at::Tensor Norm(const at::Tensor& x, const std::string& name) const;
  at::Tensor Attention(const at::Tensor& x, const std::string& layer, const PackedRows& rows) const;
  at::Tensor FeedForward(const at::Tensor& x, const std::string& layer) const;
  /// Layer `index` of the states x [packs][length][hidden].
  at::Tensor Layer(const at::Tensor& x, size_t index, const PackedRows& rows) const;
  struct Recomputed;

  decoder::DecoderConfig config_;
  nlohmann::json config_json_;
  NamedTensors parameters_;  // by Hugging Face's names
  Precision precision_ = Precision::kFloat32;
  bool recompute_ = false;
};

}  // namespace zermelo::train
