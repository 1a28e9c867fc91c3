#include "decoder/tensor_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;

namespace {

void AddLayer(const DecoderConfig& config, size_t index, TensorShapes& shapes) {
  const size_t queries = config.heads * config.head_size;
  const size_t keys = config.kv_heads * config.head_size;
  const size_t hidden = config.hidden;
  const auto add = [&](std::string_view name, std::vector<size_t> shape, bool there = true) {
    if (there) shapes[fmt::format("model.layers.{}.{}", index, name)] = std::move(shape);
  };
  add("input_layernorm.weight", {hidden});
  add("post_attention_layernorm.weight", {hidden});
  add("self_attn.q_proj.weight", {queries, hidden});
  add("self_attn.k_proj.weight", {keys, hidden});
  add("self_attn.v_proj.weight", {keys, hidden});
  add("self_attn.q_proj.bias", {queries}, config.qkv_bias);
  add("self_attn.k_proj.bias", {keys}, config.qkv_bias);
  add("self_attn.v_proj.bias", {keys}, config.qkv_bias);
  add("self_attn.q_norm.weight", {config.head_size}, config.qk_norm);
  add("self_attn.k_norm.weight", {config.head_size}, config.qk_norm);
  add("self_attn.o_proj.weight", {hidden, queries});
  add("self_attn.o_proj.bias", {hidden}, config.output_bias);
  add("mlp.gate_proj.weight", {config.intermediate, hidden});
  add("mlp.up_proj.weight", {config.intermediate, hidden});
  add("mlp.down_proj.weight", {hidden, config.intermediate});
}

tl::unexpected<core::Error> DoesNotFit(const std::string& problem) {
  return Fail(ErrorCode::kInput, "model.safetensors does not fit config.json: " + problem);
}

}  // namespace

TensorShapes ShapesOf(const DecoderConfig& config) {
  TensorShapes shapes;
  shapes["model.embed_tokens.weight"] = {config.vocabulary, config.hidden};
  shapes["model.norm.weight"] = {config.hidden};
  if (!config.tied) shapes["lm_head.weight"] = {config.vocabulary, config.hidden};
  for (size_t i = 0; i < config.layers; ++i) AddLayer(config, i, shapes);
  return shapes;
}

core::Status CheckTensors(const DecoderConfig& config, Tensors& tensors) {
  if (config.tied) tensors.erase("lm_head.weight");
  for (size_t i = 0; i < config.layers; ++i) {
    tensors.erase(fmt::format("model.layers.{}.self_attn.rotary_emb.inv_freq", i));
  }
  const TensorShapes shapes = ShapesOf(config);
  for (const auto& [name, shape] : shapes) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) return DoesNotFit(fmt::format("the tensor {} is missing", name));
    if (found->second.shape != shape) {
      return DoesNotFit(fmt::format("the tensor {} has the shape [{}], not [{}]", name,
                                    fmt::join(found->second.shape, ", "), fmt::join(shape, ", ")));
    }
  }
  for (const auto& [name, tensor] : tensors) {
    if (!shapes.contains(name)) return DoesNotFit("unknown tensor " + name);
  }
  return {};
}

}  // namespace zermelo::decoder
