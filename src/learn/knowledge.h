// What was learned: tactics and premises for a goal, by its nearest neighbours among the examples;
// and the chances of goals, by the outcomes of earlier searches (value.h).
//
// k-nearest-neighbour search over tactics as in Tactician (Blaauwbroek, Urban, Geuvers, LPAR 2020)
// and Graph2Tac (arXiv 2401.02949): similarity is the cosine of the goals' features, weighted by
// tf-idf, with an advantage for examples of the same file and for newer ones.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "learn/example.h"
#include "learn/index.h"
#include "learn/record_file.h"
#include "learn/value.h"

namespace zermelo::learn {

struct Query {
  std::string goal;  // as Lean prints it; of several, the first
  /// Of the theorem to be proved: its own examples are never used.
  Source source;
};

struct Suggestion {
  Pattern tactic;
  bool closes = false;
  double similarity = 0;  // of the nearest goal on which it was used; 0 to about 1.5
  std::string theorem;    // where that was
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Suggestion, tactic, closes, similarity, theorem)
};

struct Advice {
  std::vector<Suggestion> tactics;    // the most similar first, distinct
  std::vector<std::string> premises;  // that the neighbours' tactics name; the most votes first
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Advice, tactics, premises)
};

struct ChanceQuery {
  std::vector<std::string> goals;  // each as Lean prints it
  Source source;                   // of the theorem to be proved, whose own outcomes do not count
};

struct Chances {
  std::vector<double> chances;  // by goal (Value::Chance); empty: too little is known
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Chances, chances)
};

/// Examples and outcomes of a file and those added since. Not thread-safe.
class Knowledge {
 public:
  /// Knows nothing, and saves nothing.
  Knowledge() = default;
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  size_t size() const { return index_.size(); }       // examples
  size_t outcomes() const { return values_.size(); }  // of goals, in all searches
  /// Adds the examples and outcomes of a file, which need not exist. kInput: see RecordFile::Open.
  core::Status Read(const std::filesystem::path& file);
  /// Save appends to this file.
  void KeepIn(std::filesystem::path file) { kept_in_ = std::move(file); }
  /// Empty: nothing is kept.
  const std::filesystem::path& kept_in() const { return kept_in_; }
  /// At once part of the answers, in memory only.
  void Add(const Example& example);
  void Add(const GoalOutcome& outcome);
  /// Whether the outcome says more than what is known of the same goal in searches for the same
  /// theorem.
  bool SaysMore(const GoalOutcome& outcome) const { return values_.SaysMore(outcome.head); }
  /// Appends to the file that is kept.
  core::Status Save(const std::vector<Example>& examples,
                    const std::vector<GoalOutcome>& outcomes = {}) const;

  /// At most 24 tactics and 12 premises. About a millisecond at most. The same for the same
  /// examples in the same order.
  Advice Ask(const Query& query) const;
  /// Well below a millisecond a goal, except when the value has to be trained (Values::For).
  Chances Estimate(const ChanceQuery& query) const;
  /// What all outcomes give. Valid until the next call.
  const Value& AnyValue() const { return values_.For({}); }

 private:
  /// Whether a record is new; then `record` becomes the one that is kept.
  bool Keep(std::string bytes, std::string_view* record);

  std::filesystem::path kept_in_;
  std::deque<RecordFile> files_;
  std::deque<std::string> added_;          // records after those of the files
  std::vector<std::string_view> records_;  // of examples
  std::set<uint64_t> known_;               // hashes of what was added
  FeatureIndex index_;
  Values values_;
};

}  // namespace zermelo::learn
