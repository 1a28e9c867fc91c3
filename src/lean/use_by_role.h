// Lean's checks and their time, by the role whose proposals they tried (CheckRequest::roles).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::lean {

/// What Lean has done for a role.
struct RoleUse {
  uint64_t checks = 0;      // that tried a proposal of the role, if only among others
  double lean_seconds = 0;  // its share of their time
  bool operator==(const RoleUse&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RoleUse, checks, lean_seconds)

using UseByRole = std::map<std::string, RoleUse>;

/// The role of checks that try no proposal: of the file, and of its goals.
inline constexpr std::string_view kRoleOfFile = "file";

/// Counts a check, whose time is divided among its proposals evenly. `roles`: of each of them.
void Count(const std::vector<std::string>& roles, double seconds, UseByRole& uses);

void Add(const UseByRole& more, UseByRole& uses);

}  // namespace zermelo::lean
