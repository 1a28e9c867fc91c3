// The calls of models in a database: `--record`, `--replay` and `--cache` are modes of one store.
//
// Two calls are equal if model name, settings and request are equal, value by value. A model
// answers equal calls differently unless the request has a seed, so equal calls are numbered in the
// order in which they begin: a run that makes the same calls in the same order gets the same
// answers, byte for byte, errors included.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "record/recorder.h"
#include "store/model_calls.h"

namespace zermelo::record {

enum class StoreMode {
  /// Performs every call and records its answer before returning it; a failure to record is an
  /// error. Equal calls that are already in the database stay; new ones are numbered after them.
  kRecord,
  /// Answers every call from the database. A call that is not in it is a kInput error that states
  /// the differences from the nearest one. A recorded call that was cancelled, because a concurrent
  /// sibling succeeded, returns no completions: a caller that makes the calls one after another
  /// reaches the sibling later.
  kReplay,
  /// Answers calls with reusable answers from the database if possible, free of charge (no usage,
  /// no attempts); otherwise performs them and stores reusable answers.
  kCache,
};

/// A model's call as it is stored; `nth`: its number among equal calls.
store::ModelCall MakeRow(const ExternalCall& call, int64_t nth, const nlohmann::json& answer);

/// Calls on it block for disk writes.
class CallStore : public Recorder {
 public:
  /// Creates the database if necessary, except for replaying. Errors as store::Database::Open.
  static core::Result<std::unique_ptr<CallStore>> Open(const std::filesystem::path& database,
                                                       StoreMode mode);

  core::Task<core::Result<nlohmann::json>> Perform(ExternalCall call) override;
  bool performs_elsewhere() const override { return false; }

 private:
  using Answer = core::Result<nlohmann::json>;
  CallStore(std::unique_ptr<store::Database> database, StoreMode mode);
  core::Task<Answer> Record(ExternalCall call);
  core::Task<Answer> ReuseOrPerform(ExternalCall call);
  Answer Replay(const ExternalCall& call);
  core::Result<int64_t> NumberOf(const std::string& key);
  core::Error Missing(const ExternalCall& call, int64_t nth);

  const std::unique_ptr<store::Database> database_;
  const StoreMode mode_;
  store::ModelCalls calls_;
  std::map<std::string, int64_t> next_;  // number of the next call, by key
};

}  // namespace zermelo::record
