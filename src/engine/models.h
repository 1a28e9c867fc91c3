// The language models of a job: clients, records, budgets and policies, put together as the
// configuration says.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "engine/run_journal.h"
#include "llm/budget.h"
#include "llm/client_config.h"
#include "policy/completion.h"
#include "policy/ensemble_policy.h"
#include "policy/policy.h"
#include "strategy/roles.h"

namespace zermelo::engine {

struct ModelsRequest {
  core::Config config;
  std::vector<std::string> names;  // of config.models
  bool roles = false;              // models are asked by role; else at least one is named
  llm::BudgetLimits budget;        // of all together; what is not said is as configured
  std::filesystem::path record;    // a database that calls are recorded in; empty: none
  std::filesystem::path replay;    // a database that answers instead of the models; empty: none
  bool cache = false;              // answer seeded calls from `record` if they are there
  std::optional<uint64_t> seed;    // of every call; a call of its own counts up from it
  size_t samples_per_state = 8;    // tactics that models are asked for at a tactic state
  RunJournal* journal = nullptr;   // of the work that will ask them; null: nobody records it
  bool builtin = true;             // the built-in policy proposes tactics, too
};

/// What one model of the configuration answered when it was asked for a token.
struct ModelExamination {
  std::string name;
  bool works = false;
  std::string found;   // "kimina at http://… answers in 0.13 s", or what is wrong
  std::string advice;  // what to do when it does not work
};

/// How a model of the configuration is reached. kUsage: there is none of that name (with the
/// nearest).
core::Result<llm::ClientConfig> ClientConfigFor(const core::Config& config,
                                                const std::string& name);

/// Whom a role is asked of: whom `[roles]` names; else, for a role that chats, whom it names as
/// reasoner; else of the models in `names` the first that chats, and all that write proofs. Several
/// models of a role take turns by their weights; one that fails is skipped.
class Models : public strategy::Roles {
 public:
  /// kUsage: a name that is not configured, an unknown role, format or dialect, a missing key; each
  /// with what to do. kInput, kEnvironment: the databases.
  static core::Result<std::unique_ptr<Models>> Create(const core::Executor& executor,
                                                      const ModelsRequest& request);
  ~Models() override;

  /// The built-in policy first and free of charge, then tactics of the models; of a model that
  /// writes proofs, the first tactic of what it writes. Null when nobody is left.
  policy::Policy* steps();
  /// The models that write whole proofs; null when there is none.
  policy::CompletionPolicy* completions();

  // strategy::Roles. Counted in budget().roles().
  llm::Model* chat(std::string_view role) override;
  policy::CompletionPolicy* prover(std::string_view role) override;

  const llm::Budget& budget() const;
  /// What each member of the ensembles was asked for, what it cost and what came of it, whether it
  /// gave tactics or whole proofs; the built-in policy first.
  std::vector<policy::MemberReport> members() const;

 private:
  struct Impl;
  explicit Models(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Asks every endpoint of every model of the configuration for its list of models and for one token
/// in each of the model's formats.
core::Task<std::vector<ModelExamination>> Examine(core::Config config);

}  // namespace zermelo::engine
