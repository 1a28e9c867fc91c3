#include "cli/options/run_options.h"

#include <fmt/format.h>

#include "core/files/file.h"

namespace zermelo::cli {

namespace fs = std::filesystem;

void RunOptions::AddTo(CLI::App& app) {
  const std::string group = "Recording";
  CLI::Option* no_record =
      app.add_flag("--no-record", this->no_record, "Do not record the run")->group(group);
  app.add_option("--run-db", database,
                 "Database to record the run in (default: .zermelo/runs.db in the file's project)")
      ->excludes(no_record)
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--trace", trace, "Also record the numbers behind every decision")
      ->excludes(no_record)
      ->group(group);
  app.add_flag("--record-tactics", record_tactics,
               "Also record every tactic that a search tries, for training (docs/training.md)")
      ->excludes(no_record)
      ->group(group);
}

core::Result<fs::path> FindRunDatabase(const std::string& named) {
  if (!named.empty()) return fs::path(named);
  const fs::path database = fs::path(".zermelo") / "runs.db";
  std::error_code ignored;
  const auto folder = core::FindFolderWith({database.string()}, fs::current_path(ignored));
  if (folder) return *folder / database;
  return core::Fail(core::ErrorCode::kUsage, "there is no .zermelo/runs.db in this folder or above",
                    "record a run with `zermelo prove`, or name a database with --run-db FILE");
}

std::string ResumeCommand(const fs::path& database, int64_t id) {
  const auto found = FindRunDatabase("");
  std::error_code ignored;
  const bool is_found = found && fs::equivalent(*found, database, ignored);
  return fmt::format("zermelo runs resume {}{}", id,
                     is_found ? "" : " --run-db " + database.string());
}

}  // namespace zermelo::cli
