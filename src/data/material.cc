#include "data/material.h"

#include <charconv>
#include <fmt/format.h>

namespace zermelo::data {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

std::optional<int64_t> RunNumber(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

core::Status Add(const std::string& source, Material& material) {
  std::error_code ignored;
  if (fs::is_directory(source, ignored)) return AddEvaluation(source, material);
  if (fs::exists(source, ignored)) return AddTrace(source, material);
  return Fail(ErrorCode::kUsage, fmt::format("there is no run, evaluation or trace `{}`", source),
              "name the number of a run (zermelo runs), the folder of an evaluation, or the file "
              "of a trace (zermelo trace)");
}

}  // namespace

Result<Material> ReadMaterial(const MaterialRequest& request) {
  Material material;
  std::vector<int64_t> runs;
  for (const std::string& source : request.from) {
    if (const auto run = RunNumber(source)) {
      runs.push_back(*run);
    } else if (auto added = Add(source, material); !added) {
      return Fail(added.error());
    }
  }
  if (!runs.empty() || request.from.empty()) {
    if (auto added = AddRuns(request.database, runs, material); !added) return Fail(added.error());
  }
  return material;
}

}  // namespace zermelo::data
