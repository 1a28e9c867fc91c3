#include "train/model/transformer.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <cmath>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/files/file.h"
#include "core/json.h"
#include "decoder/tensor_shapes.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr double kInitialDeviation = 0.02;

std::vector<int64_t> Sizes(const std::vector<size_t>& shape) {
  return {shape.begin(), shape.end()};
}

/// A rotation of the two halves of each head (RoPE, half-split).
at::Tensor Rotate(const at::Tensor& x, const at::Tensor& cosines, const at::Tensor& sines) {
  const auto halves = x.chunk(2, -1);
  return at::cat({halves[0] * cosines - halves[1] * sines, halves[1] * cosines + halves[0] * sines},
                 -1);
}

/// [packs][1][length][head_size / 2], of the rows' positions.
at::Tensor Angles(const decoder::DecoderConfig& config, const at::Tensor& positions) {
  const at::Tensor speeds = at::tensor(decoder::RotationSpeeds(config), at::kDouble);
  return (positions.to(at::kDouble).unsqueeze(-1) * speeds).unsqueeze(1);
}

/// What Transformer::Linear multiplies with a matrix; done once for what several multiply.
///
/// Torch leaves 32-bit products to MKL, which uses half of the width of other makers' processors.
/// OneDNN, also a part of torch, uses all of it: it is twice as fast on an AMD EPYC with AVX-512.
at::Tensor Operand(const at::Tensor& x, Precision precision) {
  if (x.is_mkldnn()) return x;
  if (precision == Precision::kBfloat16) return x.to(at::kBFloat16);
#ifdef __x86_64__
  if (__builtin_cpu_is("intel")) return x;
#endif
  return x.contiguous().to_mkldnn();
}

std::span<const float> Values(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

}  // namespace

Result<Transformer> Transformer::Load(const std::filesystem::path& folder) {
  Transformer out;
  const auto text = core::ReadTextFile(folder / "config.json");
  if (!text) return Fail(text.error());
  out.config_json_ = core::JsonOrDiscarded(*text);
  auto config = decoder::ParseDecoderConfig(out.config_json_);
  if (!config) return Fail(config.error());
  out.config_ = std::move(*config);
  auto tensors = decoder::ReadSafetensors(folder / "model.safetensors");
  if (!tensors) return Fail(tensors.error());
  if (auto fits = CheckTensors(out.config_, *tensors); !fits) return Fail(fits.error());
  out.parameters_ = FromFile(*tensors);
  for (auto& [name, tensor] : out.parameters_) tensor.set_requires_grad(true);
  return out;
}

Result<Transformer> Transformer::Random(json config, uint64_t seed) {
  Transformer out;
  auto parsed = decoder::ParseDecoderConfig(config);
  if (!parsed) return Fail(parsed.error());
  out.config_ = std::move(*parsed);
  out.config_json_ = std::move(config);
  const at::Generator random = at::detail::createCPUGenerator(seed);
  for (const auto& [name, shape] : decoder::ShapesOf(out.config_)) {
    at::Tensor values = at::zeros(Sizes(shape));
    if (name.ends_with("norm.weight")) values.fill_(1);
    if (shape.size() == 2) values.normal_(0, kInitialDeviation, random);
    out.parameters_[name] = values.set_requires_grad(true);
  }
  return out;
}

size_t Transformer::size() const {
  size_t size = 0;
  for (const auto& [name, tensor] : parameters_) size += static_cast<size_t>(tensor.numel());
  return size;
}

at::Tensor Transformer::Weight(const std::string& name) const {
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) return {};
  return precision_ == Precision::kBfloat16 ? found->second.to(at::kBFloat16) : found->second;
}

at::Tensor Transformer::Linear(const at::Tensor& x, const std::string& name) const {
  const at::Tensor weight = Weight(name + ".weight");
  const at::Tensor bias = Weight(name + ".bias");
  const at::Tensor operand = Operand(x, precision_);
  const auto added = bias.defined() ? std::optional(bias) : std::nullopt;
  return operand.is_mkldnn() ? at::mkldnn_linear(operand, weight, added).to_dense()
                             : at::linear(operand, weight, added);
}

at::Tensor Transformer::Norm(const at::Tensor& x, const std::string& name) const {
  const at::Tensor& weight = parameters_.find(name + ".weight")->second;
  return at::rms_norm(x.to(at::kFloat), weight.sizes(), weight, config_.norm_epsilon);
}

