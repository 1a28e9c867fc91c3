// Lean as a role uses it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lean/checker.h"

namespace zermelo::strategy {

/// Forwards checks that try the proposals of these roles (CheckRequest::roles). `inner` must
/// outlive it, and it its checks.
class LeanInRole : public lean::Checker {
 public:
  /// An entry for each proposal.
  LeanInRole(lean::Checker& inner, std::vector<std::string> roles)
      : inner_(inner), roles_(std::move(roles)) {}
  LeanInRole(lean::Checker& inner, std::string_view role)
      : LeanInRole(inner, std::vector<std::string>(1, std::string(role))) {}

  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    request.roles = roles_;
    return inner_.Check(std::move(request));
  }
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return inner_.checks(); }

 private:
  lean::Checker& inner_;
  const std::vector<std::string> roles_;
};

}  // namespace zermelo::strategy
