// Bounded enumeration: `decide` tries all values of bounded integers.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/arith/enumeration.h"
#include "policy/arith/interval.h"
#include "policy/heuristics/heuristics.h"
#include "policy/heuristics/hints.h"

namespace zermelo::policy {
namespace {

constexpr double kMaxRange = 3000;     // values of one variable
constexpr int kMaxEvaluations = 8000;  // that `decide` may need; more of them take too much memory
constexpr int kManyEvaluations = 1500;
constexpr int kMaxIntEvaluations = 3200;  // Int is slower and takes more memory
constexpr int kMaxSteps = 400'000;        // of the look-ahead

TermPtr Negation(const TermPtr& prop) {
  auto negation = std::make_shared<Term>();
  negation->kind = TermKind::kOperator;
  negation->head = "¬";
  negation->args = {prop};
  negation->text = "¬(" + prop->text + ")";
  return negation;
}

// The target must be computable.
class BoundedEnumeration {
 public:
  BoundedEnumeration(const HeuristicInput& input, Candidates* out)
      : goal_(input.arith), out_(out), hypotheses_(ComputableHypotheses(goal_)) {
    for (const Fact& fact : goal_.facts) {
      if (IsComputable(*fact.prop, goal_)) props_.push_back(fact.prop);
    }
    if (CanNegate(*goal_.target)) {
      negated_ = true;
      props_.push_back(Negation(goal_.target));
    }
    plain_bounds_ = ProvableBounds(WithoutNegation(), goal_);
    bounds_ = ProvableBounds(props_, goal_);
    plain_box_ = Complete(BoxOf(plain_bounds_));
    box_ = Complete(BoxOf(bounds_));
  }

  void Propose() {
    // Bounds that need the negated target require moving it to the hypotheses first.
    for (const bool negate : {false, true}) {
      if (negate && !negated_) break;
      const Box& box = negate ? box_ : plain_box_;
      std::optional<Enumeration> best;
      int best_count = (HasIntegers() ? kMaxIntEvaluations : kMaxEvaluations) + 1;
      for (const std::vector<std::string>& variables : VariableSets(box)) {
        std::vector<std::string> order = variables;
        std::sort(order.begin(), order.end());
        do {
          Enumeration enumeration(goal_, box, order, hypotheses_);
          const auto count = enumeration.Count(*goal_.target);
          if (count && *count < best_count) {
            best_count = *count;
            best.emplace(std::move(enumeration));
          }
        } while (order.size() <= 3 && std::next_permutation(order.begin(), order.end()));
        if (best) break;
      }
      if (!best || (best_count > kManyEvaluations && HasDefinition())) continue;
      Candidate candidate;
      candidate.tactic = DecideText(*best, box, negate);
      candidate.cost = best_count < 2000 ? 0.6 : 1.2;
      candidate.closing = true;
      candidate.origin = "bash/decide";
      out_->push_back(std::move(candidate));
      return;
    }
  }

 private:
  static bool CanNegate(const Term& target) { return IsRelation(target) && target.head != "∣"; }

  std::vector<TermPtr> WithoutNegation() const {
    return {props_.begin(), props_.end() - (negated_ ? 1 : 0)};
  }

  // Adds the unbounded variables.
  Box Complete(Box box) const {
    for (const Variable& variable : goal_.variables) {
      if (variable.domain == Domain::kNat || variable.domain == Domain::kInt) box[variable.name];
    }
    return box;
  }

  // With n = 10 * a + b, substitution comes first: it leaves one variable less.
  bool HasDefinition() const {
    return std::any_of(goal_.facts.begin(), goal_.facts.end(), [&](const Fact& fact) {
      const Term& prop = *fact.prop;
      if (!prop.Is("=")) return false;
      for (int side = 0; side < 2; ++side) {
        const Term& name = *prop.args[side];
        if (name.kind == TermKind::kName && goal_.Find(name.head) != nullptr &&
            !Mentions(*prop.args[1 - side], name.head)) {
          return true;
        }
      }
      return false;
    });
  }

  bool HasIntegers() const {
    return std::any_of(goal_.variables.begin(), goal_.variables.end(),
                       [](const Variable& variable) { return variable.domain == Domain::kInt; });
  }

  // The target's variables, then larger and larger sets with those that hypotheses connect to them.
  std::vector<std::vector<std::string>> VariableSets(const Box& box) const {
    std::vector<std::vector<std::string>> sets;
    auto bounded = [&](const std::string& name) {
      const auto found = box.find(name);
      return found != box.end() && found->second.IsBounded() && found->second.Size() <= kMaxRange;
    };
    std::vector<std::string> current = IntegerVariables(*goal_.target, goal_);
    if (current.empty()) {
      for (const ComputableHypothesis& hypothesis : hypotheses_) {
        if (current.empty()) current = hypothesis.variables;
      }
    }
    while (!current.empty() && std::all_of(current.begin(), current.end(), bounded)) {
      sets.push_back(current);
      std::vector<std::string> next = current;
      for (const ComputableHypothesis& hypothesis : hypotheses_) {
        const bool touches = std::any_of(hypothesis.variables.begin(), hypothesis.variables.end(),
                                         [&](auto& name) { return Contains(current, name); });
        const bool closed =
            std::all_of(hypothesis.variables.begin(), hypothesis.variables.end(), bounded);
        if (!touches || !closed) continue;
        for (const std::string& name : hypothesis.variables) {
          if (!Contains(next, name)) next.push_back(name);
        }
      }
      if (next == current || next.size() > 5) break;
      current = next;
    }
    return sets;
  }

