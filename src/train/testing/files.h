// For tests only: files of training runs.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace zermelo::train::testing {

inline std::filesystem::path WriteLines(const std::filesystem::path& path,
                                        const std::vector<nlohmann::json>& lines) {
  std::ofstream file(path);
  for (const auto& line : lines) file << line.dump() << "\n";
  return path;
}

inline std::string Bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

inline std::vector<nlohmann::json> Lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<nlohmann::json> out;
  for (std::string line; std::getline(file, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

}  // namespace zermelo::train::testing
