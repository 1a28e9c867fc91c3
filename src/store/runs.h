// The tables of runs: what was asked for, every event on the way, and what came out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/model_calls.h"

namespace zermelo::store {

/// One job: problem, strategy, parameters, budget and seed.
struct Run {
  int64_t id = 0;
  std::string started;      // UTC, ISO 8601
  std::string program;      // the version of Zermelo that recorded it
  std::string file;         // absolute path of the problem
  std::string fingerprint;  // of the file's bytes
  std::string toolchain;    // JSON: which Lean
  std::string request;      // JSON: everything else that the job needs to be done again
  std::string state;        // "open", "finished"
  double seconds = 0;       // of work so far
  std::string result;       // JSON, once finished
  bool operator==(const Run&) const = default;
};

/// A row of what a run did; `seq` counts from 0 without gaps.
struct Event {
  int64_t seq = 0;
  double at = 0;       // seconds of work since the run began
  std::string kind;    // docs/runs.md
  std::string fields;  // JSON object
  std::string answer;  // JSON of what came back; empty: nothing did. A model's is in its call.
  std::optional<ModelCall> call;  // what a model was asked and answered; nth is given on Append
  bool operator==(const Event&) const = default;
};

/// The outcome for one hole.
struct TheoremRow {
  int64_t position = 0;  // in the job, from 0
  std::string name;
  int64_t line = 0;
  std::string status;  // "proved", "unproved", "error"
  std::string proof;
  std::string message;
  std::string axioms;  // JSON array
  double seconds = 0;
  int64_t checks = 0;
  int64_t samples = 0;
  bool operator==(const TheoremRow&) const = default;
};

/// Errors as Database tells them. Every call is done as a whole or not at all.
class Runs {
 public:
  /// The database must outlive the object.
  explicit Runs(Database& database) : database_(database) {}

  /// Its id; `run.id` and `run.state` are not looked at.
  core::Result<int64_t> Add(const Run& run);
  /// Nothing when there is none.
  core::Result<std::optional<Run>> Find(int64_t id);
  /// Removes a run that has no events; answers whether it did.
  core::Result<bool> RemoveEmpty(int64_t id);
  /// Newest first.
  core::Result<std::vector<Run>> Newest(size_t count);

  /// Events come in order of their numbers; an error if a number is there already. `seconds` is
  /// how much work the run has seen.
  core::Status Append(int64_t run, const std::vector<Event>& events, double seconds);
  /// At most `count` events from number `from` on, of these kinds (none named: of all).
  core::Result<std::vector<Event>> Events(int64_t run, int64_t from, size_t count,
                                          const std::vector<std::string>& kinds = {});
  core::Result<int64_t> CountEvents(int64_t run);
  /// The kinds of its events, the first one first, and how many there are of each.
  core::Result<std::vector<std::pair<std::string, int64_t>>> Kinds(int64_t run);

  /// Stores the outcomes and closes the run; outcomes of an earlier end are replaced.
  core::Status Finish(int64_t run, const std::vector<TheoremRow>& theorems,
                      const std::string& result, bool finished);
  core::Result<std::vector<TheoremRow>> Theorems(int64_t run);

 private:
  Database& database_;
};

}  // namespace zermelo::store
