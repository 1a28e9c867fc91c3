// Lean as a role uses it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lean/checker.h"
#include "strategy/use.h"

namespace zermelo::strategy {

/// Forwards checks that try the proposals of these roles (CheckRequest::roles), and counts them in
/// `use`, which may be null. `inner` and `use` must outlive it, and it its checks.
class LeanInRole : public lean::Checker {
 public:
  /// An entry for each proposal.
  LeanInRole(lean::Checker& inner, std::vector<std::string> roles, Use* use)
      : inner_(inner), roles_(std::move(roles)), use_(use) {}
  LeanInRole(lean::Checker& inner, std::string_view role, Use* use)
      : LeanInRole(inner, std::vector<std::string>(1, std::string(role)), use) {}

  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    request.roles = roles_;
    auto checked = co_await inner_.Check(std::move(request));
    if (use_ != nullptr) use_->Add(checked);
    co_return checked;
  }
  size_t size() const override { return inner_.size(); }
  uint64_t checks() const override { return inner_.checks(); }

 private:
  lean::Checker& inner_;
  const std::vector<std::string> roles_;
  Use* const use_;
};

}  // namespace zermelo::strategy
