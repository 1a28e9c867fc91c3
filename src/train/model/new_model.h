// A model with random weights, to be trained from nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zermelo::train {

struct ModelShape {
  std::string kind = "qwen3";  // or llama, qwen2
  size_t layers = 4;
  size_t hidden = 256;
  size_t intermediate = 0;  // 0: 8/3 of `hidden`, rounded up to a multiple of 32
  size_t heads = 4;
  size_t kv_heads = 2;
  size_t context = 2048;     // tokens
  size_t vocabulary = 2048;  // tokens
};

/// Its config.json, in the format of Hugging Face's transformers. The output layer is the
/// embedding; token 0 ends a text.
nlohmann::json ConfigOf(const ModelShape& shape);

}  // namespace zermelo::train
