#include "engine/recorded_run.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>

#include "core/files/file.h"
#include "core/hash/hash.h"
#include "core/json.h"

namespace zermelo::engine {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using nlohmann::json;

namespace {

constexpr const char* kFolder = ".zermelo";

std::string Now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string LeanOf(const json& toolchain) {
  return fmt::format("{} ({}, {})", toolchain.value("version", "?"), toolchain.value("kind", "?"),
                     toolchain.value("path", "?"));
}

core::Status CheckIdentity(const store::Run& run, const RunIdentity& now) {
  if (run.fingerprint != core::HexHash64(now.text)) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("run {} cannot be resumed: {} has changed since it began", run.id, run.file),
        "restore the file, or start a new run");
  }
  const json toolchain = core::JsonOrDiscarded(run.toolchain);
  if (toolchain != now.toolchain) {
    return Fail(ErrorCode::kInput,
                fmt::format("run {} cannot be resumed: it began with Lean {}, but Lean is now {}",
                            run.id, LeanOf(toolchain), LeanOf(now.toolchain)),
                "select that Lean with --lean, or start a new run");
  }
  return {};
}

store::TheoremRow RowOf(const TheoremResult& theorem, size_t position) {
  store::TheoremRow row;
  row.position = static_cast<int64_t>(position);
  row.name = theorem.name;
  row.line = static_cast<int64_t>(theorem.line);
  row.status = Name(theorem.status);
  row.proof = theorem.proof;
  row.message = theorem.message;
  row.axioms = json(theorem.axioms).dump();
  row.seconds = theorem.seconds;
  row.checks = static_cast<int64_t>(theorem.checks);
  row.samples = static_cast<int64_t>(theorem.samples);
  return row;
}

}  // namespace

TheoremResult TheoremOf(const store::TheoremRow& row) {
  TheoremResult theorem;
  theorem.name = row.name;
  theorem.line = static_cast<size_t>(row.line);
  for (const auto status : {TheoremStatus::kProved, TheoremStatus::kProvedFrom,
                            TheoremStatus::kUnproved, TheoremStatus::kError}) {
    if (row.status == Name(status)) theorem.status = status;
  }
  theorem.proof = row.proof;
  theorem.message = row.message;
  theorem.seconds = row.seconds;
  theorem.checks = static_cast<uint64_t>(row.checks);
  theorem.samples = static_cast<uint64_t>(row.samples);
  return theorem;
}

json DescribeToolchain(const lean::Toolchain& toolchain) {
  return core::Picked(toolchain, {"version", "kind", "path"});
}

void MakeProjectFolder(const fs::path& folder) {
  std::error_code ignored;
  if (folder.filename() != kFolder || !fs::create_directory(folder, ignored)) return;
  std::ofstream(folder / ".gitignore") << "*\n";
}

fs::path DefaultRunDatabase(const fs::path& file) {
  const fs::path own = fs::absolute(file).lexically_normal().parent_path();
  const auto project = core::FindFolderWith(
      {"zermelo.toml", "lakefile.toml", "lakefile.lean", "lean-toolchain"}, own);
  return project.value_or(own) / kFolder / "runs.db";
}

fs::path LearnedFile(const fs::path& file) {
  return DefaultRunDatabase(file).parent_path() / "learned";
}

strategy::Limits LimitsOf(record::RunJournal& journal) {
  strategy::Limits limits;
  limits.stop = [&journal] { return journal.interrupted(); };
  limits.cancellation = &journal.cancellation();
  limits.journal = &journal;
  return limits;
}

RecordedRun::RecordedRun(std::unique_ptr<store::Database> database, store::RunLock lock, int64_t id)
    : database_(std::move(database)),
      lock_(std::move(lock)),
      id_(id),
      runs_(*database_),
      record_(*database_, id) {}

Result<std::unique_ptr<RecordedRun>> RecordedRun::Begin(const fs::path& database,
                                                        const RunIdentity& identity,
                                                        const json& request) {
  MakeProjectFolder(database.parent_path());
  auto opened = store::Database::Open(database, store::Access::kCreate);
  if (!opened) return Fail(opened.error());
  store::Run run;
  run.started = Now();
  run.program = identity.program;
  run.file = identity.file;
  run.fingerprint = core::HexHash64(identity.text);
  run.toolchain = identity.toolchain.dump();
  run.request = request.dump();
  const auto id = store::Runs(**opened).Add(run);
  if (!id) return Fail(id.error());
  auto lock = store::RunLock::Take(database, *id);
  if (!lock) return Fail(lock.error());
  return std::unique_ptr<RecordedRun>(new RecordedRun(std::move(*opened), std::move(*lock), *id));
}

Result<std::unique_ptr<RecordedRun>> RecordedRun::Resume(const fs::path& database, int64_t id,
                                                         const RunIdentity& identity) {
  auto opened = store::Database::Open(database, store::Access::kCreate);
  if (!opened) return Fail(opened.error());
  auto lock = store::RunLock::Take(database, id);
  if (!lock) return Fail(lock.error());
  const auto run = store::Runs(**opened).Find(id);
  if (!run) return Fail(run.error());
  if (!*run) return Fail(ErrorCode::kInput, fmt::format("there is no run {}", id));
  if ((*run)->state == "finished") {
    return Fail(ErrorCode::kInput, fmt::format("run {} has finished", id),
                fmt::format("see: zermelo runs show {}", id));
  }
  if (auto same = CheckIdentity(**run, identity); !same) return Fail(same.error());
  if (identity.file != (*run)->file) {
    if (auto moved = store::Runs(**opened).SetFile(id, identity.file); !moved)
      return Fail(moved.error());
  }
  return std::unique_ptr<RecordedRun>(new RecordedRun(std::move(*opened), std::move(*lock), id));
}

bool RecordedRun::DiscardIfEmpty() { return runs_.RemoveEmpty(id_).value_or(false); }

/// Copies what the run has used from its stored result.
void RecordedRun::KeepUse(json* summary) {
  const auto run = runs_.Find(id_);
  if (!run || !*run) return;
  const json stored = core::JsonOrDiscarded((*run)->result);
  if (!stored.is_object()) return;
  for (const char* field : {"roles", "checks", "lean_seconds", "lean_by_role"}) {
    if (const auto found = stored.find(field); found != stored.end()) (*summary)[field] = *found;
  }
}

core::Status RecordedRun::Finish(const ProveResult& result, IfInterrupted interrupted) {
  std::vector<store::TheoremRow> rows;
  for (size_t i = 0; i < result.theorems.size(); ++i) {
    rows.push_back(RowOf(result.theorems[i], i));
  }
  json summary{{"proved", result.proved()},
               {"theorems", result.theorems.size()},
               {"notes", result.notes},
               {"roles", result.roles()}};
  if (!result.used.is_null()) {
    for (const char* field : {"checks", "lean_seconds", "lean_by_role"}) {
      summary[field] = result.used[field];
    }
    // Of the theorem that was interrupted, the result does not know them.
    if (result.interrupted) summary["roles"] = result.used["roles"];
  } else {
    KeepUse(&summary);
  }
  if (!result.receipt.is_null()) summary["receipt"] = result.receipt;
  return runs_.Finish(id_, rows, core::Dump(summary),
                      !result.interrupted || interrupted == IfInterrupted::kFinished);
}

}  // namespace zermelo::engine
