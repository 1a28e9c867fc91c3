#include "lean/states/state_server.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "lean/lsp_connection.h"
#include "lean/states/state_server.lean.h"

namespace zermelo::lean {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr core::Duration kLookAgain = std::chrono::milliseconds(100);
constexpr const char* kProgramName = "state_server.lean";

// g++ 12 cannot compile braced lists inside coroutines, so parameters are made by plain functions.

json OpenParams(const StateHole& hole) { return {{"text", hole.text}, {"at", hole.byte}}; }

json RunParams(StateNumber state, const StateQuery& query) {
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(query.limit).count();
  return {{"state", state}, {"text", query.tactics}, {"ms", limit}, {"stop", query.stop_at_error}};
}

json FreeParams(StateNumber state) { return {{"state", state}}; }

core::SubprocessOptions Command(const Toolchain& toolchain, const std::filesystem::path& folder) {
  core::SubprocessOptions command{
      .argv = {toolchain.lean.string(), "--run", (folder / kProgramName).string()},
      .environment = toolchain.environment,
      .working_directory = toolchain.document_folder,
      .sandbox = toolchain.sandbox};
  if (command.sandbox) command.sandbox->read.push_back(folder);
  return command;
}

bool IsCancelled(const StateQuery& query) {
  return query.cancellation != nullptr && query.cancellation->requested();
}

}  // namespace

