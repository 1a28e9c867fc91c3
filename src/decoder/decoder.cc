#include "decoder/decoder.h"

#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <fmt/format.h>

#include "decoder/blas_lock.h"
#include "decoder/tensor_shapes.h"

namespace zermelo::decoder {

using core::Fail;
using core::Result;

namespace {

/// Divides each row by its root mean square and multiplies it by the weights [size].
void Normalize(std::span<float> rows, const std::vector<float>& weights, double epsilon) {
  const size_t size = weights.size();
  for (size_t at = 0; at < rows.size(); at += size) {
    double squares = 0;
    for (size_t i = 0; i < size; ++i) squares += static_cast<double>(rows[at + i]) * rows[at + i];
    const auto scale =
        static_cast<float>(1 / std::sqrt(squares / static_cast<double>(size) + epsilon));
    for (size_t i = 0; i < size; ++i) rows[at + i] *= scale * weights[i];
  }
}

void Add(std::vector<float>& x, const std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

/// Turns each pair (i, i + size / 2) of a head by its angle.
void Rotate(std::span<float> head, std::span<const float> cosines, std::span<const float> sines) {
  const size_t half = head.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    const float a = head[i];
    const float b = head[i + half];
    head[i] = a * cosines[i] - b * sines[i];
    head[i + half] = b * cosines[i] + a * sines[i];
  }
}

}  // namespace

/// One forward pass over all rows (tokens) of the steps.
class Decoder::Pass {
 public:
  Pass(const Decoder& decoder, std::span<const Step> steps)
      : decoder_(decoder), config_(decoder.config_), speeds_(RotationSpeeds(config_)) {
    for (const Step& step : steps) {
      step.sequence->layers_.resize(config_.layers);
      for (size_t i = 0; i < step.tokens.size(); ++i) {
        rows_.push_back({step.sequence, step.sequence->length_ + i});
        AddAngles(rows_.back().position);
        decoder.embedding_.AppendRow(static_cast<size_t>(step.tokens[i]), x_);
      }
    }
  }

  /// The states after the last layer: [rows][hidden].
  std::vector<float> Run() {
    for (size_t i = 0; i < config_.layers; ++i) {
      Attend(i);
      Feed(decoder_.layers_[i]);
    }
    return std::move(x_);
  }

 private:
  struct Row {
    Sequence* sequence;
    size_t position;
  };

  void AddAngles(size_t position) {
    for (const double speed : speeds_) {
      const double angle = static_cast<double>(position) * speed;
      cosines_.push_back(static_cast<float>(std::cos(angle)));
      sines_.push_back(static_cast<float>(std::sin(angle)));
    }
  }

  void Attend(size_t index) {
    const Layer& layer = decoder_.layers_[index];
    std::vector<float> normal = x_;
    Normalize(normal, layer.attention_norm, config_.norm_epsilon);
    auto query = layer.query.Times(normal, layer.query_bias);
    auto key = layer.key.Times(normal, layer.key_bias);
    const auto value = layer.value.Times(normal, layer.value_bias);
    if (config_.qk_norm) {
      Normalize(query, layer.query_norm, config_.norm_epsilon);
      Normalize(key, layer.key_norm, config_.norm_epsilon);
    }
    const size_t width = config_.kv_heads * config_.head_size;
    for (size_t row = 0; row < rows_.size(); ++row) {
      RotateRow(query, config_.heads, row);
      RotateRow(key, config_.kv_heads, row);
      auto& cache = rows_[row].sequence->layers_[index];
      cache.keys.insert(cache.keys.end(), &key[row * width], &key[row * width] + width);
      cache.values.insert(cache.values.end(), &value[row * width], &value[row * width] + width);
    }
    std::vector<float> mixed(query.size());
    for (size_t row = 0; row < rows_.size(); ++row) Mix(index, row, query, mixed);
    Add(x_, layer.output.Times(mixed, layer.output_bias));
  }

  void RotateRow(std::vector<float>& states, size_t heads, size_t row) const {
    const size_t half = config_.head_size / 2;
    for (size_t head = 0; head < heads; ++head) {
      float* const at = &states[(row * heads + head) * config_.head_size];
      Rotate({at, config_.head_size}, {&cosines_[row * half], half}, {&sines_[row * half], half});
    }
  }

  /// The attention of all heads of one row: softmax(q kᵀ / √d) v over the positions up to its own.
  void Mix(size_t index, size_t row, const std::vector<float>& query, std::vector<float>& mixed) {
    const auto& cache = rows_[row].sequence->layers_[index];
    const size_t size = config_.head_size;
    const size_t width = config_.kv_heads * size;
    const size_t count = rows_[row].position + 1;
    weights_.resize(count);
    for (size_t head = 0; head < config_.heads; ++head) {
      const size_t at = (row * config_.heads + head) * size;
      const size_t of_kv = head / (config_.heads / config_.kv_heads) * size;
      const auto stride = static_cast<int>(width);
      auto lock = BlasLock();
      cblas_sgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(count), static_cast<int>(size),
                  1 / std::sqrt(static_cast<float>(size)), &cache.keys[of_kv], stride, &query[at],
                  1, 0, weights_.data(), 1);
      lock = {};
      const float most = *std::ranges::max_element(weights_);
      float sum = 0;
      for (float& weight : weights_) sum += weight = std::exp(weight - most);
      lock = BlasLock();
      cblas_sgemv(CblasRowMajor, CblasTrans, static_cast<int>(count), static_cast<int>(size),
                  1 / sum, &cache.values[of_kv], stride, weights_.data(), 1, 0, &mixed[at], 1);
    }
  }

