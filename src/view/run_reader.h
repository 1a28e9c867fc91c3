// Recorded runs as the page reads them.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "store/database.h"
#include "view/run_json.h"

namespace zermelo::view {

/// A run database, opened for reading. Calls block while SQLite works. Errors as
/// store::Database::Try.
class RunReader {
 public:
  /// Errors as store::Database::Open.
  static core::Result<RunReader> Open(const std::filesystem::path& database);

  /// {"database", "runs": at most `count` summaries, newest first}
  core::Result<nlohmann::json> List(size_t count);
  /// RunJson. kUsage if there is no such run.
  core::Result<nlohmann::json> Run(int64_t id);
  /// Whether it has ended. kUsage if there is no such run.
  core::Result<bool> Ended(int64_t id);
  /// At most `count` events from number `from` on, with short requests and answers only.
  core::Result<std::vector<nlohmann::json>> Events(int64_t id, int64_t from, size_t count);
  /// One event, whole; null if there is none.
  core::Result<nlohmann::json> Event(int64_t id, int64_t seq);
  /// {"run": RunJson, "events": [all events]}, with long requests and answers only if they are not
  /// too much for a page.
  core::Result<nlohmann::json> Whole(int64_t id);

 private:
  explicit RunReader(std::unique_ptr<store::Database> database);
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<store::Runs> runs_;
};

}  // namespace zermelo::view
