// The value of a goal: the chance that a search closes it within some number of tactics.
//
// Logistic regression on the goal's features, trained online with AdaGrad (Duchi, Hazan, Singer,
// JMLR 2011) in the order of the examples, and calibrated (Platt, 1999) on predictions that were
// made before the goals of the theorem were learned.
//
// A search gives most goals up before it has tried that many tactics: nothing is known of these.
// To leave them out would make goals look easier than they are, since those that are closed early
// are never left out. Therefore each of the others counts 1 / G(t) times, where G(t) is the
// Kaplan-Meier estimate of the share that is not given up before t tactics (inverse probability of
// censoring weights; Vock et al., J. Biomed. Inform. 61, 2016).
#pragma once

#include <cstdint>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "learn/outcome.h"

namespace zermelo::learn {

/// Whether an outcome says more about its goal than another: that it was closed, with fewer
/// tactics, or that more did not close it.
bool SaysMore(const OutcomeHead& a, const OutcomeHead& b);

/// How well a value predicts the goals of the last quarter, which were not used to calibrate it.
struct ValueReport {
  size_t goals = 0;  // distinct, of all quarters
  size_t known = 0;  // of these, those of which it is known whether kWithin tactics close them
  double closed = 0, predicted = 0;   // share that was closed, and the mean of the predictions
  double error = 0;                   // expected calibration error: |closed - predicted|, by tenths
  double loss = 0, loss_of_mean = 0;  // logarithmic, per goal; and without looking at the goals
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(ValueReport, goals, known, closed, predicted, error, loss,
                                 loss_of_mean)
};

class Value {
 public:
  /// What a search tries on a state, more or less.
  static constexpr uint32_t kWithin = 60;
  /// Goals of which it is known that make a value.
  static constexpr size_t kFewest = 500;

  /// Of several outcomes of one goal, the most telling counts. The same for the same outcomes in
  /// the same order. About a second for a million.
  explicit Value(const std::vector<EncodedOutcome>& outcomes);

  const ValueReport& report() const { return report_; }
  /// Whether it predicts better than the mean would, and enough goals are known to tell.
  bool useful() const { return report_.known >= kFewest && report_.loss < report_.loss_of_mean; }
  /// That a search closes the goal within kWithin tactics; between 0.01 and 0.99.
  double Chance(std::span<const Feature> features) const;

 private:
  class Training;
  double Logit(std::span<const Feature> features) const;

  std::vector<float> weights_;  // by slot; the last one is the same for all goals
  double slope_ = 1, offset_ = 0;
  ValueReport report_;
};

/// The outcomes that are known, and their value. Not thread-safe.
class Values {
 public:
  size_t size() const { return outcomes_.size(); }
  /// What it refers to must outlive this object.
  void Add(const EncodedOutcome& outcome) { outcomes_.push_back(outcome); }
  /// Whether an outcome says more than each known one of the same goal in a search for the same
  /// theorem. Looks at all of them.
  bool SaysMore(const OutcomeHead& outcome) const;
  /// The value for the goals of a theorem, from which its own outcomes are left out. Trains it if
  /// there is none, or if a quarter more outcomes are known than it was trained on. Valid until the
  /// next call.
  const Value& For(const Source& source) const;

 private:
  struct Trained {
    std::optional<Value> value;
    size_t of = 0;  // outcomes that were known
  };
  bool IsOld(const Trained& trained) const;

  struct Theorem {
    Source source;
    Trained others;        // of all outcomes but its own
    size_t looked_at = 0;  // outcomes
    bool has_own = false;  // among these
  };
  Theorem& Known(const Source& source) const;

  std::vector<EncodedOutcome> outcomes_;
  mutable Trained all_;
  mutable std::list<Theorem> theorems_;  // the last ones asked for, the newest first
};

}  // namespace zermelo::learn
