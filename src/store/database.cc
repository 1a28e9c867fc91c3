#include "store/database.h"

#include <SQLiteCpp/Transaction.h>
#include <array>
#include <fmt/format.h>
#include <sqlite3.h>

namespace zermelo::store {

using core::Error;
using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

constexpr int kBusyMilliseconds = 5'000;

// Step i brings a file of version i to version i + 1 (PRAGMA user_version). Steps that have been
// released do not change.
constexpr std::array kSteps{
    // 1: what models were asked and answered (model_calls.h).
    R"sql(
      CREATE TABLE model_calls (
        id      INTEGER PRIMARY KEY,
        model   TEXT NOT NULL,
        key     TEXT NOT NULL,
        nth     INTEGER NOT NULL,
        request TEXT NOT NULL,
        reply   TEXT NOT NULL,
        UNIQUE (key, nth)
      ) STRICT;
      CREATE INDEX model_calls_by_model ON model_calls (model);
    )sql",
};
constexpr int kVersion = static_cast<int>(kSteps.size());

}  // namespace

Database::Database(std::filesystem::path path, int flags)
    : path_(std::move(path)), connection_(path_.string(), flags, kBusyMilliseconds) {}

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& path, Access access) {
  std::error_code ignored;
  if (access == Access::kReadOnly && !std::filesystem::exists(path, ignored)) {
    return Fail(ErrorCode::kInput, fmt::format("there is no {}", path.string()));
  }
  const int flags = access == Access::kReadOnly ? SQLite::OPEN_READONLY
                                                : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  std::unique_ptr<Database> database;
  try {
    database.reset(new Database(path, flags));
    const int version = database->connection_.execAndGet("PRAGMA user_version").getInt();
    if (version > kVersion) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("{} was written by a newer Zermelo (version {} of its tables, {} here)",
                      path.string(), version, kVersion));
    }
    if (access == Access::kReadOnly && version < kVersion) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} is not a database of Zermelo, or an older one", path.string()));
    }
    if (access == Access::kCreate) database->BringUpToDate();
  } catch (const SQLite::Exception& e) {
    if (database) return Fail(database->Explain("open it", e.getErrorCode(), e.what()));
    return Fail(ErrorCode::kEnvironment,
                fmt::format("cannot open {}: {}", path.string(), e.what()));
  }
  return database;
}

void Database::BringUpToDate() {
  {
    const SQLite::Transaction reading(connection_);
    const bool is_new = connection_.execAndGet("PRAGMA user_version").getInt() == 0;
    if (is_new && connection_.execAndGet("SELECT count(*) FROM sqlite_master").getInt() > 0) {
      throw SQLite::Exception("it holds tables that are not Zermelo's", SQLITE_NOTADB);
    }
  }
  connection_.exec("PRAGMA journal_mode = WAL");
  connection_.exec("PRAGMA synchronous = NORMAL");
  connection_.exec("PRAGMA foreign_keys = ON");
  SQLite::Transaction transaction(connection_, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = connection_.execAndGet("PRAGMA user_version").getInt();
  for (int step = version; step < kVersion; ++step) {
    connection_.exec(kSteps.at(static_cast<size_t>(step)));
  }
  connection_.exec(fmt::format("PRAGMA user_version = {}", kVersion));
  transaction.commit();
}

Error Database::Explain(std::string_view what, int code, const char* message) const {
  const bool foreign = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  return {foreign ? ErrorCode::kInput : ErrorCode::kEnvironment,
          fmt::format("{}: cannot {}: {}", path_.string(), what, message),
          code == SQLITE_BUSY ? "another process has been writing to it for long" : ""};
}

}  // namespace zermelo::store
