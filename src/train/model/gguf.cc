#include "train/model/gguf.h"

#include <algorithm>
#include <c10/util/Half.h>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/files/file.h"
#include "core/json.h"
#include "decoder/decoder_config.h"
#include "decoder/safetensors.h"
#include "decoder/tensor_shapes.h"
#include "decoder/tokenizer/tokenizer.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using decoder::DecoderConfig;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr size_t kAlignment = 32;
constexpr size_t kMostBytes = 256U << 20U;  // of tokenizer.json

// GGUF's types of metadata.
constexpr uint32_t kUint32 = 4, kInt32 = 5, kFloat32 = 6, kBool = 7, kString = 8, kArray = 9;

enum TokenKind : int32_t { kNormal = 1, kControl = 3, kUserDefined = 4, kUnused = 5 };

template <class Number>
void Put(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void PutText(std::string_view text, std::string& out) {
  Put<uint64_t>(text.size(), out);
  out += text;
}

void Align(std::string& out) {
  out.resize((out.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
}

/// The keys and values of a file.
class Metadata {
 public:
  void Add(std::string_view key, std::string_view text) {
    Begin(key, kString);
    PutText(text, bytes_);
  }
  void Add(std::string_view key, size_t number) {
    Begin(key, kUint32);
    Put(static_cast<uint32_t>(number), bytes_);
  }
  void Add(std::string_view key, double number) {
    Begin(key, kFloat32);
    Put(static_cast<float>(number), bytes_);
  }
  void Flag(std::string_view key, bool value) {
    Begin(key, kBool);
    Put<uint8_t>(value ? 1 : 0, bytes_);
  }
  void Add(std::string_view key, const std::vector<std::string>& texts) {
    BeginArray(key, kString, texts.size());
    for (const std::string& text : texts) PutText(text, bytes_);
  }
  void Add(std::string_view key, const std::vector<TokenKind>& numbers) {
    BeginArray(key, kInt32, numbers.size());
    for (const TokenKind number : numbers) Put<int32_t>(number, bytes_);
  }

  uint64_t count() const { return count_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Begin(std::string_view key, uint32_t type) {
    ++count_;
    PutText(key, bytes_);
    Put(type, bytes_);
  }
  void BeginArray(std::string_view key, uint32_t type, size_t size) {
    Begin(key, kArray);
    Put(type, bytes_);
    Put<uint64_t>(size, bytes_);
  }

  uint64_t count_ = 0;
  std::string bytes_;
};

// ---- the tokenizer

// Ways to divide texts into pieces, as patterns in tokenizer.json.
constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kDigit = R"(\p{N})";
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The patterns of a pre_tokenizer, one for each step that divides.
void AddPatterns(const json& step, std::vector<std::string>& patterns) {
  if (step.at("type") == "Sequence") {
    for (const json& part : step.at("pretokenizers")) AddPatterns(part, patterns);
  } else if (step.at("type") == "Split") {
    patterns.push_back(step.at("pattern").value("Regex", ""));
  } else if (step.at("type") == "Digits") {
    patterns.emplace_back(step.value("individual_digits", false) ? kDigit : "");
  } else if (step.value("use_regex", true)) {
    patterns.emplace_back(kGpt2);
  }
}

/// llama.cpp's name for how the tokenizer divides texts.
Result<std::string> DivisionOf(const json& tokenizer) {
  std::vector<std::string> patterns;
  AddPatterns(tokenizer.at("pre_tokenizer"), patterns);
  // llama.cpp takes a piece that is a token as it is only where texts are divided as in Llama 3.
  const bool whole_pieces = tokenizer.at("model").value("ignore_merges", false);
  const std::map<std::vector<std::string>, std::string> known{{{kGpt2}, "gpt-2"},
                                                              {{kLlama3}, "llama-bpe"},
                                                              {{kQwen2}, "qwen2"},
                                                              {{kDigit, kGpt2}, "smollm"}};
  const auto found = known.find(patterns);
  if (found != known.end() && whole_pieces == (found->second == "llama-bpe")) return found->second;
  return Fail(ErrorCode::kInput,
              "tokenizer.json: llama.cpp does not know this way to divide texts (pre_tokenizer)",
              "tokenizers of `zermelo train tokenizer`, Llama 3, Qwen and SmolLM can be exported");
}

struct TokenList {
  std::vector<std::string> texts;  // by number
  std::vector<TokenKind> kinds;
};

/// `size`: of the model's vocabulary, which may have more tokens than the tokenizer.
TokenList TokensOf(const json& tokenizer, size_t size) {
  TokenList out;
  for (size_t i = 0; i < size; ++i) out.texts.push_back(fmt::format("[PAD{}]", i));
  out.kinds.assign(size, kUnused);
  const auto set = [&](size_t number, const std::string& text, TokenKind kind) {
    out.texts.at(number) = text;
    out.kinds[number] = kind;
  };
  for (const auto& [text, number] : tokenizer.at("model").at("vocab").items()) {
    set(number.get<size_t>(), text, kNormal);
  }
  for (const json& added : tokenizer.value("added_tokens", json::array())) {
    set(added.at("id").get<size_t>(), added.at("content").get<std::string>(),
        added.value("special", false) ? kControl : kUserDefined);
  }
  return out;
}

std::vector<std::string> MergesOf(const json& tokenizer) {
  std::vector<std::string> out;
  for (const json& merge : tokenizer.at("model").at("merges")) {
    out.push_back(merge.is_string()
                      ? merge.get<std::string>()
                      : merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>());
  }
  return out;
}

/// Throws json::exception.
core::Status AddTokenizer(const json& file, const decoder::Tokenizer& tokenizer,
                          const DecoderConfig& config, const json& config_json,
                          Metadata& metadata) {
  const auto division = DivisionOf(file);
  if (!division) return Fail(division.error());
  if (config.ends.empty()) {
    return Fail(ErrorCode::kInput,
                "config.json names no eos_token_id, without which llama.cpp ends "
                "texts at any token");
  }
  const TokenList tokens = TokensOf(file, config.vocabulary);
  metadata.Add("tokenizer.ggml.model", "gpt2");
  metadata.Add("tokenizer.ggml.pre", *division);
  metadata.Add("tokenizer.ggml.tokens", tokens.texts);
  metadata.Add("tokenizer.ggml.token_type", tokens.kinds);
  metadata.Add("tokenizer.ggml.merges", MergesOf(file));
  const std::vector<decoder::Token> around = tokenizer.Encode("");  // of every text
  const json begin = config_json.value("bos_token_id", json());
  if (!around.empty()) {
    metadata.Add("tokenizer.ggml.bos_token_id", static_cast<size_t>(around.front()));
  } else if (begin.is_number_unsigned()) {
    metadata.Add("tokenizer.ggml.bos_token_id", begin.get<size_t>());
  }
  metadata.Flag("tokenizer.ggml.add_bos_token", !around.empty());
  metadata.Add("tokenizer.ggml.eos_token_id", static_cast<size_t>(config.ends[0]));
  if (config.ends.size() > 1) {
    metadata.Add("tokenizer.ggml.eot_token_id", static_cast<size_t>(config.ends[1]));
  }
  return {};
}

// ---- the model

void AddShape(const DecoderConfig& config, const std::string& kind, GgufType type,
              const std::string& name, Metadata& metadata) {
  metadata.Add("general.architecture", kind);
  metadata.Add("general.name", name);
  metadata.Add("general.file_type", size_t{type == GgufType::kF16 ? 1U : 0U});
  const auto add = [&](const char* key, auto value) { metadata.Add(kind + "." + key, value); };
  add("block_count", config.layers);
  add("context_length", config.context);
  add("embedding_length", config.hidden);
  add("feed_forward_length", config.intermediate);
  add("attention.head_count", config.heads);
  add("attention.head_count_kv", config.kv_heads);
  add("attention.key_length", config.head_size);
  add("attention.value_length", config.head_size);
  add("attention.layer_norm_rms_epsilon", config.norm_epsilon);
  add("rope.dimension_count", config.head_size);
  add("rope.freq_base", config.rope_theta);
  add("vocab_size", config.vocabulary);
}

/// llama.cpp's name for a tensor of Hugging Face's.
std::string NameOf(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> kWhole = {
      {"model.embed_tokens.weight", "token_embd.weight"},
      {"model.norm.weight", "output_norm.weight"},
      {"lm_head.weight", "output.weight"}};
  static const std::map<std::string, std::string, std::less<>> kOfLayer = {
      {"input_layernorm", "attn_norm"},    {"post_attention_layernorm", "ffn_norm"},
      {"self_attn.q_proj", "attn_q"},      {"self_attn.k_proj", "attn_k"},
      {"self_attn.v_proj", "attn_v"},      {"self_attn.o_proj", "attn_output"},
      {"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"},
      {"mlp.gate_proj", "ffn_gate"},       {"mlp.up_proj", "ffn_up"},
      {"mlp.down_proj", "ffn_down"}};
  if (const auto whole = kWhole.find(name); whole != kWhole.end()) return whole->second;
  constexpr std::string_view kLayers = "model.layers.";
  const size_t dot = name.find('.', kLayers.size());
  const size_t last = name.rfind('.');  // before `weight` or `bias`
  return fmt::format("blk.{}.{}{}", name.substr(kLayers.size(), dot - kLayers.size()),
                     kOfLayer.at(name.substr(dot + 1, last - dot - 1)), name.substr(last));
}

/// llama.cpp's Llama rotates neighbours, Hugging Face's the two halves of a head: rows i and
/// i + size / 2 of each head of queries and keys come to lie beside each other.
std::vector<float> Interleaved(const std::vector<float>& values, size_t head_size, size_t columns) {
  std::vector<float> out(values.size());
  const size_t half = head_size / 2;
  for (size_t row = 0; row * columns < values.size(); ++row) {
    const size_t in_head = row % head_size;
    const size_t to = row - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
    std::copy_n(&values[row * columns], columns, &out[to * columns]);
  }
  return out;
}

bool IsRotated(const std::string& name) {
  return name.find(".q_proj.") != std::string::npos || name.find(".k_proj.") != std::string::npos;
}

/// Appends the bytes of a tensor; false if a value is too large for F16.
bool PutValues(std::span<const float> values, bool half, std::string& out) {
  if (!half) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return true;
  }
  for (const float value : values) {
    const c10::Half narrow(value);
    if (std::isfinite(value) && !std::isfinite(static_cast<float>(narrow))) return false;
    Put(narrow.x, out);
  }
  return true;
}

struct Body {
  uint64_t count = 0;
  std::string heads;   // name, shape, type and place of each tensor
  std::string values;  // aligned

  /// False if a value is too large for F16.
  bool Add(const std::string& name, const std::vector<size_t>& shape, std::span<const float> data,
           bool half) {
    ++count;
    PutText(name, heads);
    Put(static_cast<uint32_t>(shape.size()), heads);
    for (size_t i = shape.size(); i-- > 0;) Put<uint64_t>(shape[i], heads);
    Put<uint32_t>(half ? 1 : 0, heads);
    Put<uint64_t>(values.size(), heads);
    const bool fits = PutValues(data, half, values);
    Align(values);
    return fits;
  }
};

/// What llama.cpp divides the speed of each rotation by.
std::vector<float> RopeFactors(const DecoderConfig& config) {
  DecoderConfig unscaled = config;
  unscaled.rope_scaling.reset();
  const auto before = RotationSpeeds(unscaled), after = RotationSpeeds(config);
  std::vector<float> factors;
  for (size_t i = 0; i < before.size(); ++i) {
    factors.push_back(static_cast<float>(before[i] / after[i]));
  }
  return factors;
}

Result<Body> BodyOf(const decoder::Tensors& tensors, const DecoderConfig& config, bool interleave,
                    GgufType type) {
  Body body;
  for (const auto& [name, tensor] : tensors) {
    const size_t columns = tensor.shape.size() == 2 ? tensor.shape[1] : 1;
    std::span<const float> values = tensor.values;
    std::vector<float> interleaved;
    if (interleave && IsRotated(name)) {
      interleaved = Interleaved(tensor.values, config.head_size, columns);
      values = interleaved;
    }
    const bool half = type == GgufType::kF16 && tensor.shape.size() == 2;
    if (!body.Add(NameOf(name), tensor.shape, values, half)) {
      return Fail(ErrorCode::kInput, fmt::format("a value of {} is too large for F16", name),
                  "export the model with --type f32");
    }
  }
  if (config.rope_scaling) {
    const auto factors = RopeFactors(config);
    body.Add("rope_freqs.weight", {factors.size()}, factors, /*half=*/false);
  }
  return body;
}

Result<json> ReadJson(const fs::path& path) {
  const auto text = core::ReadTextFile(path, kMostBytes);
  if (!text) return Fail(text.error());
  return core::JsonOrDiscarded(*text);
}

}  // namespace

core::Status WriteGguf(const fs::path& model, const fs::path& file, GgufType type) {
  const auto config_json = ReadJson(model / "config.json");
  if (!config_json) return Fail(config_json.error());
  const auto config = decoder::ParseDecoderConfig(*config_json);
  if (!config) return Fail(config.error());
  auto tensors = decoder::ReadSafetensors(model / "model.safetensors");
  if (!tensors) return Fail(tensors.error());
  if (auto fits = decoder::CheckTensors(*config, *tensors); !fits) return fits;
  const auto tokenizer_json = ReadJson(model / "tokenizer.json");
  if (!tokenizer_json) return Fail(tokenizer_json.error());
  const auto tokenizer = decoder::Tokenizer::Create(*tokenizer_json);
  if (!tokenizer) return Fail(tokenizer.error());
  if (tokenizer->size() > config->vocabulary) {
    return Fail(ErrorCode::kInput, "tokenizer.json has more tokens than the model knows");
  }
  Metadata metadata;
  const auto kind = config_json->at("model_type").get<std::string>();
  if (config->rope_scaling && kind != "llama") {
    return Fail(ErrorCode::kInput,
                "config.json: llama.cpp scales positions in this way only in Llama models");
  }
  AddShape(*config, kind, type, fs::absolute(model).lexically_normal().filename().string(),
           metadata);
  try {
    auto added = AddTokenizer(*tokenizer_json, *tokenizer, *config, *config_json, metadata);
    if (!added) return added;
  } catch (const json::exception& error) {
    return Fail(ErrorCode::kInput, fmt::format("tokenizer.json: {}", error.what()));
  }
  const auto body = BodyOf(*tensors, *config, kind == "llama", type);
  if (!body) return Fail(body.error());
  std::string out = "GGUF";
  Put<uint32_t>(3, out);
  Put(body->count, out);
  Put(metadata.count(), out);
  out += metadata.bytes();
  out += body->heads;
  Align(out);
  out += body->values;
  const auto written = core::WriteFileAtomically(file, out);
  if (!written) return Fail(ErrorCode::kEnvironment, written.error().message);
  return {};
}

}  // namespace zermelo::train
