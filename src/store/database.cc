#include "store/database.h"

#include <array>
#include <chrono>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>

namespace zermelo::store {

using core::Error;
using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

constexpr int kBusyMilliseconds = 5'000;

// Step i migrates a file from version i to version i + 1 (PRAGMA user_version). Released steps must
// not change.
constexpr std::array kSteps{
    // 1: model requests and replies (model_calls.h).
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
    // 2: runs, their events and results (runs.h).
    R"sql(
      CREATE TABLE runs (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        started     TEXT NOT NULL,
        program     TEXT NOT NULL,
        file        TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        toolchain   TEXT NOT NULL,
        request     TEXT NOT NULL,
        state       TEXT NOT NULL,
        seconds     REAL NOT NULL,
        result      TEXT NOT NULL
      ) STRICT;
      CREATE TABLE events (
        id     INTEGER PRIMARY KEY,
        run    INTEGER NOT NULL REFERENCES runs (id),
        seq    INTEGER NOT NULL,
        at     REAL NOT NULL,
        kind   TEXT NOT NULL,
        fields TEXT NOT NULL,
        answer TEXT NOT NULL,
        call   INTEGER REFERENCES model_calls (id),
        UNIQUE (run, seq)
      ) STRICT;
      CREATE TABLE theorems (
        run      INTEGER NOT NULL REFERENCES runs (id),
        position INTEGER NOT NULL,
        name     TEXT NOT NULL,
        line     INTEGER NOT NULL,
        status   TEXT NOT NULL,
        proof    TEXT NOT NULL,
        message  TEXT NOT NULL,
        axioms   TEXT NOT NULL,
        seconds  REAL NOT NULL,
        checks   INTEGER NOT NULL,
        samples  INTEGER NOT NULL,
        PRIMARY KEY (run, position)
      ) STRICT;
    )sql",
};

// Steps for premise indexes. `premises.words` has the words of a premise's name and notations; the
// table `words` has the number of premises in which each frequent word occurs.
constexpr std::array kPremiseSteps{
    R"sql(
      CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE modules (
        id       INTEGER PRIMARY KEY,
        name     TEXT NOT NULL UNIQUE,
        stamp    TEXT NOT NULL,
        imports  TEXT NOT NULL,
        first    INTEGER NOT NULL,
        count    INTEGER NOT NULL,
        shapes   BLOB NOT NULL,
        theorems BLOB NOT NULL
      ) STRICT;
      CREATE TABLE premises (
        id        INTEGER PRIMARY KEY,
        name      TEXT NOT NULL,
        kind      TEXT NOT NULL,
        signature TEXT NOT NULL,
        docstring TEXT NOT NULL,
        words     TEXT NOT NULL,
        content   INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX premises_by_name ON premises (name);
      CREATE VIRTUAL TABLE premise_text USING fts5 (
        name, words, signature, docstring,
        content = 'premises', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
      );
      CREATE VIRTUAL TABLE premise_words USING fts5vocab (premise_text, row);
      CREATE TABLE words (
        word     TEXT PRIMARY KEY,
        premises INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE symbols (
        id   INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        last TEXT NOT NULL
      ) STRICT;
      CREATE INDEX symbols_by_last ON symbols (last);
      CREATE TABLE vectors (
        model   TEXT NOT NULL,
        content INTEGER NOT NULL,
        vector  BLOB NOT NULL,
        PRIMARY KEY (model, content)
      ) STRICT, WITHOUT ROWID;
    )sql",
};
constexpr int kPremiseId = 0x5A50;  // PRAGMA application_id of a premise index

int ApplicationId(Content content) { return content == Content::kPremises ? kPremiseId : 0; }

int Version(Content content) {
  return static_cast<int>(content == Content::kPremises ? kPremiseSteps.size() : kSteps.size());
}

const char* Step(Content content, int step) {
  const auto at = static_cast<size_t>(step);
  return content == Content::kPremises ? kPremiseSteps.at(at) : kSteps.at(at);
}

/// The hint for an SQLite result code; may be empty.
const char* Advice(int code) {
  switch (code) {
    case SQLITE_BUSY:
      return "another process is writing to it; try again later";
    case SQLITE_FULL:
      return "the disk is full; free some space";
    case SQLITE_CORRUPT:
      return "the file is damaged; move it away, or recover its contents with `sqlite3 FILE "
             ".recover`";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return "check that you may write to the file and to its folder";
    default:
      return "";
  }
}

}  // namespace