  void Feed(const Layer& layer) {
    std::vector<float> normal = x_;
    Normalize(normal, layer.mlp_norm, config_.norm_epsilon);
    auto gate = layer.gate.Times(normal);
    const auto up = layer.up.Times(normal);
    for (size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
    Add(x_, layer.down.Times(gate));
  }

  const Decoder& decoder_;
  const DecoderConfig& config_;
  const std::vector<double> speeds_;
  std::vector<Row> rows_;
  std::vector<float> cosines_, sines_;  // [rows][head_size / 2], of the positions
  std::vector<float> x_;                // [rows][hidden]
  std::vector<float> weights_;          // of the attention of one head, used again by the next
};

Result<Decoder> Decoder::Load(const std::filesystem::path& folder) {
  auto config = ReadDecoderConfig(folder / "config.json");
  if (!config) return Fail(config.error());
  auto tensors = ReadSafetensors(folder / "model.safetensors");
  if (!tensors) return Fail(tensors.error());
  return Create(std::move(*config), std::move(*tensors));
}

Result<Decoder> Decoder::Create(DecoderConfig config, Tensors tensors) {
  if (auto fits = CheckTensors(config, tensors); !fits) return Fail(fits.error());
  // Empty if a model of this kind has no such tensor.
  const auto take = [&](const std::string& name) {
    const auto found = tensors.find(name);
    return found == tensors.end() ? std::vector<float>() : std::move(found->second.values);
  };
  const auto matrix = [&](const std::string& name) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) return Matrix();
    return Matrix(std::move(found->second.values), found->second.shape[1]);
  };
  Decoder out;
  out.embedding_ = matrix("model.embed_tokens.weight");
  out.norm_ = take("model.norm.weight");
  out.head_ = matrix("lm_head.weight");
  for (size_t i = 0; i < config.layers; ++i) {
    const auto name_of = [i](std::string_view name) {
      return fmt::format("model.layers.{}.{}", i, name);
    };
    const auto of_layer = [&](std::string_view name) { return take(name_of(name)); };
    const auto matrix_of_layer = [&](std::string_view name) { return matrix(name_of(name)); };
    Layer& layer = out.layers_.emplace_back();
    layer.attention_norm = of_layer("input_layernorm.weight");
    layer.mlp_norm = of_layer("post_attention_layernorm.weight");
    layer.query = matrix_of_layer("self_attn.q_proj.weight");
    layer.key = matrix_of_layer("self_attn.k_proj.weight");
    layer.value = matrix_of_layer("self_attn.v_proj.weight");
    layer.query_bias = of_layer("self_attn.q_proj.bias");
    layer.key_bias = of_layer("self_attn.k_proj.bias");
    layer.value_bias = of_layer("self_attn.v_proj.bias");
    layer.query_norm = of_layer("self_attn.q_norm.weight");
    layer.key_norm = of_layer("self_attn.k_norm.weight");
    layer.output = matrix_of_layer("self_attn.o_proj.weight");
    layer.output_bias = of_layer("self_attn.o_proj.bias");
    layer.gate = matrix_of_layer("mlp.gate_proj.weight");
    layer.up = matrix_of_layer("mlp.up_proj.weight");
    layer.down = matrix_of_layer("mlp.down_proj.weight");
  }
  out.config_ = std::move(config);
  return out;
}

size_t Decoder::matrix_bytes() const {
  size_t bytes = embedding_.bytes() + head_.bytes();
  for (const Layer& layer : layers_) {
    for (const Matrix* matrix : {&layer.query, &layer.key, &layer.value, &layer.output, &layer.gate,
                                 &layer.up, &layer.down}) {
      bytes += matrix->bytes();
    }
  }
  return bytes;
}

std::vector<float> Decoder::Append(std::span<const Step> steps, Logits logits) const {
  std::vector<float> states = Pass(*this, steps).Run();
  size_t end = 0;
  size_t kept = 0;
  for (const Step& step : steps) {
    step.sequence->length_ += step.tokens.size();
    end += step.tokens.size();
    if (logits == Logits::kAll) continue;
    std::copy_n(&states[(end - 1) * config_.hidden], config_.hidden,
                &states[kept * config_.hidden]);
    ++kept;
  }
  if (logits == Logits::kLast) states.resize(kept * config_.hidden);
  Normalize(states, norm_, config_.norm_epsilon);
  return (head_.empty() ? embedding_ : head_).Times(states);
}

}  // namespace zermelo::decoder
