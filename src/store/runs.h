// The tables of runs: their requests, events and results.
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
  std::string program;      // version of Zermelo that recorded it
  std::string file;         // absolute path of the problem
  std::string fingerprint;  // of the file's bytes
  std::string toolchain;    // JSON: which Lean
  std::string request;      // JSON: everything else needed to repeat the job
  std::string state;        // "open", "finished"
  double seconds = 0;       // work time so far
  std::string result;       // JSON; of an open run, what it has used so far
  bool operator==(const Run&) const = default;
};

/// An event of a run; `seq` counts from 0 without gaps.
struct Event {
  int64_t seq = 0;
  double at = 0;                  // seconds of work since the run started
  std::string kind;               // docs/runs.md
  std::string fields;             // JSON object
  std::string answer;             // JSON of the reply; empty: none. A model's reply is in `call`.
  std::optional<ModelCall> call;  // a model's request and reply; Append sets nth
  bool operator==(const Event&) const = default;
};

/// The result for one hole.
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

/// Errors as Database::Try. Every call is atomic.
class Runs {
 public:
  /// The database must outlive the object.
  explicit Runs(Database& database) : database_(database) {}

  /// Adds an open run and returns its ID; ignores `run.id`, `state`, `seconds` and `result`.
  core::Result<int64_t> Add(const Run& run);
  /// nullopt if there is no such run.
  core::Result<std::optional<Run>> Find(int64_t id);
  /// Removes a run if it has no events; returns whether it did.
  core::Result<bool> RemoveEmpty(int64_t id);
  /// At most `count` runs, newest first.
  core::Result<std::vector<Run>> Newest(size_t count);

  /// Stores where the file of a run is now, in its row and in its request.
  core::Status SetFile(int64_t run, const std::string& file);
  /// Appends events, which must come in order of their numbers; fails if a number exists already.
  /// `seconds`: the run's work time so far; the stored value never decreases. `used`: a
  /// JSON object whose members replace those of the run's result; empty: none do.
  core::Status Append(int64_t run, const std::vector<Event>& events, double seconds,
                      const std::string& used = "");
  /// At most `count` events from number `from` on, of these kinds (empty: of all kinds).
  core::Result<std::vector<Event>> Events(int64_t run, int64_t from, size_t count,
                                          const std::vector<std::string>& kinds = {});
  /// The number of events, that is, one more than the highest `seq`.
  core::Result<int64_t> CountEvents(int64_t run);
  /// The kinds of its events in order of first occurrence, and the number of events of each.
  core::Result<std::vector<std::pair<std::string, int64_t>>> Kinds(int64_t run);

  /// Stores the results, replacing those of an earlier end. The run is then finished, or still open
  /// if `finished` is false.
  core::Status Finish(int64_t run, const std::vector<TheoremRow>& theorems,
                      const std::string& result, bool finished);
  /// In order of their positions.
  core::Result<std::vector<TheoremRow>> Theorems(int64_t run);

 private:
  Database& database_;
};

}  // namespace zermelo::store
