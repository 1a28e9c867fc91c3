// Variables that are data, as opposed to types, propositions and functions.
#pragma once

#include <string>
#include <vector>

#include "policy/arith/arithmetic_goal.h"

namespace zermelo::policy {

inline bool IsData(const Variable& variable) {
  const std::string& type = variable.type;
  return type.find("→") == std::string::npos && !type.starts_with("Type") &&
         !type.starts_with("Sort") && type != "Prop";
}

/// The variables that cases and induction may be on: data that the target mentions, except
/// instances and what has a variable for its type.
inline std::vector<std::string> DataOf(const ArithmeticGoal& arith) {
  std::vector<std::string> names;
  for (const Variable& variable : arith.variables) {
    const bool is_data = IsData(variable) && !variable.name.starts_with("inst") &&
                         arith.Find(variable.type) == nullptr;
    if (is_data && Mentions(*arith.target, variable.name)) names.push_back(variable.name);
  }
  return names;
}

}  // namespace zermelo::policy
