// A run of `prove` in a run database, new or resumed.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/error.h"
#include "engine/prove_file.h"
#include "record/run_record.h"
#include "store/database.h"
#include "store/run_lock.h"
#include "store/runs.h"

namespace zermelo::engine {

namespace event = record::event;

/// Identifies a run. It can be resumed only with the same `text` and `toolchain`.
struct RunIdentity {
  std::string file;  // absolute path
  std::string text;  // its content
  std::string program;
  nlohmann::json toolchain;
  bool operator==(const RunIdentity&) const = default;
};

nlohmann::json DescribeToolchain(const lean::Toolchain& toolchain);

/// What a row of a run's theorems holds, the other fields at their defaults.
TheoremResult TheoremOf(const store::TheoremRow& row);

/// Creates a `.zermelo` folder that version control ignores; does nothing for other folders.
void MakeProjectFolder(const std::filesystem::path& folder);

/// `.zermelo/runs.db` in the project folder of a file: the nearest folder at or above it with a
/// zermelo.toml, lakefile or lean-toolchain, else the file's own folder.
std::filesystem::path DefaultRunDatabase(const std::filesystem::path& file);

/// `.zermelo/learned` in the same folder (docs/learning.md).
std::filesystem::path LearnedFile(const std::filesystem::path& file);

/// No deadline, and the journal's cancellation.
strategy::Limits LimitsOf(record::RunJournal& journal);

/// What becomes of a run whose search was interrupted.
enum class IfInterrupted { kOpen, kFinished };

/// Holds the lock on a run: while it lives, no other process can work on the run.
class RecordedRun {
 public:
  /// Creates the database, and its folder if that is `.zermelo`. `request`: stored with the run.
  static core::Result<std::unique_ptr<RecordedRun>> Begin(const std::filesystem::path& database,
                                                          const RunIdentity& identity,
                                                          const nlohmann::json& request);
  /// Errors: kInput when there is no such run, it has finished, another process works on it, or its
  /// file's text or its Lean differ from `identity`.
  static core::Result<std::unique_ptr<RecordedRun>> Resume(const std::filesystem::path& database,
                                                           int64_t id, const RunIdentity& identity);

  int64_t id() const { return id_; }
  const std::filesystem::path& database() const { return database_->path(); }
  record::RunRecord& record() { return record_; }
  /// Deletes the run if it has no events; returns whether it did.
  bool DiscardIfEmpty();
  /// Stores the result; an interrupted run stays open, so that it can be resumed, unless it is
  /// never to be.
  core::Status Finish(const ProveResult& result, IfInterrupted interrupted = IfInterrupted::kOpen);

 private:
  RecordedRun(std::unique_ptr<store::Database> database, store::RunLock lock, int64_t id);
  void KeepUse(nlohmann::json* summary);

  const std::unique_ptr<store::Database> database_;
  const store::RunLock lock_;
  const int64_t id_;
  store::Runs runs_;
  record::StoredRunRecord record_;
};

}  // namespace zermelo::engine
