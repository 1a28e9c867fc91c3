#include "engine/job/job_services.h"

#include "policy/builtin.h"
#include "policy/library.h"

namespace zermelo::engine {

namespace {

std::unique_ptr<lean::Pool> PoolOf(const core::Executor& executor, const lean::Toolchain& toolchain,
                                   const ProveRequest& request) {
  if (request.lean != nullptr) return nullptr;
  return std::make_unique<lean::Pool>(executor, toolchain,
                                      SearchPoolOptions(request.workers, request.pool));
}

std::unique_ptr<lean::LateStateServer> StatesOf(const core::Executor& executor,
                                                const lean::Toolchain& toolchain,
                                                const ProveRequest& request) {
  if (request.states != nullptr || request.state_servers == 0) return nullptr;
  return std::make_unique<lean::LateStateServer>(
      executor, toolchain, lean::ForSearch(request.state_servers, request.pool));
}

std::unique_ptr<retrieve::Retriever> LibraryOf(const ProveRequest& request) {
  if (request.premises == nullptr) return nullptr;
  return std::make_unique<policy::StateLibrary>(*request.premises);
}

std::unique_ptr<learn::Adviser> AdviserOf(const ProveRequest& request) {
  if (request.learned == nullptr) return nullptr;
  return std::make_unique<learn::KnowledgeAdviser>(*request.learned);
}

}  // namespace

JobServices::JobServices(const core::Executor& executor, const lean::Toolchain& toolchain,
                         const ProveRequest& request)
    : executor_(executor),
      request_(request),
      builtin_(policy::MakeImmediatePolicy(policy::MakeBuiltinPolicy(request.strategy.without))),
      own_pool_(PoolOf(executor, toolchain, request)),
      own_states_(StatesOf(executor, toolchain, request)),
      refusing_lean_(own_states_ ? std::make_unique<lean::StateChecker>(live_lean(), *own_states_)
                                 : nullptr),
      library_(LibraryOf(request)),
      adviser_(AdviserOf(request)),
      recorded_lean_(refusing_lean_ ? refusing_lean_.get() : &live_lean(), request.journal),
      recorded_states_(own_states_ ? own_states_.get() : request.states, request.journal),
      recorded_premises_(library_.get(), request.journal),
      recorded_adviser_(adviser_.get(), request.journal) {}

void JobServices::Begin() {
  if (own_states_) own_states_->Begin();
}

void JobServices::CloseLean() {
  if (own_pool_) own_pool_->Close();
  if (own_states_) own_states_->Close();
}

core::Task<void> JobServices::EndStates() {
  if (!own_states_) co_return;
  own_states_->Close();
  co_await own_states_->Join();
}

void JobServices::DropStates(const syntax::ProofSite& site) {
  if (own_states_) own_states_->Drop(lean::HoleAt(site));
}

strategy::Services JobServices::ForSearch() {
  strategy::Services services = WithoutModels();
  services.builtin = request_.builtin ? builtin_.get() : nullptr;
  services.models = request_.models != nullptr;
  services.steps = services.models ? request_.models->steps() : services.builtin;
  if (services.models) services.completions = request_.models->completions();
  if (services.completions != nullptr && request_.search) {
    services.completions = &services.completions->ForTree(*request_.search);
  }
  services.roles = request_.models;
  services.python = Python();
  return services;
}

strategy::Services JobServices::WithoutModels() {
  strategy::Services services{.checker = lean()};
  services.states = recorded_states_.get();
  services.builtin = builtin_.get();
  services.steps = builtin_.get();
  services.all = request_.strategy.all;
  services.premises = recorded_premises_.get();
  services.learned = recorded_adviser_.get();
  return services;
}

core::PythonRunner* JobServices::Python() {
  if (!python_) {
    python_ = PythonSandbox::Create(executor_);
    recorded_python_ = record::MaybeRecorded<core::PythonRunner>(python_.get(), request_.journal);
  }
  return recorded_python_.get();
}

nlohmann::json JobServices::LeanUse() const {
  const record::RecordedChecker& lean = *recorded_lean_.recorded();
  return {{"checks", lean.checks()},
          {"lean_seconds", lean.seconds()},
          {"lean_by_role", lean.by_role()}};
}

}  // namespace zermelo::engine
