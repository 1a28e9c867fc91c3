// For tests only: policies that answer from a function and record their calls.
#pragma once

#include <boost/asio/this_coro.hpp>
#include <functional>
#include <string>
#include <vector>

#include "policy/completion.h"
#include "policy/policy.h"
#include "strategy/roles.h"

namespace zermelo::strategy::testing {

/// A model's sample: text with "sorry" is a proof with a sorry, "nothing" is not a proof.
inline policy::Sample MakeSample(const std::string& text) {
  policy::Sample sample{.proof = tl::make_unexpected(syntax::NoProof{}), .reply = text};
  if (text != "nothing") {
    syntax::ExtractedProof proof;
    proof.tactics = text;
    proof.has_sorry = text.find("sorry") != std::string::npos;
    sample.proof = proof;
  }
  sample.origin = "scripted";
  return sample;
}

/// One model in every role.
class OneModel : public Roles {
 public:
  explicit OneModel(llm::Model& model) : model_(model) {}
  llm::Model* chat(std::string_view) override { return &model_; }
  policy::CompletionPolicy* prover(std::string_view) override { return nullptr; }

 private:
  llm::Model& model_;
};

/// Whole proofs. The function receives the prefix without its indentation and the number of the
/// call, and returns the rest of the proof; "too long" is an error of the model.
class ScriptedProofs : public policy::CompletionPolicy {
 public:
  using Function = std::function<std::string(const std::string& prefix, size_t call)>;
  explicit ScriptedProofs(Function function) : function_(std::move(function)) {}

  core::Task<core::Result<policy::Samples>> Complete(policy::CompletionInput input, size_t n,
                                                     llm::CallContext) override {
    policy::Samples samples;
    for (size_t i = 0; i < n; ++i) {
      const std::string prefix = Unindented(input.prefix);
      const std::string rest = function_(prefix, asked.size());
      if (rest == "too long") {
        asked.push_back(std::move(input));
        co_return core::Fail(core::ErrorCode::kTooLong, "the prompt has 2000 tokens");
      }
      samples.samples.push_back(MakeSample(rest == "nothing" ? rest : prefix + rest));
      asked.push_back(input);
    }
    samples.spending.samples = static_cast<int64_t>(n);
    co_return samples;
  }
  void Succeeded(const std::string& origin) override { succeeded.push_back(origin); }

  static std::string Unindented(const std::string& prefix) {
    std::string out;
    for (size_t at = 0; at < prefix.size();) {
      const size_t end = prefix.find('\n', at);
      out += prefix.substr(at + 2, end - at - 1);
      at = end + 1;
    }
    return out;
  }

  std::vector<policy::CompletionInput> asked;
  std::vector<std::string> succeeded;

 private:
  const Function function_;
};

/// Tactics for a state, from a function of the context and the number of the call.
class ScriptedTactics : public policy::Policy {
 public:
  using Function =
      std::function<std::vector<std::string>(const policy::StepContext& context, size_t call)>;
  explicit ScriptedTactics(Function function) : function_(std::move(function)) {}

  core::Task<core::Result<policy::Proposal>> Propose(policy::StepContext context, size_t,
                                                     llm::CallContext) override {
    policy::Proposal proposal;
    for (const std::string& tactic : function_(context, asked.size())) {
      proposal.samples += is_model ? 1 : 0;
      policy::Candidate candidate;
      candidate.tactic = tactic;
      candidate.origin = "scripted";
      candidate.sampled = is_model;
      proposal.candidates.push_back(std::move(candidate));
    }
    asked.push_back(std::move(context));
    co_return proposal;
  }
  void Succeeded(const std::string& origin) override { succeeded.push_back(origin); }

  bool is_model = false;  // its tactics are samples
  std::vector<policy::StepContext> asked;
  std::vector<std::string> succeeded;

 private:
  const Function function_;
};

}  // namespace zermelo::strategy::testing
