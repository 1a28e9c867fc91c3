// Run by ./zermelo bench decoder; bench/decoder.py describes the measurements.
//
// usage: decoder_bench LAYERS HIDDEN HEADS
//
// Prints one JSON object.
#include <algorithm>
#include <bit>
#include <cblas.h>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "decoder/decoder.h"
#include "decoder/tensor_shapes.h"
#include "resources.h"

namespace zermelo::decoder {
namespace {

using nlohmann::json;

constexpr size_t kContext = 64;  // tokens of each sequence at the beginning
constexpr int kRounds = 15;
constexpr size_t kTokens = 64;  // in a round, of all sequences

DecoderConfig Config(size_t layers, size_t hidden, size_t heads) {
  return ParseDecoderConfig({{"model_type", "qwen3"},
                             {"hidden_size", hidden},
                             {"intermediate_size", hidden * 8 / 3 / 32 * 32},
                             {"num_hidden_layers", layers},
                             {"num_attention_heads", heads},
                             {"num_key_value_heads", 2},
                             {"head_dim", hidden / heads},
                             {"vocab_size", 2048},
                             {"max_position_embeddings", 2048},
                             {"rms_norm_eps", 1e-6},
                             {"rope_theta", 10000.0},
                             {"tie_word_embeddings", true},
                             {"eos_token_id", 0}})
      .value();
}

/// Random weights; with the mask of bfloat16 their lower halves are zero.
Decoder RandomModel(const DecoderConfig& config, uint32_t mask) {
  std::mt19937 random(1);
  std::normal_distribution<float> weight(0, 0.02F);
  Tensors tensors;
  for (const auto& [name, shape] : ShapesOf(config)) {
    size_t count = 1;
    for (const size_t size : shape) count *= size;
    Tensor& tensor = tensors[name];
    tensor.shape = shape;
    tensor.values.resize(count);
    for (float& value : tensor.values) {
      value = std::bit_cast<float>(std::bit_cast<uint32_t>(weight(random)) & mask);
    }
  }
  return Decoder::Create(config, std::move(tensors)).value();
}

double Seconds(const std::function<void()>& work) {
  const double begin = bench::ProcessorSeconds();
  work();
  return bench::ProcessorSeconds() - begin;
}

/// The processor's time for one token after another of each of `batch` sequences.
double Decode(const Decoder& decoder, size_t batch) {
  Sequence first;
  const Decoder::Step prompt{.sequence = &first, .tokens = std::vector<int32_t>(kContext, 1)};
  decoder.Append({&prompt, 1});
  std::vector<Sequence> sequences(batch, first);
  std::vector<Decoder::Step> steps;
  for (Sequence& sequence : sequences) steps.push_back({.sequence = &sequence, .tokens = {2}});
  return Seconds([&] {
    for (size_t i = 0; i < kTokens / batch; ++i) decoder.Append(steps);
  });
}

/// OpenBLAS's sgemm for the matrices of one pass: a bound on a decoder that uses it for all.
void MultiplyWithSgemm(const std::vector<std::vector<size_t>>& shapes,
                       const std::vector<float>& weights, size_t batch) {
  size_t widest = 0, tallest = 0;
  for (const auto& shape : shapes) {
    tallest = std::max(tallest, shape[0]);
    widest = std::max(widest, shape[1]);
  }
  const std::vector<float> x(batch * widest, 0.5F);
  std::vector<float> out(batch * tallest);
  for (size_t i = 0; i < kTokens / batch; ++i) {
    const float* at = weights.data();
    for (const auto& shape : shapes) {
      const auto rows = static_cast<int>(shape[0]), columns = static_cast<int>(shape[1]);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(batch), rows, columns,
                  1, x.data(), columns, at, columns, 0, out.data(), rows);
      at += shape[0] * shape[1];
    }
  }
}

int Run(size_t layers, size_t hidden, size_t heads) {
  const DecoderConfig config = Config(layers, hidden, heads);
  const Decoder floats = RandomModel(config, 0xFFFFFFFFU);
  const Decoder halves = RandomModel(config, 0xFFFF0000U);
  std::vector<std::vector<size_t>> shapes;
  size_t parameters = 0;
  for (const auto& [name, shape] : ShapesOf(config)) {
    if (shape.size() != 2) continue;
    shapes.push_back(shape);
    parameters += shape[0] * shape[1];
  }
  const std::vector<float> weights(parameters, 0.01F);
  json found{{"parameters", parameters},
             {"float32_bytes", floats.matrix_bytes()},
             {"bfloat16_bytes", halves.matrix_bytes()}};
  for (const size_t batch : {1, 2, 4, 8, 16, 64}) {
    double best[3] = {1e9, 1e9, 1e9};
    for (int round = 0; round < kRounds; ++round) {
      best[0] = std::min(best[0], Decode(floats, batch));
      best[1] = std::min(best[1], Decode(halves, batch));
      best[2] = std::min(best[2], Seconds([&] { MultiplyWithSgemm(shapes, weights, batch); }));
    }
    found[fmt::format("float32_{}_tokens_per_second", batch)] = kTokens / best[0];
    found[fmt::format("bfloat16_{}_tokens_per_second", batch)] = kTokens / best[1];
    found[fmt::format("sgemm_{}_tokens_per_second", batch)] = kTokens / best[2];
  }
  fmt::print("{}\n", found.dump());
  return 0;
}

}  // namespace
}  // namespace zermelo::decoder

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  openblas_set_num_threads(1);
  const auto number = [&](int i) { return static_cast<size_t>(std::atoi(argv[i])); };
  return zermelo::decoder::Run(number(1), number(2), number(3));
}
