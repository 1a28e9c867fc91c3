// Shared by the verbs: options that select Lean, error reports, JSON and duration helpers.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "lean/toolchain.h"

namespace zermelo::cli {

/// Options of every verb that runs Lean.
struct LeanOptions {
  std::string lean;         // --lean
  bool no_sandbox = false;  // --no-sandbox
  void AddTo(CLI::App& app);
};

/// Prints the error and its hint on stderr and returns the exit code.
int Report(const core::Error& error);

/// The folder of the embedded Lean, or empty: $ZERMELO_EMBEDDED, else `embedded` in the nearest
/// folder above the executable that has one.
std::filesystem::path EmbeddedFolder();

/// Finds the Lean that `options` select for a file or folder `near`; prints the toolchain's notes
/// on stderr. Gives up after two minutes.
core::Task<core::Result<lean::Toolchain>> FindLean(const LeanOptions& options,
                                                   std::filesystem::path near);

/// The object `{"version", "kind", "warnings"}` for --json output.
nlohmann::json LeanJson(const lean::Toolchain& toolchain);

/// Parses a duration such as "90", "90s", "2m" or "1.5h". kUsage otherwise.
core::Result<core::Duration> ParseDuration(const std::string& text);

/// For CLI11: a whole number from `least` to `most`; a number above 0. (The messages of CLI11's own
/// differ from version to version.)
CLI::Validator Between(int64_t least, int64_t most);
CLI::Validator Positive();

/// For CLI11: converts a duration option to seconds, or fails with ParseDuration's message.
CLI::Validator DurationValidator();

}  // namespace zermelo::cli
