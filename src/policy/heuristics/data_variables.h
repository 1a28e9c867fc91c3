// Variables that are data, as opposed to types, propositions and functions.
#pragma once

#include "policy/arith/arithmetic_goal.h"

namespace zermelo::policy {

inline bool IsData(const Variable& variable) {
  const std::string& type = variable.type;
  return type.find("→") == std::string::npos && !type.starts_with("Type") &&
         !type.starts_with("Sort") && type != "Prop";
}

}  // namespace zermelo::policy
