#include "policy/policy.h"

namespace zermelo::policy {
namespace {

class ImmediatePolicy : public Policy {
 public:
  explicit ImmediatePolicy(std::unique_ptr<StepPolicy> policy) : policy_(std::move(policy)) {}

  core::Task<core::Result<Proposal>> Propose(StepContext context, size_t n,
                                             llm::CallContext) override {
    Proposal proposal;
    proposal.candidates = policy_->Propose(context, n);
    co_return proposal;
  }

  bool wants_library() const override { return policy_->wants_library(); }
  size_t most_effort() const override { return policy_->most_effort(); }

 private:
  const std::unique_ptr<StepPolicy> policy_;
};

}  // namespace

std::unique_ptr<Policy> MakeImmediatePolicy(std::unique_ptr<StepPolicy> policy) {
  return std::make_unique<ImmediatePolicy>(std::move(policy));
}

}  // namespace zermelo::policy