at::Tensor Transformer::Attention(const at::Tensor& x, const std::string& layer,
                                  const PackedRows& rows) const {
  const int64_t packs = x.size(0);
  const int64_t length = x.size(1);
  const auto size = static_cast<int64_t>(config_.head_size);
  const at::Tensor operand = Operand(x, precision_);
  const auto project = [&](const char* name, size_t heads) {  // [packs][heads][length][size]
    return Linear(operand, layer + name).view({packs, length, static_cast<int64_t>(heads), size});
  };
  at::Tensor query = project(".self_attn.q_proj", config_.heads);
  at::Tensor key = project(".self_attn.k_proj", config_.kv_heads);
  at::Tensor value = project(".self_attn.v_proj", config_.kv_heads).transpose(1, 2);
  if (config_.qk_norm) {
    query = Norm(query, layer + ".self_attn.q_norm");
    key = Norm(key, layer + ".self_attn.k_norm");
  }
  const at::Tensor angles = Angles(config_, rows.positions);
  const at::Tensor cosines = angles.cos().to(at::kFloat);
  const at::Tensor sines = angles.sin().to(at::kFloat);
  query = Rotate(query.transpose(1, 2).to(at::kFloat), cosines, sines).to(value.scalar_type());
  key = Rotate(key.transpose(1, 2).to(at::kFloat), cosines, sines).to(value.scalar_type());
  if (const auto shared = static_cast<int64_t>(config_.heads / config_.kv_heads); shared > 1) {
    key = key.repeat_interleave(shared, 1);
    value = value.repeat_interleave(shared, 1);
  }
  const bool masked = rows.mask.defined();
  const at::Tensor mixed = at::scaled_dot_product_attention(
      query, key, value, masked ? std::optional(rows.mask.to(value.scalar_type())) : std::nullopt,
      0, !masked);
  return Linear(mixed.transpose(1, 2).reshape({packs, length, -1}), layer + ".self_attn.o_proj");
}

at::Tensor Transformer::FeedForward(const at::Tensor& x, const std::string& layer) const {
  const at::Tensor operand = Operand(x, precision_);
  const at::Tensor gate = Linear(operand, layer + ".mlp.gate_proj");
  return Linear(at::silu(gate) * Linear(operand, layer + ".mlp.up_proj"), layer + ".mlp.down_proj");
}

at::Tensor Transformer::Layer(const at::Tensor& x, size_t index, const PackedRows& rows) const {
  const std::string layer = fmt::format("model.layers.{}", index);
  const at::Tensor y = x + Attention(Norm(x, layer + ".input_layernorm"), layer, rows);
  return y + FeedForward(Norm(y, layer + ".post_attention_layernorm"), layer);
}

/// A layer of which only the input is kept for the gradients.
struct Transformer::Recomputed : torch::autograd::Function<Recomputed> {
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;
  struct Place : torch::CustomClassHolder {
    Place(const Transformer* of, size_t number) : model(of), index(number) {}
    const Transformer* const model;
    const size_t index;
  };

  static at::Tensor forward(Context* context, const at::Tensor& x, const PackedRows* rows,
                            const Transformer* model, size_t index) {
    context->save_for_backward({x, rows->positions, rows->mask});
    context->saved_data["layer"] =
        c10::IValue::make_capsule(c10::make_intrusive<Place>(model, index));
    return model->Layer(x, index, *rows);
  }
  static Tensors backward(Context* context, const Tensors& gradients) {
    const Tensors kept = context->get_saved_variables();
    const auto capsule = context->saved_data["layer"].toCapsule();
    const auto& place = static_cast<const Place&>(*capsule);
    const at::Tensor x = kept[0].detach().set_requires_grad(true);
    PackedRows rows;
    rows.positions = kept[1];
    rows.mask = kept[2];
    const c10::AutoGradMode with_gradients(true);
    place.model->Layer(x, place.index, rows).backward(gradients[0]);
    return {x.grad(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

at::Tensor Transformer::States(const PackedRows& rows) const {
  at::Tensor x = at::embedding(parameters_.find("model.embed_tokens.weight")->second, rows.tokens);
  for (size_t i = 0; i < config_.layers; ++i) {
    x = recompute_ && x.requires_grad() ? Recomputed::apply(x, &rows, this, i) : Layer(x, i, rows);
  }
  return Norm(x, "model.norm").reshape({-1, static_cast<int64_t>(config_.hidden)});
}

at::Tensor Transformer::Logits(const at::Tensor& states) const {
  return Linear(states, config_.tied ? "model.embed_tokens" : "lm_head").to(at::kFloat);
}

at::Tensor Transformer::TargetLogprobs(const PackedRows& rows) const {
  const at::Tensor logits = Logits(States(rows).index_select(0, rows.places));
  return -at::cross_entropy_loss(logits, rows.targets, {}, at::Reduction::None);
}

Transformer Transformer::Frozen() const {
  Transformer copy = *this;
  for (auto& [name, tensor] : copy.parameters_) tensor = tensor.detach().clone();
  return copy;
}

decoder::Tensors Transformer::Weights() const {
  decoder::Tensors out;
  for (const auto& [name, tensor] : parameters_) {
    const at::Tensor values = tensor.detach().contiguous();
    const auto span = Values(values);
    out[name] = {.shape = {tensor.sizes().begin(), tensor.sizes().end()},
                 .values = {span.begin(), span.end()}};
  }
  return out;
}

core::Status Transformer::Save(const std::filesystem::path& folder) const {
  const auto written =
      core::WriteFileAtomically(folder / "config.json", config_json_.dump(2) + "\n");
  if (!written) return Fail(ErrorCode::kEnvironment, written.error().message);
  return SaveTensors(folder / "model.safetensors", parameters_);
}

}  // namespace zermelo::train
