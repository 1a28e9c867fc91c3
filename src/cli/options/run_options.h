// Options for recording runs, and finding the run database.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "core/error.h"

namespace zermelo::cli {

struct RunOptions {
  std::string database;         // --run-db; empty: engine::DefaultRunDatabase
  bool no_record = false;       // --no-record
  bool trace = false;           // --trace
  bool record_tactics = false;  // --record-tactics
  void AddTo(CLI::App& app);
};

/// `named`, else the nearest .zermelo/runs.db in the current folder or above. kUsage if none.
core::Result<std::filesystem::path> FindRunDatabase(const std::string& named);

/// "zermelo runs resume 12", with --run-db unless FindRunDatabase finds `database`.
std::string ResumeCommand(const std::filesystem::path& database, int64_t id);

}  // namespace zermelo::cli
