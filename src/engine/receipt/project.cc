#include "engine/receipt/project.h"

#include <nlohmann/json.hpp>

#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "core/json.h"
#include "core/text.h"
#include "engine/receipt/git_commit.h"

namespace zermelo::engine {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

json TextOrNull(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? *at : json();
}

/// What a lake-manifest.json says of its packages; a package in the project itself has no `rev`.
json PackagesOf(const std::string& manifest) {
  json packages = json::array();
  const json parsed = core::JsonOrDiscarded(manifest);
  if (!parsed.is_object() || !parsed.contains("packages")) return packages;
  for (const json& package : parsed["packages"]) {
    if (!package.is_object()) continue;
    packages.push_back({{"name", TextOrNull(package, "name")},
                        {"url", TextOrNull(package, "url")},
                        {"rev", TextOrNull(package, "rev")}});
  }
  return packages;
}

}  // namespace

json DescribeProject(const fs::path& project) {
  if (project.empty()) return nullptr;
  const std::string commit = CommitAt(project);
  const auto toolchain = core::ReadTextFile(project / "lean-toolchain");
  const auto manifest = core::ReadTextFile(project / "lake-manifest.json");
  return {{"commit", commit.empty() ? json() : json(commit)},
          {"toolchain", toolchain ? json(core::Trim(*toolchain)) : json()},
          {"manifest_sha256", manifest ? json(core::Sha256Hex(*manifest)) : json()},
          {"packages", manifest ? PackagesOf(*manifest) : json::array()}};
}

}  // namespace zermelo::engine
