// What a job searches with: Lean, the library, what was learned, and Python, each behind the job's
// journal if it has one.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "core/process/python_runner.h"
#include "engine/prove_file.h"
#include "engine/python_sandbox.h"
#include "lean/pool.h"
#include "lean/states/late_state_server.h"
#include "lean/states/state_checker.h"
#include "learn/adviser.h"
#include "policy/policy.h"
#include "record/recorded_calls.h"
#include "strategy/strategy.h"

namespace zermelo::engine {

class JobServices {
 public:
  /// Lean's workers are started at once, its state servers by Begin. All must outlive this object.
  JobServices(const core::Executor& executor, const lean::Toolchain& toolchain,
              const ProveRequest& request);

  /// Starts the state servers of the job.
  void Begin();
  /// Ends the Lean processes of the job, but not those that it shares with others.
  void CloseLean();
  core::Task<void> EndStates();
  /// The search at this place has ended: frees its proof states.
  void DropStates(const syntax::ProofSite& site);

  /// As the search sees it.
  lean::Checker& lean() { return *recorded_lean_.get(); }
  /// Not recorded.
  lean::Checker& live_lean() { return own_pool_ ? *own_pool_ : *request_.lean; }
  /// Null if the job's workers are shared.
  lean::Pool* own_pool() { return own_pool_.get(); }

  strategy::Services ForSearch();
  /// With the built-in policy, for a search that asks no model.
  strategy::Services WithoutModels();

  /// {"checks", "lean_seconds", "lean_by_role"} of the search so far; only if it is recorded.
  nlohmann::json LeanUse() const;

 private:
  /// Null if programs cannot be run on this machine.
  core::PythonRunner* Python();

  const core::Executor executor_;
  const ProveRequest& request_;
  const std::unique_ptr<policy::Policy> builtin_;
  const std::unique_ptr<lean::Pool> own_pool_;
  const std::unique_ptr<lean::LateStateServer> own_states_;
  const std::unique_ptr<lean::StateChecker> refusing_lean_;  // by own_states_
  const std::unique_ptr<retrieve::Retriever> library_;
  const std::unique_ptr<learn::Adviser> adviser_;
  std::unique_ptr<PythonSandbox> python_;  // once it is needed
  const record::MaybeRecorded<lean::Checker> recorded_lean_;
  const record::MaybeRecorded<lean::TacticRunner> recorded_states_;
  // Outside of the library: the searches inside it are not recorded.
  const record::MaybeRecorded<retrieve::Retriever> recorded_premises_;
  const record::MaybeRecorded<learn::Adviser> recorded_adviser_;
  record::MaybeRecorded<core::PythonRunner> recorded_python_;
};

}  // namespace zermelo::engine
