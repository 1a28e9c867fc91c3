#include "train/model/tensors.h"

#include <ATen/ATen.h>

namespace zermelo::train {

core::Status SaveTensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  std::map<std::string, decoder::TensorView, std::less<>> views;
  for (const auto& [name, tensor] : tensors) {
    views[name] = {.shape = {tensor.sizes().begin(), tensor.sizes().end()},
                   .values = {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())}};
  }
  return decoder::WriteSafetensors(path, views);
}

NamedTensors FromFile(decoder::Tensors tensors) {
  NamedTensors out;
  for (auto& [name, tensor] : tensors) {
    const std::vector<int64_t> sizes(tensor.shape.begin(), tensor.shape.end());
    out[name] = at::from_blob(tensor.values.data(), sizes, at::kFloat).clone();
  }
  return out;
}

core::Result<NamedTensors> LoadTensors(const std::filesystem::path& path) {
  auto read = decoder::ReadSafetensors(path);
  if (!read) return core::Fail(read.error());
  return FromFile(std::move(*read));
}

}  // namespace zermelo::train
