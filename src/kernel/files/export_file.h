// Exports what a compiled module declares, with everything that it depends on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace zermelo::kernel {

struct ExportRequest {
  std::filesystem::path file;
  std::vector<std::filesystem::path> search_path;  // of imports
  std::vector<std::string> names;                  // empty: all safe declarations of the file
  bool imports = false;  // all safe declarations of the imported modules, too
  /// Nothing of the imports; instead they are named in a line before the export:
  /// {"imports":[["Init"],["Lean","Data"]]}.
  bool own = false;
};

struct ExportReport {
  size_t declarations = 0;
  std::vector<std::string> missing;  // mentioned, but declared nowhere or unsafe; printed
};

/// Writes NDJSON as WriteNdjson does. kInput for a file that cannot be read or is malformed, and
/// for a name that it does not declare; kEnvironment when an import is missing.
core::Result<ExportReport> ExportFile(const ExportRequest& request,
                                      const std::function<void(std::string_view)>& write);

}  // namespace zermelo::kernel
