// The language models of a job: clients, records, budgets and policies, assembled from the
// configuration.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/cancellation.h"
#include "core/config.h"
#include "engine/models/llama_server.h"
#include "llm/budget.h"
#include "llm/client_config.h"
#include "policy/completion.h"
#include "policy/ensemble_policy.h"
#include "policy/policy.h"
#include "record/run_journal.h"
#include "strategy/roles.h"

namespace zermelo::engine {

struct ModelsRequest {
  core::Config config;
  std::vector<std::string> names;  // keys of config.models
  bool roles = false;            // the strategy uses models by role; else `names` has at least one
  llm::BudgetLimits budget;      // for all models together; unset limits are as configured
  std::filesystem::path record;  // database that records calls; empty: none
  std::filesystem::path replay;  // database that answers instead of the models; empty: none
  bool cache = false;            // answer seeded calls from `record` if it has them
  std::optional<uint64_t> seed;  // of the first call with a prompt; its later calls count up
  size_t samples_per_state = 8;  // tactics to request per tactic state
  record::RunJournal* journal = nullptr;  // of the work that calls the models; null: not recorded
  bool builtin = true;                    // the built-in policy proposes tactics, too
  std::string without;                    // its heuristics that are left out
};

/// The result of requesting one token from a configured model.
struct ModelExamination {
  std::string name;
  bool works = false;
  std::string found;   // "kimina at http://… answers in 0.13 s", or the problem
  std::string advice;  // what to do if it does not work
};

/// The client configuration of a configured model. kUsage: no model has this name (the hint gives
/// the nearest).
core::Result<llm::ClientConfig> ClientConfigFor(const core::Config& config,
                                                const std::string& name);

/// The models of a role: those that `[roles]` names for it; else, for a chat role, those that
/// `[roles]` names as reasoner; else the first model in `names` that chats, and for the prover all
/// that write proofs. Several models of a role take turns by weight; one that fails is skipped.
class Models : public strategy::Roles {
 public:
  /// kUsage: a name that is not configured, an unknown role, format or dialect, a missing key; the
  /// hint says what to do. kInput, kEnvironment: from the databases.
  static core::Result<std::unique_ptr<Models>> Create(const core::Executor& executor,
                                                      const ModelsRequest& request);
  ~Models() override;

  /// Proposes tactics: the built-in policy first, at no cost, then the models. A model that writes
  /// proofs contributes the first tactic of each proof. Null if there is no member.
  policy::Policy* steps();
  /// The models that write whole proofs; null if there are none.
  policy::CompletionPolicy* completions();

  // strategy::Roles. Calls are counted in budget().roles().
  llm::Model* chat(std::string_view role) override;
  policy::CompletionPolicy* prover(std::string_view role) override;

  /// Starts the servers of GGUF files and waits until they have loaded them; returns at once where
  /// there are none. Without it, the first calls wait, and may run out of their time. Calls
  /// `waiting` about once a second. Errors: LlamaServer::Load.
  core::Task<core::Status> Load(std::function<void(const LlamaServer&)> waiting,
                                core::Cancellation& cancellation);
  /// Who owns these, too, keeps them running for later models of the same files.
  std::vector<std::shared_ptr<LlamaServer>> servers() const;

  const llm::Budget& budget() const;
  /// Requests, cost and results of each ensemble member, whether it gave tactics or whole proofs;
  /// the built-in policy first.
  std::vector<policy::MemberReport> members() const;

 private:
  struct Impl;
  explicit Models(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Requests, from every endpoint of every configured model, the list of models and one token in
/// each of the model's formats.
core::Task<std::vector<ModelExamination>> Examine(core::Config config);

}  // namespace zermelo::engine
