// What every verb shares: global options, where output goes, how errors end the program.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "lean/toolchain.h"

namespace zermelo::cli {

/// Options that every verb which runs Lean takes.
struct LeanOptions {
  std::string lean;         // --lean
  bool no_sandbox = false;  // --no-sandbox
  void AddTo(CLI::App& app);
};

/// Prints the error and its hint on stderr and answers the exit code.
int Report(const core::Error& error);

/// The folder of the Lean that comes along, or empty: $ZERMELO_EMBEDDED, else `embedded` beside a
/// folder above the executable.
std::filesystem::path EmbeddedFolder();

/// Looks for Lean as `options` say, for a file or folder `near`; prints the toolchain's notes.
core::Task<core::Result<lean::Toolchain>> FindLean(const LeanOptions& options,
                                                   std::filesystem::path near);

/// `{"version", "kind", "warnings"}` of every answer with --json.
nlohmann::json LeanJson(const lean::Toolchain& toolchain);

/// "90", "90s", "2m", "1.5h" as a duration. kUsage otherwise.
core::Result<core::Duration> ParseDuration(const std::string& text);

/// For CLI11: converts a duration option to seconds, or fails with our message.
CLI::Validator DurationValidator();

}  // namespace zermelo::cli
