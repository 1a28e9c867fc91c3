// The events recorded for a run, for RunJournal: in the database, or in memory for tests.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "store/runs.h"

namespace zermelo::record {

class RunRecord {
 public:
  RunRecord() = default;
  virtual ~RunRecord() = default;
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// Appends all events or none; they survive a kill of the process. `seconds`: total work so far.
  /// `used`: what the run has used so far (JSON); empty: unknown.
  virtual core::Status Append(const std::vector<store::Event>& events, double seconds,
                              const std::string& used) = 0;
  /// Reads at most `count` events of `kinds` (empty: all kinds), starting at number `from`.
  virtual core::Result<std::vector<store::Event>> Read(int64_t from, size_t count,
                                                       const std::vector<std::string>& kinds) = 0;
  /// The number of the next event.
  virtual core::Result<int64_t> Count() = 0;
  /// The seconds of work recorded so far.
  virtual core::Result<double> Seconds() = 0;
};

/// A run in a database, which must outlive it.
class StoredRunRecord : public RunRecord {
 public:
  StoredRunRecord(store::Database& database, int64_t run) : runs_(database), run_(run) {}

  core::Status Append(const std::vector<store::Event>& events, double seconds,
                      const std::string& used) override {
    return runs_.Append(run_, events, seconds, used);
  }
  core::Result<std::vector<store::Event>> Read(int64_t from, size_t count,
                                               const std::vector<std::string>& kinds) override {
    return runs_.Events(run_, from, count, kinds);
  }
  core::Result<int64_t> Count() override { return runs_.CountEvents(run_); }
  core::Result<double> Seconds() override {
    const auto run = runs_.Find(run_);
    if (!run) return core::Fail(run.error());
    return *run ? (*run)->seconds : 0;
  }

 private:
  store::Runs runs_;
  const int64_t run_;
};

}  // namespace zermelo::record
