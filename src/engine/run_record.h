// What a run has written down so far, for RunJournal: in the database, or in memory for tests.
#pragma once

#include <vector>

#include "core/error.h"
#include "store/runs.h"

namespace zermelo::engine {

class RunRecord {
 public:
  RunRecord() = default;
  virtual ~RunRecord() = default;
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// All of them or none; they are still there after the process was killed. `seconds`: of work.
  virtual core::Status Append(const std::vector<store::Event>& events, double seconds) = 0;
  /// At most `count`, from number `from` on, of these kinds (none named: of all).
  virtual core::Result<std::vector<store::Event>> Read(int64_t from, size_t count,
                                                       const std::vector<std::string>& kinds) = 0;
  /// The number after the last one.
  virtual core::Result<int64_t> Count() = 0;
  /// Of work, in all that was appended.
  virtual core::Result<double> Seconds() = 0;
};

/// A run in a database that outlives it.
class StoredRunRecord : public RunRecord {
 public:
  StoredRunRecord(store::Database& database, int64_t run) : runs_(database), run_(run) {}

  core::Status Append(const std::vector<store::Event>& events, double seconds) override {
    return runs_.Append(run_, events, seconds);
  }
  core::Result<std::vector<store::Event>> Read(int64_t from, size_t count,
                                               const std::vector<std::string>& kinds) override {
    return runs_.Events(run_, from, count, kinds);
  }
  core::Result<int64_t> Count() override { return runs_.CountEvents(run_); }
  core::Result<double> Seconds() override;

 private:
  store::Runs runs_;
  const int64_t run_;
};

}  // namespace zermelo::engine
