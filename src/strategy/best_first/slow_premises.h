// Premises with which `grind` runs out of time, whatever else it is given.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace zermelo::strategy {

class SlowPremises {
 public:
  /// Notes whether a tactic ran out of time.
  void Ran(std::string_view tactic, bool out_of_time);
  /// Whether the tactic gives grind a premise with which two others have run out of time since one
  /// last ended.
  bool AreIn(std::string_view tactic) const;

 private:
  std::map<std::string, size_t, std::less<>> times_;  // by premise, since the last time it ended
};

/// The names in the lists of grind: f and g of `cases x <;> grind [f, g]`.
std::set<std::string> PremisesOfGrind(std::string_view tactic);

}  // namespace zermelo::strategy
