// Universe levels: order, equality and substitution.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kernel/budget.h"
#include "kernel/term/id_map.h"
#include "kernel/term/term.h"

namespace zermelo::kernel {

/// Not thread-safe. Comparisons are complete: `Leq(a, b)` says whether a ≤ b for every assignment
/// of natural numbers to the parameters. (Lean's own is not; lean4lean's `geq'` is:
/// divergences.md.)
class Levels {
 public:
  Levels(Terms& terms, Budget& budget) : terms_(terms), budget_(budget) {}
  void Clear() {
    order_.Clear();
    substituted_.Clear();
  }

  LevelId Succ(LevelId a);
  LevelId Param(NameId name);
  /// `max` and `imax` without the obvious redundancies (Lean's mkLevelMax', mkLevelIMax').
  LevelId Max(LevelId a, LevelId b);
  LevelId IMax(LevelId a, LevelId b);

  bool Leq(LevelId a, LevelId b);
  bool Equal(LevelId a, LevelId b) { return a == b || (Leq(a, b) && Leq(b, a)); }
  /// Of two lists of levels of the same length.
  bool Equal(ListId a, ListId b);
  bool IsZero(LevelId a) { return terms_.IsZero(a) || Leq(a, LevelId::kZero); }
  bool IsNeverZero(LevelId a) { return Leq(one(), a); }
  LevelId one() { return Succ(LevelId::kZero); }

  /// Parameters `names` replaced by `levels`, a list of the same length.
  LevelId Instantiate(LevelId level, const std::vector<NameId>& names, ListId levels);
  ListId Instantiate(ListId list, const std::vector<NameId>& names, ListId levels);

 private:
  enum class Sign : uint8_t { kUnknown, kZero, kPositive };
  /// max(constant, p + offset, …), the parameters in order of their ids.
  struct Sum {
    uint64_t constant = 0;
    std::vector<std::pair<NameId, uint64_t>> atoms;
  };
  using Signs = std::vector<std::pair<NameId, Sign>>;

  static void Join(Sum& sum, const Sum& other, uint64_t offset);
  static bool Leq(const Sum& a, const Sum& b);
  /// False if it depends on whether parameter `*split` is zero, of which the signs say nothing.
  bool Evaluate(LevelId level, const Signs& signs, Sum* sum, NameId* split);
  bool LeqBy(LevelId a, LevelId b, Signs& signs);

  Terms& terms_;
  Budget& budget_;
  IdMap order_;        // (a, b): 1 if a ≤ b, else 0
  IdMap substituted_;  // of one call of Instantiate
};

}  // namespace zermelo::kernel
