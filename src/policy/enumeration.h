// Looking ahead: what `decide` will have to do on bounded integers, done here first.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "policy/interval.h"
#include "policy/view.h"

namespace zermelo::policy {

using Names = std::vector<std::string>;

inline bool Contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A hypothesis that `decide` can evaluate, whole.
struct ComputableHypothesis {
  std::string name;
  std::vector<TermPtr> props;
  Names variables;
};

std::vector<ComputableHypothesis> ComputableHypotheses(const View& view);

/// Runs through the values of variables in a box, each hypothesis as soon as its variables are
/// known. The view, the box and the hypotheses must outlive it.
class Enumeration {
 public:
  Enumeration(const View& view, const Box& box, Names order,
              const std::vector<ComputableHypothesis>& hypotheses);

  /// The number of evaluations, or nothing if the claim fails somewhere, cannot be computed, or
  /// there are more than 400,000.
  std::optional<int> Count(const Term& target);

  const Names& order() const { return order_; }
  const std::vector<const ComputableHypothesis*>& HypothesesAt(size_t level) const {
    return levels_[level];
  }

 private:
  bool Descend(size_t level, const Term& target, Assignment* assignment);

  const View& view_;
  const Box& box_;
  Names order_;
  std::vector<std::vector<const ComputableHypothesis*>> levels_;
  int evaluations_ = 0;
};

}  // namespace zermelo::policy
