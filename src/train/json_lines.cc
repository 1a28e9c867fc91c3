#include "train/json_lines.h"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/json.h"

namespace zermelo::train {

using core::ErrorCode;
using core::Fail;

core::Status ReadJsonLines(const std::filesystem::path& path, const std::string& expected,
                           const std::function<core::Status(const nlohmann::json&)>& use) {
  std::ifstream file(path);
  if (!file) return Fail(ErrorCode::kInput, "cannot read " + path.string());
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto fail = [&](const std::string& why, const std::string& hint) {
      return Fail(ErrorCode::kInput, fmt::format("{}:{}: {}", path.string(), number, why), hint);
    };
    const auto row = core::ParseJson(line);
    if (!row) return fail("this " + row.error().what, expected);
    try {
      if (auto used = use(*row); !used) {
        return fail(used.error().message, used.error().hint);
      }
    } catch (const nlohmann::json::exception& error) {
      return fail(error.what(), expected);
    }
  }
  if (file.bad()) return Fail(ErrorCode::kInput, "cannot read " + path.string());
  return {};
}

}  // namespace zermelo::train
