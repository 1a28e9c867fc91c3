#include "train/model/tensors.h"

#include <ATen/ATen.h>
#include <algorithm>

namespace zermelo::train {

core::Status SaveTensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  std::map<std::string, decoder::TensorView, std::less<>> views;
  for (const auto& [name, tensor] : tensors) {
    views[name] = {.shape = {tensor.sizes().begin(), tensor.sizes().end()},
                   .values = {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())}};
  }
  return decoder::WriteSafetensors(path, views);
}

NamedTensors FromFile(const decoder::Tensors& tensors) {
  NamedTensors out;
  for (const auto& [name, tensor] : tensors) {
    const std::vector<int64_t> sizes(tensor.shape.begin(), tensor.shape.end());
    out[name] = at::empty(sizes, at::kFloat);
    std::ranges::copy(tensor.values, out[name].mutable_data_ptr<float>());
  }
  return out;
}

core::Result<NamedTensors> LoadTensors(const std::filesystem::path& path) {
  auto read = decoder::ReadSafetensors(path);
  if (!read) return core::Fail(read.error());
  return FromFile(*read);
}

}  // namespace zermelo::train
