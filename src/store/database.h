// A Zermelo database: one SQLite file in WAL mode, so that readers and the writer do not block each
// other. All SQL is in this folder, behind classes for the tables.
//
// Calls block while SQLite works (a write is one append to a file, not flushed to disk: a killed
// process loses nothing that was written, a power failure may lose the last writes). Objects are
// single-threaded; several processes may have the same file open.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"

namespace zermelo::store {

enum class Access { kCreate, kReadOnly };

/// The kind of a file: recorded runs (runs.h, model_calls.h) or a premise index (premises.h).
enum class Content { kRuns, kPremises };

class Database {
 public:
  /// Opens a file, or creates it (kCreate), and migrates it to this version's tables (so an older
  /// file must be writable even for reading). kInput: the file is missing, not a database, of the
  /// other kind, or written by a newer Zermelo; kEnvironment: the disk or another process prevents
  /// it.
  static core::Result<std::unique_ptr<Database>> Open(const std::filesystem::path& path,
                                                      Access access,
                                                      Content content = Content::kRuns);

  const std::filesystem::path& path() const { return path_; }

  /// Runs `action` and returns its result; an SQLite::Exception becomes an error. `what` completes
  /// "cannot …" in its message: "record a model call".
  template <class Action>
  auto Try(std::string_view what, Action action) -> core::Result<decltype(action())> {
    try {
      if constexpr (std::is_void_v<decltype(action())>) {
        action();
        return {};
      } else {
        return action();
      }
    } catch (const SQLite::Exception& e) {
      return core::Fail(Explain(what, e.getErrorCode(), e.what()));
    }
  }

  /// May throw SQLite::Exception: call inside Try.
  SQLite::Statement Prepare(const std::string& sql) { return {connection_, sql}; }
  /// Begins a write transaction, rolled back unless committed. May throw SQLite::Exception: call
  /// inside Try.
  SQLite::Transaction Begin() {
    return SQLite::Transaction(connection_, SQLite::TransactionBehavior::IMMEDIATE);
  }

 private:
  Database(std::filesystem::path path, int flags, Content content);
  void BringUpToDate();
  void SwitchToWal();
  core::Error Explain(std::string_view what, int code, const char* message) const;

  std::filesystem::path path_;
  Content content_;
  SQLite::Database connection_;
};

}  // namespace zermelo::store
