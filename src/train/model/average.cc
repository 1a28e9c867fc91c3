#include "train/model/average.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "train/model/transformer.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;

namespace fs = std::filesystem;

core::Status AverageModels(const std::vector<fs::path>& models, const fs::path& out) {
  const c10::NoGradGuard no_gradients;
  auto mean = Transformer::Load(models.at(0));
  if (!mean) return Fail(mean.error());
  for (size_t i = 1; i < models.size(); ++i) {
    const auto other = Transformer::Load(models[i]);
    if (!other) return Fail(other.error());
    for (auto& [name, tensor] : mean->parameters()) {
      const auto found = other->parameters().find(name);
      if (found == other->parameters().end() || found->second.sizes() != tensor.sizes()) {
        return Fail(ErrorCode::kInput,
                    models[i].string() + " has another shape than " + models[0].string());
      }
      tensor += (found->second - tensor) / static_cast<double>(i + 1);
    }
  }
  std::error_code error;
  fs::create_directories(out, error);
  fs::copy_file(models[0] / "tokenizer.json", out / "tokenizer.json",
                fs::copy_options::overwrite_existing, error);
  if (error) return Fail(ErrorCode::kEnvironment, "cannot write to " + out.string());
  return mean->Save(out);
}

}  // namespace zermelo::train
