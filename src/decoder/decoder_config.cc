#include "decoder/decoder_config.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/files/file.h"
#include "core/json.h"

namespace zermelo::decoder {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr size_t kMost = 1U << 24U;  // of any size: far above what fits into memory

/// The value of a key; `otherwise` if it is missing or null. Throws for another type.
template <class T>
T ValueOr(const json& object, const char* key, T otherwise) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? otherwise : found->get<T>();
}

/// "default", "llama3", …; older files have it as `type`.
std::string RopeTypeOf(const json& rope) {
  return ValueOr<std::string>(rope, "rope_type", ValueOr<std::string>(rope, "type", "default"));
}

/// What the model needs that is not implemented; empty if there is nothing.
std::string Unsupported(const json& config, const std::string& kind) {
  if (kind != "llama" && kind != "qwen2" && kind != "qwen3") {
    return fmt::format("the model_type is {}; llama, qwen2 and qwen3 can be run", kind);
  }
  if (ValueOr<std::string>(config, "hidden_act", "silu") != "silu") {
    return "hidden_act is not silu";
  }
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const json rope = config.value(key, json());
    if (!rope.is_object()) continue;
    const std::string type = RopeTypeOf(rope);
    if (type != "default" && type != "llama3") {
      return fmt::format("positions are scaled ({})", type);
    }
  }
  if (ValueOr(config, "use_sliding_window", false)) return "the attention has a sliding window";
  if (ValueOr(config, "mlp_bias", false)) return "the feed-forward layers have a bias";
  return "";
}

std::optional<RopeScaling> ScalingOf(const json& config) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const json rope = config.value(key, json());
    if (!rope.is_object() || RopeTypeOf(rope) != "llama3") continue;
    return RopeScaling{.factor = rope.at("factor"),
                       .low_frequency_factor = rope.at("low_freq_factor"),
                       .high_frequency_factor = rope.at("high_freq_factor"),
                       .original_context = rope.at("original_max_position_embeddings")};
  }
  return std::nullopt;
}

std::vector<int32_t> EndsOf(const json& config) {
  const json ends = config.value("eos_token_id", json());
  if (ends.is_array()) return ends.get<std::vector<int32_t>>();
  if (ends.is_null()) return {};
  return {ends.get<int32_t>()};
}

DecoderConfig Read(const json& config, const std::string& kind) {
  DecoderConfig out;
  out.layers = config.at("num_hidden_layers").get<size_t>();
  out.hidden = config.at("hidden_size").get<size_t>();
  out.intermediate = config.at("intermediate_size").get<size_t>();
  out.heads = config.at("num_attention_heads").get<size_t>();
  out.kv_heads = ValueOr(config, "num_key_value_heads", out.heads);
  out.head_size = ValueOr<size_t>(config, "head_dim", out.hidden / std::max<size_t>(out.heads, 1));
  out.vocabulary = config.at("vocab_size").get<size_t>();
  out.context = ValueOr<size_t>(config, "max_position_embeddings", 2048);
  out.norm_epsilon = ValueOr(config, "rms_norm_eps", 1e-6);
  out.rope_theta = ValueOr(config, "rope_theta", 10000.0);
  if (const json rope = config.value("rope_parameters", json()); rope.is_object()) {
    out.rope_theta = ValueOr(rope, "rope_theta", out.rope_theta);
  }
  out.rope_scaling = ScalingOf(config);
  const bool bias = ValueOr(config, "attention_bias", false);
  out.qkv_bias = kind == "qwen2" || bias;
  out.output_bias = kind != "qwen2" && bias;
  out.qk_norm = kind == "qwen3";
  out.tied = ValueOr(config, "tie_word_embeddings", false);
  out.ends = EndsOf(config);
  std::erase_if(out.ends, [&](int32_t end) {  // no such token can be written
    return end < 0 || static_cast<size_t>(end) >= out.vocabulary;
  });
  return out;
}

bool IsConsistent(const DecoderConfig& config) {
  for (const size_t size : {config.layers, config.hidden, config.intermediate, config.heads,
                            config.kv_heads, config.head_size, config.vocabulary, config.context}) {
    if (size == 0 || size > kMost) return false;
  }
  if (const auto& scaling = config.rope_scaling) {
    const bool ordered = 0 < scaling->low_frequency_factor &&
                         scaling->low_frequency_factor < scaling->high_frequency_factor;
    if (!ordered || !(scaling->factor > 0) || !(scaling->original_context > 0)) return false;
  }
  return config.heads % config.kv_heads == 0 && config.head_size % 2 == 0;
}

}  // namespace

std::vector<double> RotationSpeeds(const DecoderConfig& config) {
  const size_t half = config.head_size / 2;
  std::vector<double> speeds;
  for (size_t i = 0; i < half; ++i) {
    const double speed =
        std::pow(config.rope_theta, -static_cast<double>(i) / static_cast<double>(half));
    if (const auto& scaling = config.rope_scaling) {
      // How often it turns in the original context: often, and the speed stays; seldom, and it is
      // divided by the factor; between, and it is the mean, by where it lies.
      const double turns = scaling->original_context * speed / (2 * std::numbers::pi);
      const double low = scaling->low_frequency_factor, high = scaling->high_frequency_factor;
      const double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
      speeds.push_back(kept * speed + (1 - kept) * speed / scaling->factor);
    } else {
      speeds.push_back(speed);
    }
  }
  return speeds;
}

Result<DecoderConfig> ParseDecoderConfig(const json& config) {
  try {
    const auto kind = config.at("model_type").get<std::string>();
    if (std::string why = Unsupported(config, kind); !why.empty()) {
      return Fail(ErrorCode::kInput, "config.json: " + why,
                  "serve the model with llama.cpp or vLLM and give its endpoint");
    }
    DecoderConfig out = Read(config, kind);
    if (IsConsistent(out)) return out;
    return Fail(ErrorCode::kInput, "config.json: the sizes of the model contradict each other");
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInput, fmt::format("config.json: {}", error.what()));
  }
}

Result<DecoderConfig> ReadDecoderConfig(const std::filesystem::path& path) {
  const auto text = core::ReadTextFile(path);
  if (!text) return Fail(text.error());
  const auto json = core::ParseJson(*text);
  if (!json) return Fail(ErrorCode::kInput, "config.json: it " + json.error().what);
  return ParseDecoderConfig(*json);
}

}  // namespace zermelo::decoder
