#include "train/inputs.h"

#include <fmt/format.h>
#include <fstream>

#include "core/hash/sha256.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

Result<std::string> HashOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  core::Sha256 hash;
  std::string block(1U << 20U, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    hash.Add({block.data(), static_cast<size_t>(file.gcount())});
  }
  if (!file.eof()) return Fail(ErrorCode::kInput, "cannot read " + path.string());
  return hash.Hex();
}

}  // namespace

core::Status AddInputs(const std::filesystem::path& model, const std::filesystem::path& data,
                       nlohmann::json& settings) {
  const std::pair<const char*, std::filesystem::path> files[] = {
      {"model", model / "model.safetensors"},
      {"tokenizer", model / "tokenizer.json"},
      {"config", model / "config.json"},
      {"data", data}};
  for (const auto& [name, path] : files) {
    const auto hash = HashOf(path);
    if (!hash) return Fail(hash.error());
    settings[name] = *hash;
  }
  return {};
}

Result<ModelAndTokenizer> LoadModel(const std::filesystem::path& folder,
                                    const RunSettings& settings) {
  auto tokenizer = decoder::Tokenizer::Read(folder / "tokenizer.json");
  if (!tokenizer) return Fail(tokenizer.error());
  auto model = Transformer::Load(folder);
  if (!model) return Fail(model.error());
  if (tokenizer->size() > model->config().vocabulary) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: tokenizer.json has {} tokens, but the model knows {}",
                            folder.string(), tokenizer->size(), model->config().vocabulary));
  }
  model->set_precision(settings.precision == "bfloat16" ? Precision::kBfloat16
                                                        : Precision::kFloat32);
  model->set_recompute(settings.recompute);
  return ModelAndTokenizer{std::move(*model), std::move(*tokenizer)};
}

}  // namespace zermelo::train
