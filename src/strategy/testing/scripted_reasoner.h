// For tests only: models in Hilbert's roles with scripted replies for each step, and a scripted
// retriever.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/files/file.h"
#include "llm/prompt/prompt_template.h"
#include "llm/testing/fake_model.h"
#include "retrieve/retriever.h"
#include "strategy/roles.h"
#include "strategy/testing/scripted_policies.h"

namespace zermelo::strategy::testing {

/// The real prompts, each with the name of its step in the first line.
inline llm::PromptTemplates MarkedPrompts(const std::filesystem::path& folder) {
  const auto real = std::filesystem::path(ZERMELO_SOURCE_DIR) / "prompts" / "hilbert";
  for (const auto& file : std::filesystem::directory_iterator(real)) {
    std::string text = *core::ReadTextFile(file.path());
    const std::string mark = "=== user\n";
    text.insert(text.find(mark) + mark.size(), "STEP " + file.path().stem().string() + "\n");
    std::ofstream(folder / file.path().filename()) << text;
  }
  return *llm::PromptTemplates::Load(folder);
}

/// A recorded request.
struct Asked {
  std::string role, step, prompt;
  size_t messages = 0;  // in the conversation, with the prompt
};

/// Answers a step with its scripted replies, in order, repeating the last one. A key may restrict
/// the step to prompts with a given text ("prove|theorem game_h1"); such keys come first.
class ScriptedRoles : public Roles {
 public:
  using Replies = std::vector<std::string>;
  ScriptedRoles(const core::Executor& executor, policy::CompletionPolicy* prover)
      : executor_(executor), prover_(prover) {}

  llm::Model* chat(std::string_view role) override {
    auto& model = models_[std::string(role)];
    if (!model) {
      model = std::make_unique<llm::testing::FakeModel>(
          executor_, std::string(role),
          [this, role = std::string(role)](const llm::Request& request, size_t) {
            return Answer(role, request);
          });
    }
    return model.get();
  }
  policy::CompletionPolicy* prover(std::string_view) override { return prover_; }

  std::vector<std::string> Steps() const {
    std::vector<std::string> steps;
    for (const Asked& one : asked) steps.push_back(one.step);
    return steps;
  }
  size_t Count(std::string_view step) const {
    return static_cast<size_t>(
        std::count_if(asked.begin(), asked.end(), [&](const Asked& a) { return a.step == step; }));
  }

  std::map<std::string, Replies> script;
  size_t most = 1000;  // answers before the budget is used up
  std::vector<Asked> asked;

 private:
  core::Result<llm::Reply> Answer(const std::string& role, const llm::Request& request) {
    const auto& messages = std::get<std::vector<llm::Message>>(request.prompt);
    const std::string prompt = messages.back().content;
    const std::string step = prompt.substr(5, prompt.find('\n') - 5);
    asked.push_back({role, step, prompt, messages.size()});
    if (asked.size() > most) return core::Fail(core::ErrorCode::kCancelled, "used up");
    for (const auto& [key, replies] : script) {
      const size_t bar = key.find('|');
      if (bar == std::string::npos || key.substr(0, bar) != step) continue;
      if (prompt.find(key.substr(bar + 1)) != std::string::npos) return Next(key, replies);
    }
    const auto found = script.find(step);
    return llm::testing::Answer({found == script.end() ? "" : NextText(step, found->second)});
  }
  core::Result<llm::Reply> Next(const std::string& key, const Replies& replies) {
    return llm::testing::Answer({NextText(key, replies)});
  }
  std::string NextText(const std::string& key, const Replies& replies) {
    return replies[std::min(next_[key]++, replies.size() - 1)];
  }

  const core::Executor executor_;
  policy::CompletionPolicy* const prover_;
  std::map<std::string, std::unique_ptr<llm::Model>> models_;
  std::map<std::string, size_t> next_;
};

/// Whole proofs by the theorem's name; "fail" for other theorems.
class ScriptedProver : public policy::CompletionPolicy {
 public:
  core::Task<core::Result<policy::Samples>> Complete(policy::CompletionInput input, size_t n,
                                                     llm::CallContext) override {
    policy::Samples samples;
    for (size_t i = 0; i < n; ++i) {
      asked.push_back(input.theorem.name);
      const auto found = proofs.find(input.theorem.name);
      std::string proof = found == proofs.end() ? "fail" : found->second;
      if (first_fail[input.theorem.name] > 0) {
        --first_fail[input.theorem.name];
        proof = "fail";
      }
      samples.samples.push_back(MakeSample(proof));
    }
    co_return samples;
  }
  size_t Count(const std::string& name) const {
    return static_cast<size_t>(std::count(asked.begin(), asked.end(), name));
  }
  std::map<std::string, std::string> proofs;
  std::map<std::string, size_t> first_fail;  // number of first attempts that fail, by theorem
  std::vector<std::string> asked;
};

class ScriptedRetriever : public retrieve::Retriever {
 public:
  core::Task<core::Result<std::vector<retrieve::Premise>>> Search(retrieve::PremiseQuery query,
                                                                  core::Deadline) override {
    queries.push_back(query);
    if (error) co_return core::Fail(*error);
    std::vector<retrieve::Premise> found;
    const auto names = answers.find(query.text);
    if (names == answers.end()) co_return found;
    for (const std::string& name : names->second) {
      retrieve::Premise premise;
      premise.name = name;
      premise.kind = "theorem";
      premise.signature = ": " + name + " says";
      found.push_back(premise);
    }
    co_return found;
  }
  std::map<std::string, std::vector<std::string>> answers;  // names by query
  std::optional<core::Error> error;
  std::vector<retrieve::PremiseQuery> queries;
};

inline std::string Lean(const std::string& code) { return "Here:\n```lean4\n" + code + "\n```\n"; }

}  // namespace zermelo::strategy::testing
