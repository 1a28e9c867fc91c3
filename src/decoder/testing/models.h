// For tests only: the models that make_models.py made.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files/file.h"

namespace zermelo::decoder::testing {

inline const std::filesystem::path kModels = ZERMELO_SOURCE_DIR "/src/decoder/testing/models";

inline nlohmann::json ReadJson(const std::filesystem::path& path) {
  return nlohmann::json::parse(core::ReadTextFile(path).value());
}

}  // namespace zermelo::decoder::testing
