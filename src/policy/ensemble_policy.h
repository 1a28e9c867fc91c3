// Policies made of policies: several models, or one model in several formats (the mixture of CoT
// and non-CoT of DeepSeek-Prover-V1.5, section 5.1), each with a share of the samples. Bourbaki's
// two models (section 4: DeepSeek-Prover-V2-7B and Kimina-7B; the paper does not tell the shares)
// are two members of equal weight.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policy/completion.h"
#include "policy/policy.h"

namespace zermelo::policy {

/// Divides samples by weight, so that after any number of them no member is a whole sample ahead
/// of its share or behind it by more than one.
class Shares {
 public:
  /// Weights > 0.
  explicit Shares(std::vector<double> weights);
  /// How many of the next `n` each gets.
  std::vector<size_t> Take(size_t n);

 private:
  std::vector<double> weights_;
  std::vector<double> credit_;
  double sum_ = 0;
};

struct MemberReport {
  std::string name;
  double weight = 0;
  double share = 0;  // of the samples, by weight; 0 of a free member, which is always asked
  llm::Spending spending;
  uint64_t proposed = 0;   // candidates or proofs, after reading
  uint64_t succeeded = 0;  // that became part of an accepted proof
  uint64_t failures = 0;   // calls that ended with an error
  std::string last_error;
};

/// `name` is the origin of what the member proposes.
template <class P>
struct Member {
  std::string name;
  std::unique_ptr<P> policy;
  double weight = 1;
  llm::Price price = {};  // of calls that end in an error after tokens were paid for
};

/// Both kinds: members are asked at the same time and joined. A member that fails is left out of
/// that call; only when all fail is its error the ensemble's.
class EnsemblePolicy : public Policy {
 public:
  /// `free` members (the built-in policy) are asked for all n and come first when costs are equal;
  /// the others share n, but at most `samples_per_state`, by weight.
  EnsemblePolicy(std::vector<Member<Policy>> free, std::vector<Member<Policy>> members,
                 size_t samples_per_state);
  ~EnsemblePolicy() override;
  core::Task<core::Result<Proposal>> Propose(StepContext context, size_t n,
                                             llm::CallContext call) override;
  bool wants_library() const override;
  void Succeeded(const std::string& origin) override;
  const std::vector<MemberReport>& reports() const { return reports_; }
  bool empty() const { return members_.empty(); }

 private:
  std::vector<Member<Policy>> members_;  // the free ones first
  const size_t free_;
  const size_t samples_per_state_;
  Shares shares_;
  std::vector<MemberReport> reports_;  // as members_
};

class CompletionEnsemble : public CompletionPolicy {
 public:
  explicit CompletionEnsemble(std::vector<Member<CompletionPolicy>> members);
  ~CompletionEnsemble() override;
  core::Task<core::Result<Samples>> Complete(llm::PromptInput input, size_t n,
                                             llm::CallContext call) override;
  CompletionPolicy& ForTree(size_t tree) override;
  bool ContinuesProofs() const override;
  void Succeeded(const std::string& origin) override;
  const std::vector<MemberReport>& reports() const { return reports_; }

 private:
  class OneMember;
  /// `wanted`: samples, by member.
  core::Task<core::Result<Samples>> CompleteBy(std::vector<size_t> wanted, llm::PromptInput input,
                                               llm::CallContext call);

  std::vector<Member<CompletionPolicy>> members_;
  std::vector<std::unique_ptr<CompletionPolicy>> alone_;  // as members_
  Shares shares_;
  std::vector<MemberReport> reports_;
};

}  // namespace zermelo::policy
