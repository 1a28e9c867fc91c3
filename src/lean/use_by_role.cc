#include "lean/use_by_role.h"

#include <algorithm>

namespace zermelo::lean {

void Count(const std::vector<std::string>& roles, double seconds, UseByRole& uses) {
  std::map<std::string, size_t> proposals;  // by role
  for (const std::string& role : roles) ++proposals[role];
  if (roles.empty()) proposals.emplace(kRoleOfFile, 1);
  const auto all = static_cast<double>(std::max<size_t>(roles.size(), 1));
  for (const auto& [role, own] : proposals) {
    RoleUse& use = uses[role];
    ++use.checks;
    use.lean_seconds += seconds * static_cast<double>(own) / all;
  }
}

void Add(const UseByRole& more, UseByRole& uses) {
  for (const auto& [role, use] : more) {
    uses[role].checks += use.checks;
    uses[role].lean_seconds += use.lean_seconds;
  }
}

}  // namespace zermelo::lean
