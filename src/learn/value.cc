#include "learn/value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace zermelo::learn {

namespace {

constexpr size_t kSlots = size_t{1} << 18U;  // features share them
constexpr double kRate = 0.5, kFirstSquare = 0.1;
constexpr double kMostWeight = 10;  // of a goal, for those that were given up
constexpr double kLeastChance = 0.01;
// Values that are kept, a megabyte each, for searches side by side.
constexpr size_t kTheorems = 8;

size_t SlotOf(Feature feature) { return feature >> 14U; }

double Sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

double LossOf(double chance, bool closed) { return -std::log(closed ? chance : 1 - chance); }

/// A goal of which it is known whether kWithin tactics close it.
struct KnownGoal {
  const EncodedOutcome* outcome = nullptr;
  uint64_t theorem = 0;  // in whose search it came up first
  bool closed = false;
  double weight = 1;
};

bool ClosesInTime(const OutcomeHead& head) { return head.closed && head.tried <= Value::kWithin; }

/// What is not known: the search gave up before.
bool IsCensored(const OutcomeHead& head) { return !head.closed && head.tried < Value::kWithin; }

struct SearchedGoal {
  const EncodedOutcome* outcome = nullptr;
  uint64_t theorem = 0;  // in whose search it came up first
};

/// One outcome of each goal: theorem by theorem, in the order in which they came up first.
std::vector<SearchedGoal> ByGoal(const std::vector<EncodedOutcome>& outcomes) {
  std::vector<SearchedGoal> goals;
  std::unordered_map<uint64_t, size_t> places;
  places.reserve(outcomes.size());
  std::unordered_map<uint64_t, size_t> theorems;
  for (const EncodedOutcome& outcome : outcomes) {
    const auto [place, is_new] = places.try_emplace(outcome.head.goal, goals.size());
    if (is_new) {
      goals.push_back({&outcome, outcome.head.theorem});
      theorems.try_emplace(outcome.head.theorem, theorems.size());
    } else if (SaysMore(outcome.head, goals[place->second].outcome->head)) {
      goals[place->second].outcome = &outcome;
    }
  }
  std::ranges::stable_sort(goals, {},
                           [&](const SearchedGoal& goal) { return theorems.at(goal.theorem); });
  return goals;
}

/// The weights by the number of tactics: 1 / G(t).
std::array<double, Value::kWithin + 1> CensoringWeights(const std::vector<SearchedGoal>& goals) {
  std::array<double, Value::kWithin + 1> ended{}, given_up{}, weights{};
  for (const SearchedGoal& goal : goals) {
    const OutcomeHead& head = goal.outcome->head;
    const uint32_t tried = std::min(head.tried, Value::kWithin);
    ++ended[tried];
    if (IsCensored(head)) ++given_up[tried];
  }
  double left = static_cast<double>(goals.size()), kept = 1;
  for (size_t t = 0; t <= Value::kWithin; ++t) {
    weights[t] = kept > 1 / kMostWeight ? 1 / kept : kMostWeight;
    const double could_be = left - (ended[t] - given_up[t]);  // those closed now are safe
    if (given_up[t] > 0) kept *= 1 - given_up[t] / could_be;
    left -= ended[t];
  }
  return weights;
}

std::vector<KnownGoal> KnownGoals(const std::vector<SearchedGoal>& goals) {
  const auto weights = CensoringWeights(goals);
  std::vector<KnownGoal> known;
  for (const SearchedGoal& goal : goals) {
    const OutcomeHead& head = goal.outcome->head;
    if (IsCensored(head)) continue;
    const size_t tried = std::min(head.tried, Value::kWithin);
    known.push_back({goal.outcome, goal.theorem, ClosesInTime(head), weights[tried]});
  }
  return known;
}

/// Predictions with about the same logit.
struct Bin {
  double weight = 0, closed = 0, logits = 0;
  double logit() const { return logits / weight; }
  double share() const { return closed / weight; }
};

class Predictions {
 public:
  void Add(double logit, const KnownGoal& goal) {
    const double place = (std::clamp(logit, -kMost, kMost) + kMost) * kPerUnit;
    Bin& bin = bins_[static_cast<size_t>(place)];
    bin.weight += goal.weight;
    bin.logits += goal.weight * logit;
    if (goal.closed) bin.closed += goal.weight;
  }

