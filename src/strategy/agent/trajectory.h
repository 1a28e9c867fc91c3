// One conversation of an agent, from its first message to its summary.
#pragma once

#include <string>
#include <vector>

#include "strategy/agent/agent.h"
#include "strategy/agent/conversation.h"
#include "strategy/agent/toolbox.h"

namespace zermelo::strategy::agent {

/// Shared by the trajectories of one task. All references must outlive it.
struct AgentContext {
  Session& session;
  const AgentParameters& parameters;
  const StatementTask& task;
  Toolbox& toolbox;
  bool plain_text = false;  // tool protocol; with `auto`, determined by the first call
};

/// To be run once.
class Trajectory {
 public:
  /// `number` and `round` identify it in events; `summary`: of the previous round, or empty.
  Trajectory(AgentContext& context, size_t number, size_t round, std::string summary);

  /// Runs until the target is proved, here or elsewhere, the budget of the trajectory is used up,
  /// or the run has ended.
  core::Task<void> Run();
  /// A summary for the next round, by the model; if the model returns none, a list of the last
  /// rejected calls, or the previous summary.
  core::Task<std::string> Summarise();

 private:
  bool Start();
  core::Task<bool> Turn();
  core::Task<std::optional<Session::Answer>> AskModel();
  core::Task<core::Result<Session::Answer>> Request(std::vector<llm::Message> messages,
                                                    llm::Sampling sampling);
  llm::Sampling WithinTokens() const;
  /// Length of the sequence with the next request, if nothing were cut.
  size_t Held() const { return cut_ + in_context_ + added_; }
  core::Task<void> KeepShort();
  core::Task<void> CompactContext();
  void BacktrackIfStuck();
  bool Goes() const;
  std::string NewsFromOthers();
  std::string Text(std::string_view name, const llm::PromptTemplates::Values& values = {});
  std::vector<llm::Tool> Tools();
  std::string Calling();
  /// What earlier attempts learned; empty: nothing.
  const std::string& Notes() const { return summary_.empty() ? context_.task.notes : summary_; }
  void CountTokens(const llm::Usage& usage);
  void RecordBegin() const;
  void Record(const llm::Message& message) const;
  void RecordCut(std::string_view how, size_t exchanges);
  void Append(std::string_view kind, nlohmann::json fields) const;

  AgentContext& context_;
  Session& session_;
  const AgentParameters& parameters_;
  const std::string by_;  // "0.2": the third round of the first trajectory
  const std::string summary_;

  Conversation conversation_{{}};
  size_t calls_ = 0;
  size_t cut_ = 0;         // tokens that were cut out of the context
  size_t in_context_ = 0;  // tokens of the last request and its answer
  size_t added_ = 0;       // estimated tokens that the next request has in addition
  bool was_cut_ = false;   // the context was cut since: the next request is shorter
  bool too_long_ = false;  // the server rejects the conversation as too long
  size_t idle_ = 0;        // consecutive turns without a call
  size_t told_ = 0;        // number of lemmas of the memory shown so far
};

}  // namespace zermelo::strategy::agent