  static std::string NameOf(const Bound& bound) {
    return (bound.upper ? "hb_" : "hl_") + bound.variable;
  }

  // Proves all bounds, in order.
  std::string ProveBounds(bool negate) const {
    std::string text;
    std::vector<Bound> proven;
    for (const Bound& bound : negate ? bounds_ : plain_bounds_) {
      const bool trivial =
          !bound.upper && bound.value == 0 && goal_.Find(bound.variable)->domain == Domain::kNat;
      if (!trivial) {
        text +=
            ProveBound(NameOf(bound), bound, negate ? props_ : WithoutNegation(), proven, goal_);
      }
      proven.push_back(bound);
    }
    return text;
  }

  std::string DecideText(const Enumeration& enumeration, const Box& box, bool negate) const {
    const std::vector<std::string>& order = enumeration.order();
    std::string text;
    std::string hneg;
    if (negate) {
      hneg = goal_.Fresh("hneg");
      text += fmt::format("refine Decidable.byContradiction fun {} => ?_\n", hneg);
    }
    text += ProveBounds(negate);
    // The names of the variables after conversion to natural numbers.
    std::vector<std::string> naturals;
    for (const std::string& name : order) {
      const bool is_int = goal_.Find(name)->domain == Domain::kInt;
      naturals.push_back(is_int ? goal_.Fresh(name + "'") : name);
      if (is_int) {
        text += ToNatural(name, naturals.back(), box.at(name));
      } else {
        text += fmt::format("replace hb_{0} : {0} < {1} := by omega\n", name,
                            static_cast<int64_t>(box.at(name).high) + 1);
        if (box.at(name).low > 0) text += fmt::format("clear hl_{}\n", name);
      }
    }
    text += ClearUnused(enumeration);
    for (size_t level = order.size(); level-- > 0;) {
      std::string facts;
      for (const ComputableHypothesis* hypothesis : enumeration.HypothesesAt(level))
        facts += " " + hypothesis->name;
      if (level + 1 == order.size() && negate) facts += " " + hneg;
      if (!facts.empty()) text += "revert" + facts + "\n";
      text += "revert hb_" + order[level] + "\nrevert " + naturals[level] + "\n";
    }
    return text +
           "set_option maxRecDepth 100000 in\n"
           "set_option synthInstance.maxSize 4000 in\n"
           "set_option synthInstance.maxHeartbeats 400000 in\n"
           "decide";
  }

  // Replaces an integer variable by a shifted natural number.
  static std::string ToNatural(const std::string& name, const std::string& natural,
                               const Interval& range) {
    const auto low = static_cast<int64_t>(range.low);
    std::string text = fmt::format(
        "obtain ⟨{0}, he_{1}⟩ := Int.eq_ofNat_of_zero_le (show 0 ≤ {1} - ({2}) by omega)\n",
        natural, name, low);
    text += fmt::format("obtain rfl : {} = ({} : Int) + ({}) := by omega\n", name, natural, low);
    text += fmt::format("replace hb_{} : {} < {} := by omega\n", name, natural,
                        static_cast<int64_t>(range.high) - low + 1);
    return text + fmt::format("clear he_{0} hl_{0}\n", name);
  }

  // Clears hypotheses that would prevent reverting.
  std::string ClearUnused(const Enumeration& enumeration) const {
    std::set<std::string> used;
    for (size_t level = 0; level < enumeration.order().size(); ++level) {
      for (const ComputableHypothesis* hypothesis : enumeration.HypothesesAt(level))
        used.insert(hypothesis->name);
    }
    std::string names;
    std::set<std::string> seen;
    for (const Fact& fact : goal_.facts) {
      if (used.contains(fact.hypothesis) || !seen.insert(fact.hypothesis).second) continue;
      const bool touches = std::any_of(enumeration.order().begin(), enumeration.order().end(),
                                       [&](auto& name) { return Mentions(*fact.prop, name); });
      if (touches || fact.prop->kind == TermKind::kOpaque) names += " " + fact.hypothesis;
    }
    return names.empty() ? "" : "clear" + names + "\n";
  }

  const ArithmeticGoal& goal_;
  Candidates* out_;
  std::vector<ComputableHypothesis> hypotheses_;
  std::vector<TermPtr> props_;  // sources of bounds; last: the negated target, if possible
  bool negated_ = false;
  std::vector<Bound> plain_bounds_;  // without the negated target
  std::vector<Bound> bounds_;
  Box plain_box_;
  Box box_;
};

}  // namespace

void ProposeEnumeration(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  if (arith.variables.empty() || !IsComputable(*arith.target, arith)) return;
  BoundedEnumeration(input, out).Propose();
}

}  // namespace zermelo::policy