/// One Lean process and the holes that it has opened.
class StateServer::Process {
 public:
  static Result<std::unique_ptr<Process>> Start(const core::Executor& executor,
                                                const core::SubprocessOptions& command,
                                                const StateServerOptions& options) {
    auto lean = LspConnection::Start(executor, command, options.standstill,
                                     [](const std::string&, const json&) {});
    if (!lean) return Fail(lean.error());
    return std::unique_ptr<Process>(new Process(std::move(*lean), options));
  }
  ~Process() { lean_->Die("it was stopped"); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Kills a process that has not answered within `limit` or uses too much memory. kInput when it
  /// refuses the request; kCrashed when it dies.
  Task<Result<json>> Ask(std::string_view method, json params, core::Duration limit) {
    const auto lean = lean_;
    const uint64_t most = options_.max_resident_bytes;
    core::ScheduledTime had(lean->process());
    const auto to_send = Deadline::After(limit * core::ScheduledTime::kMostSlowedDown);
    const auto asked = co_await lean->Ask(method, std::move(params), to_send);
    if (!asked) co_return Fail(lean->Crash("it does not read its input"));
    const auto watched = lean->Watched();
    for (;;) {
      auto answer = co_await asked->Wait(Deadline::After(kLookAgain));
      if (answer) {
        if (*answer || (*answer).error().code != ErrorCode::kInternal) co_return std::move(*answer);
        co_return Fail(ErrorCode::kInput, (*answer).error().message);
      }
      lean->DieAbove(most);
      if (lean->alive() && had.Exceeds(limit)) lean->Die("it did not answer in time");
    }
  }

  void Kill(const std::string& why) { lean_->Die(why); }
  bool alive() const { return lean_->alive(); }
  uint64_t ResidentBytes() const { return lean_->process().ResidentBytes(); }
  int pid() const { return lean_->process().pid(); }

  std::map<StateHole, OpenedHole> holes;

 private:
  Process(std::shared_ptr<LspConnection> lean, const StateServerOptions& options)
      : options_(options), lean_(std::move(lean)) {}

  const StateServerOptions options_;
  const std::shared_ptr<LspConnection> lean_;
};

struct StateServer::Slot {
  explicit Slot(const core::Executor& executor) : freed(executor) {}
  std::unique_ptr<Process> process;  // null until needed
  size_t users = 0;                  // runs at work or waiting
  bool busy = false;
  core::Signal freed;
};

/// The right to use a slot's process.
class StateServer::Turn {
 public:
  explicit Turn(Slot& slot) : slot_(slot) { ++slot_.users; }
  ~Turn() {
    --slot_.users;
    if (!has_) return;
    slot_.busy = false;
    slot_.freed.Notify();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  Task<core::Status> Take(const StateQuery& query) {
    const core::Cancellation::Subscription cancel(query.cancellation,
                                                  [this] { slot_.freed.Notify(); });
    while (slot_.busy) {
      if (IsCancelled(query)) break;
      if (query.deadline.Passed()) {
        co_return Fail(ErrorCode::kTimeout, "no state server was free in time");
      }
      co_await slot_.freed.Wait(query.deadline);
    }
    if (IsCancelled(query)) co_return Fail(ErrorCode::kCancelled, "the run was cancelled");
    slot_.busy = has_ = true;
    co_return core::Status();
  }

 private:
  Slot& slot_;
  bool has_ = false;
};

std::string_view StateServer::Program() { return kStateServerProgram; }

StateServer::StateServer(core::Executor executor, Toolchain toolchain, StateServerOptions options,
                         core::TemporaryFolder folder)
    : executor_(std::move(executor)),
      toolchain_(std::move(toolchain)),
      options_(options),
      folder_(std::move(folder)) {
  for (size_t i = 0; i < std::max<size_t>(1, options.processes); ++i) {
    slots_.push_back(std::make_unique<Slot>(executor_));
  }
}

StateServer::~StateServer() = default;

Task<Result<std::unique_ptr<StateServer>>> StateServer::Start(core::Executor executor,
                                                              Toolchain toolchain,
                                                              StateServerOptions options) {
  auto folder = core::TemporaryFolder::Create("zermelo-states-");
  if (!folder) co_return Fail(folder.error());
  if (auto written = core::WriteFileAtomically(folder->path() / kProgramName, Program()); !written)
    co_return Fail(written.error());
  std::unique_ptr<StateServer> server(
      new StateServer(std::move(executor), std::move(toolchain), options, std::move(*folder)));
  if (auto tested = co_await server->SelfTest(); !tested) {
    co_return Fail(ErrorCode::kEnvironment,
                   "Lean " + server->toolchain_.version +
                       " cannot keep proof states: " + tested.error().message);
  }
  co_return server;
}

StateServer::Slot& StateServer::SlotFor(const StateHole& hole) {
  const auto [place, is_new] = places_.emplace(hole, nullptr);
  if (is_new) {
    std::map<const Slot*, size_t> holes;
    for (const auto& [other, slot] : places_) ++holes[slot];
    place->second = std::ranges::min_element(slots_, {}, [&](const auto& slot) {
                      return std::pair(slot->users, holes[slot.get()]);
                    })->get();
  }
  return *place->second;
}

/// Starts the slot's process if it has none that is alive.
Task<core::Status> StateServer::Ready(Slot& slot) {
  if (slot.process && slot.process->alive()) co_return core::Status();
  auto started = Process::Start(executor_, Command(toolchain_, folder_.path()), options_);
  if (!started) co_return Fail(started.error());
  ++stats_.started;
  slot.process = std::move(*started);
  const auto pong = co_await slot.process->Ask("ping", json::object(), options_.start_limit);
  if (pong) co_return core::Status();
  slot.process.reset();
  co_return Fail(ErrorCode::kEnvironment, pong.error().message);
}

Task<Result<OpenedHole>> StateServer::Open(Slot& slot, const StateHole& hole) {
  if (auto ready = co_await Ready(slot); !ready) co_return Fail(ready.error());
  Process& process = *slot.process;
  if (const auto known = process.holes.find(hole); known != process.holes.end()) {
    co_return known->second;
  }
  const auto answer = co_await process.Ask("open", OpenParams(hole), options_.open_limit);
  if (!answer) co_return Fail(answer.error());
  auto opened = ParseOpenedHole(*answer);
  if (opened) {
    process.holes.emplace(hole, *opened);
  } else {
    process.Kill(opened.error().message);
  }
  co_return opened;
}

Task<Result<StateRun>> StateServer::RunOnce(Slot& slot, const StateQuery& query) {
  const auto opened = co_await Open(slot, query.hole);
  if (!opened) co_return Fail(opened.error());
  const auto answer = co_await slot.process->Ask("run", RunParams(opened->state, query),
                                                 query.limit + options_.grace);
  if (!answer) co_return Fail(answer.error());
  auto run = ParseStateRun(*answer);
  if (!run) slot.process->Kill(run.error().message);
  co_return run;
}

Task<Result<std::vector<std::string>>> StateServer::Goals(StateQuery query) {
  query.tactics.clear();
  auto run = co_await Run(std::move(query));
  if (!run) co_return Fail(run.error());
  co_return std::move(run->goals);
}

Task<Result<StateRun>> StateServer::Run(StateQuery query) {
  query.hole.text = core::ReplaceInvalidUtf8(std::move(query.hole.text));
  query.tactics = core::ReplaceInvalidUtf8(std::move(query.tactics));
  Slot& slot = SlotFor(query.hole);
  Turn turn(slot);
  if (auto mine = co_await turn.Take(query); !mine) co_return Fail(mine.error());
  query.limit = std::min(query.limit, query.deadline.Left());
  auto run = co_await RunOnce(slot, query);
  if (!run && run.error().code == ErrorCode::kCrashed) run = co_await RunOnce(slot, query);
  if (run) {
    ++stats_.runs;
    for (const TacticStep& step : run->steps) {
      ++stats_.tactics;
      stats_.elaborated += step.elaborated ? 1 : 0;
    }
    if (slot.process->ResidentBytes() > options_.max_resident_bytes) slot.process.reset();
  }
  co_return run;
}

Task<void> StateServer::Free(StateHole hole) {
  const auto place = places_.find(hole);
  if (place == places_.end()) co_return;
  Slot& slot = *place->second;
  places_.erase(place);
  const StateQuery no_limits;
  Turn turn(slot);
  co_await turn.Take(no_limits);
  if (!slot.process) co_return;
  const auto opened = slot.process->holes.extract(hole);
  if (opened.empty()) co_return;
  co_await slot.process->Ask("free", FreeParams(opened.mapped().state), options_.open_limit);
}

std::vector<int> StateServer::pids() const {
  std::vector<int> pids;
  for (const auto& slot : slots_) {
    if (slot->process && slot->process->alive()) pids.push_back(slot->process->pid());
  }
  return pids;
}

// ---- the self-test

namespace {

constexpr std::string_view kTestBefore =
    "namespace Zermelo.SelfTest\nvariable (p : Prop)\n"
    "theorem test.{u} (α : Type u) (a b : Nat) (h : p) : p ∧ a + b = b + a := by\n  ";

StateQuery TestQuery(std::string tactics) {
  StateQuery query;
  query.hole.text = std::string(kTestBefore) + "sorry\n";
  query.hole.byte = kTestBefore.size();
  query.tactics = std::move(tactics);
  return query;
}

/// What a run must be: its states, one line each, goals separated by " | ", then its first error as
/// "error LINE:COLUMN", and what Closed says.
struct Expectation {
  const char* tactics;
  const char* outcome;
};

constexpr const char* kAfterConstructor =
    "case left\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ p | "
    "case right\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ a + b = b + a\n";

const std::array kExpectations = {
    Expectation{"  constructor\n", ""},
    Expectation{"  constructor\n  · exact h\n  · exact Nat.add_comm a b\n",
                "case right\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ a + b = b + a\n\nclosed\n"},
    Expectation{"  constructor\n  exact missing\n  rfl\n", "error 1:8\n"},
    Expectation{"  constructor\n  · have : ∀ β : Type u, β = β := by\n      intro β\n"
                "      exact missing\n    exact h\n  sorry\n",
                "error 3:12\n"},
    Expectation{"  constructor\n  )\n", "error 1:2\n"},
    Expectation{"  constructor\n  · exact h\n  · sorry\n",
                "case right\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ a + b = b + a\n\n"},
};

std::string OutcomeOf(const StateRun& run) {
  std::string outcome;
  const Diagnostic* error = run.FirstError();
  for (const TacticStep& step : run.steps) {
    if (!step.state || std::ranges::any_of(step.messages, [](const auto& d) {
          return d.severity == Severity::kError;
        })) {
      break;
    }
    for (size_t i = 0; i < step.goals.size(); ++i) outcome += (i == 0 ? "" : " | ") + step.goals[i];
    outcome += "\n";
  }
  if (error != nullptr) {
    outcome += "error " + std::to_string(error->begin.line) + ":" +
               std::to_string(error->begin.character) + "\n";
  }
  if (run.Closed()) outcome += "closed\n";
  return outcome;
}

}  // namespace

Task<core::Status> StateServer::SelfTest() {
  for (const Expectation& expectation : kExpectations) {
    const auto run = co_await Run(TestQuery(expectation.tactics));
    if (!run) co_return Fail(run.error());
    const std::string expected = std::string(kAfterConstructor) + expectation.outcome;
    if (const std::string outcome = OutcomeOf(*run); outcome != expected) {
      co_return Fail(ErrorCode::kEnvironment,
                     "after the tactics of its self-test (" + std::string(expectation.tactics) +
                         ") it answers\n" + outcome + "instead of\n" + expected);
    }
  }
  co_await Free(TestQuery("").hole);
  co_return core::Status();
}

}  // namespace zermelo::lean
