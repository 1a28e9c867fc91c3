// The database of a Zermelo run: one SQLite file, in WAL mode, so that readers and one writer do
// not wait for each other. The only code that speaks SQL is in this folder: a table is a class.
//
// Calls block for as long as SQLite takes (a write: one append to a file, not flushed to disk; a
// killed process loses nothing that was written, a lost power supply may lose the last writes).
// Objects are for one thread; several processes may have one file open.
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

/// What a file holds: what runs did (runs.h, model_calls.h), or a premise index (premises.h).
enum class Content { kRuns, kPremises };

class Database {
 public:
  /// Opens a file, or creates it (kCreate), and brings it to this version's tables (for that an
  /// older file must be writable also for reading). kInput: it is missing, no database, one of
  /// another content, or written by a newer Zermelo; kEnvironment: the disk or another process does
  /// not let us.
  static core::Result<std::unique_ptr<Database>> Open(const std::filesystem::path& path,
                                                      Access access,
                                                      Content content = Content::kRuns);

  const std::filesystem::path& path() const { return path_; }

  /// Runs `action`, which may throw what SQLiteCpp throws, and returns what it returns. `what`
  /// says what is tried: "record a model call".
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

  /// May throw SQLite::Exception: for use inside Try.
  SQLite::Statement Prepare(const std::string& sql) { return {connection_, sql}; }
  /// Likewise; a transaction that writes, rolled back unless it is committed.
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