  /// Calls `use` with each bin that has predictions.
  template <class Use>
  void Each(Use use) const {
    for (const Bin& bin : bins_) {
      if (bin.weight > 0) use(bin);
    }
  }
  double Share() const {
    double weight = 0, closed = 0;
    Each([&](const Bin& bin) { weight += bin.weight, closed += bin.closed; });
    return weight > 0 ? closed / weight : 0;
  }

 private:
  static constexpr double kMost = 10, kPerUnit = 10;
  std::array<Bin, static_cast<size_t>(2 * kMost * kPerUnit) + 1> bins_{};
};

struct Scaling {
  double slope = 1, offset = 0;
};

/// The slope and offset that fit the predictions best, by Newton's method; a prior keeps them near
/// 1 and 0 where there is little to fit.
Scaling Calibrate(const Predictions& predictions) {
  constexpr int kSteps = 25;
  Scaling at;
  for (int step = 0; step < kSteps; ++step) {
    double by_slope = at.slope - 1, by_offset = at.offset;  // the gradient
    double slope2 = 1, offset2 = 1, mixed = 0;              // the Hessian
    predictions.Each([&](const Bin& bin) {
      const double x = bin.logit();
      const double chance = Sigmoid(at.slope * x + at.offset);
      const double error = bin.weight * chance - bin.closed;
      const double curve = bin.weight * chance * (1 - chance);
      by_slope += error * x;
      by_offset += error;
      slope2 += curve * x * x;
      offset2 += curve;
      mixed += curve * x;
    });
    const double determinant = slope2 * offset2 - mixed * mixed;
    const double slope = (offset2 * by_slope - mixed * by_offset) / determinant;
    const double offset = (slope2 * by_offset - mixed * by_slope) / determinant;
    at.slope -= std::clamp(slope, -1.0, 1.0);
    at.offset -= std::clamp(offset, -1.0, 1.0);
  }
  at.slope = std::max(at.slope, 0.0);  // a goal with a higher logit never counts as harder
  return at;
}

double Bounded(double chance) { return std::clamp(chance, kLeastChance, 1 - kLeastChance); }

void Judge(const Predictions& predictions, Scaling scaling, double mean, ValueReport* report) {
  constexpr size_t kTenths = 10;
  std::array<double, kTenths> gaps{};
  double weight = 0, predicted = 0, loss = 0, loss_of_mean = 0;
  predictions.Each([&](const Bin& bin) {
    const double chance = Bounded(Sigmoid(scaling.slope * bin.logit() + scaling.offset));
    const double open = bin.weight - bin.closed;
    weight += bin.weight;
    predicted += bin.weight * chance;
    loss += bin.closed * LossOf(chance, true) + open * LossOf(chance, false);
    loss_of_mean += bin.closed * LossOf(mean, true) + open * LossOf(mean, false);
    gaps[static_cast<size_t>(chance * kTenths)] += bin.closed - bin.weight * chance;
  });
  if (weight == 0) return;
  report->closed = predictions.Share();
  report->predicted = predicted / weight;
  report->loss = loss / weight;
  report->loss_of_mean = loss_of_mean / weight;
  for (const double gap : gaps) report->error += std::abs(gap) / weight;
}

/// Adds up the weights of a goal's features; each counts 1 / sqrt(number of features).
double ScaleOf(std::span<const Feature> features) {
  return 1 / std::sqrt(static_cast<double>(std::max<size_t>(features.size(), 1)));
}

}  // namespace

bool SaysMore(const OutcomeHead& a, const OutcomeHead& b) {
  if (a.closed != b.closed) return a.closed;
  return a.closed ? a.tried < b.tried : a.tried > b.tried;
}

/// The weights, and the sums of their squared gradients.
class Value::Training {
 public:
  explicit Training(Value* value) : value_(*value) {
    value_.weights_.resize(kSlots + 1);
    squares_.resize(kSlots + 1, static_cast<float>(kFirstSquare));
  }

