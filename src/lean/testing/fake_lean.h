// For tests only: fake_lean.py as a toolchain.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "core/files/file.h"
#include "lean/toolchain.h"
#include "syntax/testing/sites.h"

namespace zermelo::lean::testing {

inline std::filesystem::path FakeLeanPath() {
  return std::filesystem::path(ZERMELO_SOURCE_DIR) / "src" / "lean" / "testing" / "fake_lean.py";
}

inline Toolchain FakeToolchain(const std::filesystem::path& document_folder) {
  return {.kind = ToolchainKind::kExplicit,
          .lean = FakeLeanPath(),
          .version = "4.28.0-pre",
          .document_folder = document_folder};
}

/// A document line with a directive for fake_lean.py.
inline std::string Fake(const std::string& directive) { return "-- fake: " + directive + "\n"; }

using syntax::testing::LastSite;

/// The hole of fake_lean.py's game with `number` as its goal.
inline syntax::ProofSite GameSite(int number) {
  return LastSite("theorem game : " + std::to_string(number) + " := by\n  sorry\n");
}

inline void WriteExecutable(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << content;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace zermelo::lean::testing
