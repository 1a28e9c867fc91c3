// One conversation of an agent, from its first message to its summary.
#pragma once

#include <string>
#include <vector>

#include "llm/prompt_template.h"
#include "strategy/agent/agent.h"
#include "strategy/agent/conversation.h"
#include "strategy/agent/toolbox.h"
#include "strategy/asker.h"

namespace zermelo::strategy::agent {

/// What the trajectories of one task share. All must outlive it.
struct Workshop {
  llm::Model& model;
  const llm::PromptTemplates& prompts;
  const AgentParameters& parameters;
  const StatementTask& task;
  Toolbox& toolbox;
  Asker& asker;
  bool plain_text = false;  // how tools are called; with `auto`, found out by the first call
};

/// Run once.
class Trajectory {
 public:
  /// `number` and `round` name it in events; `summary` is of the round before, or empty.
  Trajectory(Workshop& workshop, size_t number, size_t round, std::string summary);

  /// Until the target is proved, here or elsewhere, the budget of the trajectory is used up, or the
  /// run has ended.
  core::Task<void> Run();
  /// What was learned, for the next round; asks the model, and does without it when it says
  /// nothing.
  core::Task<std::string> Summarise();

 private:
  core::Status Start();
  core::Task<bool> Turn();
  core::Task<std::optional<Asker::Answer>> AskModel();
  core::Task<void> KeepShort();
  core::Task<void> CompactContext();
  void BacktrackIfStuck();
  bool Goes() const;
  std::string NewsFromOthers();
  std::string Text(std::string_view name, const llm::PromptTemplates::Values& values) const;
  std::vector<llm::Tool> Tools() const;
  std::string Calling() const;
  void CountTokens(const llm::Usage& usage);
  void Record(const llm::Message& message) const;
  void RecordCut(std::string_view how, size_t exchanges) const;

  Workshop& workshop_;
  const AgentParameters& parameters_;
  const Limits& limits_;
  const std::string by_;  // "0.2": the third round of the first trajectory
  const std::string summary_;

  Conversation conversation_{{}};
  size_t calls_ = 0;
  size_t tokens_ = 0;      // read or written, each once
  size_t in_context_ = 0;  // of the last request and its answer
  bool was_cut_ = false;   // since then: the next request is shorter
  bool too_long_ = false;  // the server takes no more of the conversation
  size_t idle_ = 0;        // turns in a row without a call
  size_t told_ = 0;        // lemmas of the memory that it knows of
};

}  // namespace zermelo::strategy::agent