  void Learn(const KnownGoal& goal) {
    const auto features = goal.outcome->features;
    const double error =
        goal.weight * (Sigmoid(value_.Logit(features)) - (goal.closed ? 1.0 : 0.0));
    const double gradient = error * ScaleOf(features);
    for (const Feature feature : features) Step(SlotOf(feature), gradient);
    Step(kSlots, error);
  }

 private:
  void Step(size_t slot, double gradient) {
    squares_[slot] += static_cast<float>(gradient * gradient);
    value_.weights_[slot] -= static_cast<float>(kRate * gradient / std::sqrt(squares_[slot]));
  }

  Value& value_;
  std::vector<float> squares_;
};

Value::Value(const std::vector<EncodedOutcome>& outcomes) {
  const auto goals = ByGoal(outcomes);
  const std::vector<KnownGoal> known = KnownGoals(goals);
  report_.goals = goals.size();
  report_.known = known.size();
  if (known.size() < kFewest) return;
  Training training(this);
  Predictions to_calibrate, to_judge;
  for (size_t begin = 0, end = 0; begin < known.size(); begin = end) {
    const uint64_t theorem = known[begin].theorem;
    for (end = begin; end < known.size() && known[end].theorem == theorem; ++end) {
      const double logit = Logit(known[end].outcome->features);
      if (4 * end >= 3 * known.size()) {
        to_judge.Add(logit, known[end]);
      } else if (4 * end >= 2 * known.size()) {
        to_calibrate.Add(logit, known[end]);
      }
    }
    for (size_t i = begin; i < end; ++i) training.Learn(known[i]);
  }
  const Scaling scaling = Calibrate(to_calibrate);
  slope_ = scaling.slope;
  offset_ = scaling.offset;
  Judge(to_judge, scaling, Bounded(to_calibrate.Share()), &report_);
}

double Value::Logit(std::span<const Feature> features) const {
  if (weights_.empty()) return 0;
  double sum = 0;
  for (const Feature feature : features) sum += weights_[SlotOf(feature)];
  return weights_[kSlots] + sum * ScaleOf(features);
}

double Value::Chance(std::span<const Feature> features) const {
  return Bounded(Sigmoid(slope_ * Logit(features) + offset_));
}

bool Values::SaysMore(const OutcomeHead& outcome) const {
  return std::ranges::none_of(outcomes_, [&](const EncodedOutcome& known) {
    const bool same = known.head.goal == outcome.goal && known.head.theorem == outcome.theorem;
    return same && !learn::SaysMore(outcome, known.head);
  });
}

bool Values::IsOld(const Trained& trained) const {
  return !trained.value || 4 * (outcomes_.size() - trained.of) > trained.of;
}

Values::Theorem& Values::Known(const Source& source) const {
  const auto known = std::ranges::find(theorems_, source, &Theorem::source);
  if (known != theorems_.end()) {
    theorems_.splice(theorems_.begin(), theorems_, known);
  } else {
    theorems_.emplace_front().source = source;
    if (theorems_.size() > kTheorems) theorems_.pop_back();
  }
  return theorems_.front();
}

const Value& Values::For(const Source& source) const {
  const IsOwnOutcome is_own(source);
  Theorem& theorem = Known(source);
  for (; theorem.looked_at < outcomes_.size(); ++theorem.looked_at)
    theorem.has_own = theorem.has_own || is_own(outcomes_[theorem.looked_at].head);
  const bool has_own = theorem.has_own;
  Trained& trained = has_own ? theorem.others : all_;
  if (!IsOld(trained)) return *trained.value;
  std::vector<EncodedOutcome> others;
  if (has_own) {
    std::ranges::copy_if(outcomes_, std::back_inserter(others),
                         [&](const EncodedOutcome& each) { return !is_own(each.head); });
  }
  trained.value.emplace(has_own ? others : outcomes_);
  trained.of = outcomes_.size();
  return *trained.value;
}

}  // namespace zermelo::learn
