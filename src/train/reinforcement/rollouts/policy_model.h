// The policy as a model of the strategies, and what their runs have in common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/gate.h"
#include "decoder/local_model.h"
#include "lean/checker.h"
#include "strategy/limits.h"
#include "strategy/roles.h"
#include "syntax/theorem.h"
#include "train/reinforcement/reinforce.h"
#include "train/reinforcement/rollouts/transcript.h"

namespace zermelo::train {

/// What writes the policy's answers.
struct PolicyWriter {
  Writer write;
  /// The number of answers that do not wait for each other; nullopt: any (a server's).
  std::optional<size_t> at_once;
};
/// Gives the writer of a step, whose policy outlives it. Errors: those that end the step.
using WriterOf = std::function<core::Result<PolicyWriter>(const ModelAndTokenizer& policy)>;

/// This program's own decoder, on as many threads as torch has. Errors: decoder::Decoder's.
core::Result<PolicyWriter> OwnWriter(const core::Executor& executor,
                                     const ModelAndTokenizer& policy);

/// Does `work` when there is a free place, within `seconds` from then on; `work` gets the place,
/// which it may give back early.
core::Task<void> DoInPlace(
    core::Gate& places, core::Executor executor, double seconds,
    std::function<core::Task<void>(const strategy::Limits&, std::unique_ptr<core::Gate::Pass>)>
        work);

/// The transcript of one run, which the writer and the tokenizer must outlive. `written`: called
/// after each answer.
Transcript TranscriptOf(
    const PolicyWriter& writer, const decoder::Tokenizer& tokenizer, const RlSettings& settings,
    uint64_t seed, std::function<void()> written = [] {});

/// The problem's theorem. kInput: its statement has none.
core::Result<syntax::Theorem> TheoremOf(const Problem& problem);

/// The error of a prompt that leaves no room in the context.
core::Error TooLong(size_t problem, const core::Error& why);

/// Notes whether Lean died on a text of one run.
class WatchedLean final : public lean::Checker {
 public:
  explicit WatchedLean(lean::Checker& lean) : lean_(lean) {}
  core::Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override;
  size_t size() const override { return lean_.size(); }
  uint64_t checks() const override { return lean_.checks(); }
  bool crashed() const { return crashed_; }

 private:
  lean::Checker& lean_;
  bool crashed_ = false;
};

/// The policy in one role; `others` (may be null) has the models of the others.
class PolicyRole final : public strategy::Roles {
 public:
  PolicyRole(std::string_view role, llm::Model& policy, strategy::Roles* others)
      : role_(role), policy_(policy), others_(others) {}
  llm::Model* chat(std::string_view role) override {
    if (role == role_) return &policy_;
    return others_ == nullptr ? nullptr : others_->chat(role);
  }
  policy::CompletionPolicy* prover(std::string_view) override { return nullptr; }

 private:
  const std::string_view role_;
  llm::Model& policy_;
  strategy::Roles* const others_;
};

}  // namespace zermelo::train
