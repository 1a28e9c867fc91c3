// The theorems of a compiled library as a benchmark: prove a theorem of module M with what M
// imports, so that neither it nor what comes after it can be used.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/async.h"
#include "core/cancellation.h"
#include "core/error.h"
#include "eval/problem.h"
#include "lean/library/library_statements.h"
#include "lean/toolchain.h"

namespace zermelo::eval {

/// Dataset::format of such a benchmark.
inline constexpr const char* kLibraryFormat = "library";

/// A benchmark that is named, not read from a path: `corelib`, `corelib:Init.Data.List`,
/// `library:Mathlib.Algebra`.
struct LibraryName {
  bool core = false;   // Lean's own library: the modules of Init and Std, if there is no prefix
  std::string prefix;  // modules M and M.… for this M; empty: see `core`
  bool operator==(const LibraryName&) const = default;

  std::string Text() const;
  bool Has(const std::string& module) const;
};
/// nullopt: it is a path. kUsage: `library` without a prefix, or a prefix that is no module name.
core::Result<std::optional<LibraryName>> ParseLibraryName(const std::string& dataset);

struct LibraryRequest {
  LibraryName name;
  std::string split;             // as Selection::split: modules without problems in it are skipped
  std::filesystem::path folder;  // of the kept problems; empty: in the user's cache
  lean::LibraryStatementsOptions options;
  /// The number of modules whose problems are ready, the number of all modules, and the last one
  /// done.
  std::function<void(size_t done, size_t total, const std::string& module)> on_progress;
};

/// Generates the problems of modules that are not kept yet, and returns those of all modules. A run
/// that is stopped continues where it ended. Problems are in the order of module names; `note`s say
/// what is left out and why. Errors: kUsage: there is no such module; kEnvironment: Lean cannot
/// print statements; kCancelled; kInput: a file cannot be written.
core::Task<core::Result<Dataset>> MakeLibraryDataset(const lean::Toolchain& toolchain,
                                                     LibraryRequest request,
                                                     core::Cancellation& cancellation);

/// The dataset of some modules: what remains of their statements without repetitions.
Dataset DatasetOf(const LibraryName& name, const std::vector<lean::ModuleStatements>& modules,
                  const std::string& lean_version);

}  // namespace zermelo::eval
