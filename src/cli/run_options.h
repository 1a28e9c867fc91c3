// Where runs are recorded, and which verbs look at them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "core/error.h"

namespace zermelo::cli {

struct RunOptions {
  std::string database;    // --run-db; empty: engine::DefaultRunDatabase
  bool no_record = false;  // --no-record
  bool trace = false;      // --trace
  void AddTo(CLI::App& app);
};

/// `named`, else the nearest .zermelo/runs.db here or above.
core::Result<std::filesystem::path> FindRunDatabase(const std::string& named);

/// "zermelo runs resume 12", with --run-db where it is needed.
std::string ResumeCommand(const std::filesystem::path& database, int64_t id);

}  // namespace zermelo::cli