Database::Database(std::filesystem::path path, int flags, Content content)
    : path_(std::move(path)),
      content_(content),
      connection_(path_.string(), flags, kBusyMilliseconds) {}

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& path, Access access,
                                                 Content content) {
  std::error_code ignored;
  if (access == Access::kReadOnly && !std::filesystem::exists(path, ignored)) {
    return Fail(ErrorCode::kInput, fmt::format("{} does not exist", path.string()));
  }
  const int flags = access == Access::kReadOnly ? SQLite::OPEN_READONLY
                                                : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  std::unique_ptr<Database> database;
  try {
    database.reset(new Database(path, flags, content));
    const int version = database->connection_.execAndGet("PRAGMA user_version").getInt();
    const int of = database->connection_.execAndGet("PRAGMA application_id").getInt();
    if (version > 0 && of != ApplicationId(content)) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} is {}", path.string(),
                              of == kPremiseId ? "a premise index, not a run database"
                                               : "not a premise index"));
    }
    const int known = Version(content);
    if (version > known) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("{} was written by a newer Zermelo (schema version {}; supported: {})",
                      path.string(), version, known));
    }
    if (access == Access::kReadOnly && version == 0) {
      return Fail(ErrorCode::kInput, fmt::format("{} is not a Zermelo database", path.string()));
    }
    if (access == Access::kCreate) database->BringUpToDate();
    if (access == Access::kReadOnly && version < known) {
      Database(path, SQLite::OPEN_READWRITE, content).BringUpToDate();
    }
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
      throw SQLite::Exception("it contains tables that are not Zermelo's", SQLITE_NOTADB);
    }
  }
  SwitchToWal();
  connection_.exec("PRAGMA synchronous = NORMAL");
  connection_.exec("PRAGMA foreign_keys = ON");
  SQLite::Transaction transaction(connection_, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = connection_.execAndGet("PRAGMA user_version").getInt();
  for (int step = version; step < Version(content_); ++step) {
    connection_.exec(Step(content_, step));
  }
  // BM25 weights of name, words, signature and docstring, chosen with ./zermelo bench retrieve.
  if (version == 0 && content_ == Content::kPremises) {
    connection_.exec(
        "INSERT INTO premise_text (premise_text, rank) VALUES ('rank', 'bm25(4, 2, 1, 2)')");
  }
  connection_.exec(fmt::format("PRAGMA application_id = {}", ApplicationId(content_)));
  connection_.exec(fmt::format("PRAGMA user_version = {}", Version(content_)));
  transaction.commit();
}

/// Retries: SQLite's busy timeout does not apply when two processes switch at once, because each
/// would wait for the other's shared lock.
void Database::SwitchToWal() {
  constexpr auto kPause = std::chrono::milliseconds(5);
  for (int waited = 0;; waited += static_cast<int>(kPause.count())) {
    try {
      connection_.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& e) {
      if (e.getErrorCode() != SQLITE_BUSY || waited >= kBusyMilliseconds) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

Error Database::Explain(std::string_view what, int code, const char* message) const {
  const bool foreign = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
  return {foreign ? ErrorCode::kInput : ErrorCode::kEnvironment,
          fmt::format("{}: cannot {}: {}", path_.string(), what, message), Advice(code)};
}

}  // namespace zermelo::store
