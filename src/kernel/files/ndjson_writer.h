// Writes declarations as an NDJSON export in lean4export's format 3.1.0 (its format_ndjson.md), the
// input of all other checkers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/environment.h"

namespace zermelo::kernel {

/// The metadata of the first line.
struct NdjsonSource {
  std::string lean_version;
  std::string lean_commit;
};

struct NdjsonSummary {
  size_t declarations = 0;
  /// Mentioned by what was written, but not in the environment, or unsafe.
  std::vector<NameId> missing;
  std::vector<NameId> axioms;  // that were written
  /// A declaration with a number that is too large to be written: no reader takes the export.
  std::optional<NameId> too_large;
};

/// Writes these declarations and everything that they depend on, whatever their origin, each line
/// after those that it mentions. As in lean4export's default, `mdata` and binder names are left out
/// (the arena does not store them), and so are unsafe and partial declarations. `write` gets one
/// line at a time, with its line break. No recursion; declarations that depend on themselves are
/// written in some order.
NdjsonSummary WriteNdjson(const Environment& environment, const std::vector<NameId>& roots,
                          const NdjsonSource& source,
                          const std::function<void(std::string_view)>& write);

/// A line before an export that leaves imports out: {"imports":[["Init"],["Lean","Data"]]}.
std::string ImportsLine(const std::vector<NameId>& modules, const Terms& terms);

}  // namespace zermelo::kernel
