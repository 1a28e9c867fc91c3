// A run of `prove` in a run database: begun, or taken up again.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/error.h"
#include "engine/prove_file.h"
#include "engine/run_record.h"
#include "store/database.h"
#include "store/run_lock.h"
#include "store/runs.h"

namespace zermelo::engine {

/// What a run must still be like when it is resumed.
struct RunIdentity {
  std::string file;  // absolute path
  std::string text;  // what it holds
  std::string program;
  nlohmann::json toolchain;
  bool operator==(const RunIdentity&) const = default;
};

nlohmann::json DescribeToolchain(const lean::Toolchain& toolchain);

/// `.zermelo/runs.db` in the folder of the project that a file belongs to: the nearest one with a
/// zermelo.toml, lakefile or lean-toolchain, else the file's own.
std::filesystem::path DefaultRunDatabase(const std::filesystem::path& file);

/// Nobody else works on the run while this lives.
class RecordedRun {
 public:
  /// Creates the database, and the `.zermelo` that it may be in. `request`: what Resume gives back.
  static core::Result<std::unique_ptr<RecordedRun>> Begin(const std::filesystem::path& database,
                                                          const RunIdentity& identity,
                                                          const nlohmann::json& request);
  /// Errors: kInput when there is no such run, it has finished, another process works on it, or it
  /// is of another file or Lean than `identity` says.
  static core::Result<std::unique_ptr<RecordedRun>> Resume(const std::filesystem::path& database,
                                                           int64_t id, const RunIdentity& identity);

  int64_t id() const { return id_; }
  const std::filesystem::path& database() const { return database_->path(); }
  RunRecord& record() { return record_; }
  /// Forgets the run if it has done nothing; whether it has.
  bool DiscardIfEmpty();
  /// Stores what came out; an interrupted run stays open.
  core::Status Finish(const ProveResult& result);

 private:
  RecordedRun(std::unique_ptr<store::Database> database, store::RunLock lock, int64_t id);

  const std::unique_ptr<store::Database> database_;
  const store::RunLock lock_;
  const int64_t id_;
  store::Runs runs_;
  StoredRunRecord record_;
};

}  // namespace zermelo::engine
