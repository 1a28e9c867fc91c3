#include "eval/attempt_record.h"

#include "core/files/file.h"
#include "engine/receipt/receipt.h"
#include "eval/folder.h"

namespace zermelo::eval {

namespace fs = std::filesystem;
using core::Fail;
using core::Result;

fs::path RunDatabaseIn(const fs::path& folder) { return folder / "runs.db"; }

fs::path ProblemFolderIn(const fs::path& folder) { return folder / "problems"; }

Result<std::unique_ptr<AttemptRecord>> AttemptRecord::Begin(const core::Executor& executor,
                                                            const AttemptRecording& recording,
                                                            const lean::Toolchain& toolchain,
                                                            const RecordedAttempt& attempt) {
  engine::RunIdentity identity;
  identity.text = attempt.text;
  identity.program = engine::ProgramVersion();
  identity.toolchain = engine::DescribeToolchain(toolchain);
  const fs::path named = ProblemFolderIn(recording.folder) / (FileNameFor(attempt.name) + ".lean");
  const fs::path file = fs::absolute(named).lexically_normal();
  identity.file = file.string();
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  if (auto written = core::WriteFileAtomically(file, identity.text); !written) {
    return Fail(written.error());
  }
  auto run = engine::RecordedRun::Begin(RunDatabaseIn(recording.folder), identity, attempt.request);
  if (!run) return Fail(run.error());
  return std::unique_ptr<AttemptRecord>(
      new AttemptRecord(executor, *std::move(run), recording.tactics));
}

AttemptRecord::AttemptRecord(const core::Executor& executor,
                             std::unique_ptr<engine::RecordedRun> run, bool tactics)
    : run_(std::move(run)),
      journal_(executor, &run_->record(),
               {.records_tactics = tactics, .on_lost_record = [this](const core::Error& error) {
                  lost_ = error;
                  if (on_lost) on_lost();
                }}) {}

core::Status AttemptRecord::End(const engine::ProveResult* result) {
  core::Status ended;
  if (result != nullptr) {
    ended = run_->Finish(*result, engine::IfInterrupted::kFinished);
  } else {
    run_->DiscardIfEmpty();
  }
  if (ended && !journal_.lost()) return {};
  const core::Error why = !ended ? ended.error() : lost_.value_or(core::Error());
  return Fail(core::ErrorCode::kEnvironment,
              why.message.empty() ? "an attempt could not be recorded" : why.message, why.hint);
}

}  // namespace zermelo::eval
