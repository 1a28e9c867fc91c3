// The record of an attempt at a problem: a run in the evaluation's database (docs/runs.md).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/async.h"
#include "core/error.h"
#include "engine/prove_file.h"
#include "engine/recorded_run.h"
#include "record/run_journal.h"

namespace zermelo::eval {

/// Where the attempts of an evaluation are recorded, so that `zermelo export` finds what models and
/// searches wrote (docs/training.md).
struct AttemptRecording {
  std::filesystem::path folder;  // of the evaluation; empty: nothing is recorded
  bool tactics = false;          // with every tactic that a search tries
};

/// The database of the runs in the folder of an evaluation.
std::filesystem::path RunDatabaseIn(const std::filesystem::path& folder);
/// Where the files are that the runs began with.
std::filesystem::path ProblemFolderIn(const std::filesystem::path& folder);

/// What an attempt tries to prove.
struct RecordedAttempt {
  std::string name;        // of the problem, or of its negation
  std::string text;        // of its file
  nlohmann::json request;  // stored with the run
};

/// An attempt is never resumed: an interrupted one is made again, as another run.
class AttemptRecord {
 public:
  /// Writes the file and begins its run. Errors: those of RecordedRun::Begin, and kEnvironment if
  /// the file cannot be written.
  static core::Result<std::unique_ptr<AttemptRecord>> Begin(const core::Executor& executor,
                                                            const AttemptRecording& recording,
                                                            const lean::Toolchain& toolchain,
                                                            const RecordedAttempt& attempt);

  record::RunJournal& journal() { return journal_; }
  /// Called when the record can no longer be written; may be null.
  std::function<void()> on_lost;
  /// Ends the record, of which nothing is left if it has no event. `result`: null if there is none.
  /// kEnvironment: the record is incomplete.
  core::Status End(const engine::ProveResult* result);

 private:
  AttemptRecord(const core::Executor& executor, std::unique_ptr<engine::RecordedRun> run,
                bool tactics);

  std::optional<core::Error> lost_;
  const std::unique_ptr<engine::RecordedRun> run_;
  record::RunJournal journal_;
};

}  // namespace zermelo::eval
