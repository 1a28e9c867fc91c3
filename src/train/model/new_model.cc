#include "train/model/new_model.h"

#include <nlohmann/json.hpp>

namespace zermelo::train {

nlohmann::json ConfigOf(const ModelShape& shape) {
  constexpr size_t kMultiple = 32;
  const size_t usual = (shape.hidden * 8 / 3 + kMultiple - 1) / kMultiple * kMultiple;
  const std::string architecture = shape.kind == "llama"   ? "LlamaForCausalLM"
                                   : shape.kind == "qwen2" ? "Qwen2ForCausalLM"
                                                           : "Qwen3ForCausalLM";
  nlohmann::json config{{"model_type", shape.kind},
                        {"architectures", {architecture}},
                        {"hidden_act", "silu"},
                        {"num_hidden_layers", shape.layers},
                        {"hidden_size", shape.hidden},
                        {"intermediate_size", shape.intermediate == 0 ? usual : shape.intermediate},
                        {"num_attention_heads", shape.heads},
                        {"num_key_value_heads", shape.kv_heads},
                        {"head_dim", shape.hidden / std::max<size_t>(1, shape.heads)},
                        {"max_position_embeddings", shape.context},
                        {"vocab_size", shape.vocabulary},
                        {"rms_norm_eps", 1e-6},
                        {"rope_theta", 10000.0},
                        {"tie_word_embeddings", true},
                        {"torch_dtype", "float32"},
                        {"bos_token_id", nullptr},
                        {"eos_token_id", 0}};
  if (shape.kind != "qwen2") config["attention_bias"] = false;
  return config;
}

}  // namespace zermelo::train
