#include "policy/arith/enumeration.h"

#include <set>
#include <utility>

namespace zermelo::policy {
namespace {

constexpr int kMaxEnumerated = 400'000;

}  // namespace

std::vector<ComputableHypothesis> ComputableHypotheses(const ArithmeticGoal& arith) {
  std::vector<ComputableHypothesis> found;
  std::set<std::string> rejected;
  for (const Fact& fact : arith.facts) {
    if (!IsComputable(*fact.prop, arith)) rejected.insert(fact.hypothesis);
  }
  for (const Fact& fact : arith.facts) {
    if (rejected.contains(fact.hypothesis)) continue;
    if (found.empty() || found.back().name != fact.hypothesis)
      found.push_back({fact.hypothesis, {}, {}});
    found.back().props.push_back(fact.prop);
    for (const std::string& name : IntegerVariables(*fact.prop, arith)) {
      if (!Contains(found.back().variables, name)) found.back().variables.push_back(name);
    }
  }
  std::erase_if(
      found, [](const ComputableHypothesis& hypothesis) { return hypothesis.variables.empty(); });
  return found;
}

Enumeration::Enumeration(const ArithmeticGoal& arith, const Box& box,
                         std::vector<std::string> order,
                         const std::vector<ComputableHypothesis>& hypotheses)
    : goal_(arith), box_(box), order_(std::move(order)), levels_(order_.size()) {
  for (const ComputableHypothesis& hypothesis : hypotheses) {
    size_t level = 0;
    bool inside = true;
    for (const std::string& name : hypothesis.variables) {
      const auto at = std::find(order_.begin(), order_.end(), name);
      inside &= at != order_.end();
      level = std::max(level, static_cast<size_t>(at - order_.begin()));
    }
    if (inside) levels_[level].push_back(&hypothesis);
  }
}

std::optional<int> Enumeration::Count(const Term& target) {
  evaluations_ = 0;
  Assignment assignment;
  if (!Descend(0, target, &assignment)) return std::nullopt;
  return evaluations_;
}

bool Enumeration::Descend(size_t level, const Term& target, Assignment* assignment) {
  if (level == order_.size()) return Holds(target, *assignment, goal_).value_or(false);
  const Interval& range = box_.at(order_[level]);
  for (double value = range.low; value <= range.high; ++value) {
    if (++evaluations_ > kMaxEnumerated) return false;
    assignment->values[order_[level]] = static_cast<int64_t>(value);
    bool possible = true;
    for (const ComputableHypothesis* hypothesis : levels_[level]) {
      for (const TermPtr& prop : hypothesis->props) {
        const auto holds = Holds(*prop, *assignment, goal_);
        if (!holds) return false;
        possible &= *holds;
      }
      if (!possible) break;
    }
    if (possible && !Descend(level + 1, target, assignment)) return false;
  }
  return true;
}

}  // namespace zermelo::policy
