// Ensembles of policies: several models, or one model in several formats (the mixture of CoT and
// non-CoT of DeepSeek-Prover-V1.5, section 5.1), each with a share of the samples. Bourbaki's two
// models (section 4: DeepSeek-Prover-V2-7B and Kimina-7B; the paper does not state the shares) are
// two members of equal weight.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policy/completion.h"
#include "policy/policy.h"

namespace zermelo::policy {

/// Divides samples by weight. After any number of samples, no member is a whole sample ahead of its
/// share or more than one sample behind it.
class Shares {
 public:
  /// Weights must be positive.
  explicit Shares(std::vector<double> weights);
  /// The number of samples that each member gets of the next `n`.
  std::vector<size_t> Take(size_t n);

 private:
  std::vector<double> weights_;
  std::vector<double> credit_;
  double sum_ = 0;
};

/// The weights of members, for Shares.
std::vector<double> WeightsOf(const auto& members) {
  std::vector<double> weights;
  for (const auto& member : members) weights.push_back(member.weight);
  return weights;
}

struct MemberReport {
  std::string name;
  double weight = 0;
  double share = 0;  // of the samples, by weight; 0: a free member, which is always called
  llm::Spending spending;
  uint64_t proposed = 0;   // candidates or proofs that could be read
  uint64_t succeeded = 0;  // candidates or proofs that became part of an accepted proof
  uint64_t failures = 0;   // calls that ended with an error
  std::string last_error;
};
/// {"name", "share", "samples", "proposed", "succeeded", "failures", "dollars", unless empty
/// "last_error"}.
void to_json(nlohmann::json& json, const MemberReport& report);

/// `name` is the origin of the member's proposals.
template <class P>
struct Member {
  std::string name;
  std::unique_ptr<P> policy;
  double weight = 1;
  llm::Price price = {};  // of calls that fail after tokens were paid for
};

/// In both kinds of ensembles, the members are called concurrently and their answers joined. A
/// member that fails is left out of that call; only if all fail, the first error is returned.
class EnsemblePolicy : public Policy {
 public:
  /// All n candidates are requested from each of the `free` members (the built-in policy), which
  /// come first among equal costs; the other members share n samples, or `samples_per_state` if
  /// that is less, by weight.
  EnsemblePolicy(std::vector<Member<Policy>> free, std::vector<Member<Policy>> members,
                 size_t samples_per_state);
  ~EnsemblePolicy() override;
  core::Task<core::Result<Proposal>> Propose(StepContext context, size_t n,
                                             llm::CallContext call) override;
  bool wants_library() const override;
  size_t most_effort() const override;
  void Succeeded(const std::string& origin) override;
  const std::vector<MemberReport>& reports() const { return reports_; }
  bool empty() const { return members_.empty(); }

 private:
  std::vector<Member<Policy>> members_;  // the free members first
  const size_t free_;
  const size_t samples_per_state_;
  Shares shares_;
  std::vector<MemberReport> reports_;  // in the order of members_
};

class CompletionEnsemble : public CompletionPolicy {
 public:
  explicit CompletionEnsemble(std::vector<Member<CompletionPolicy>> members);
  ~CompletionEnsemble() override;
  core::Task<core::Result<Samples>> Complete(CompletionInput input, size_t n,
                                             llm::CallContext call) override;
  CompletionPolicy& ForTree(size_t tree) override;
  bool ContinuesProofs() const override;
  void Succeeded(const std::string& origin) override;
  const std::vector<MemberReport>& reports() const { return reports_; }

 private:
  class OneMember;
  /// `wanted`: the number of samples of each member.
  core::Task<core::Result<Samples>> CompleteBy(std::vector<size_t> wanted, CompletionInput input,
                                               llm::CallContext call);

  std::vector<Member<CompletionPolicy>> members_;
  std::vector<std::unique_ptr<CompletionPolicy>> alone_;  // in the order of members_
  Shares shares_;
  std::vector<MemberReport> reports_;
};

}  // namespace zermelo::policy
