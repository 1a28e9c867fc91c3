#include "lean/states/state_server.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "lean/lsp/lsp_connection.h"
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
constexpr core::Duration kTacticsBefore =
    std::chrono::seconds(20);  // limit for what leads to a state
constexpr const char* kProgramName = "state_server.lean";

// g++ 12 cannot compile braced lists inside coroutines, so parameters are made by plain functions.

json OpenParams(const StateHole& hole) { return {{"text", hole.text}, {"at", hole.byte}}; }

auto Milliseconds(core::Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

json RunParams(StateNumber state, const StateQuery& query, core::Duration limit) {
  return {{"state", state},
          {"text", query.tactics},
          {"ms", Milliseconds(limit)},
          {"stop", query.stop_at_error}};
}

json TryParams(StateNumber state, const Trials& trials, core::Duration limit) {
  return {{"state", state},
          {"before", trials.before},
          {"texts", trials.candidates},
          {"after", trials.after},
          {"each", Milliseconds(trials.limits.per_candidate)},
          {"ms", Milliseconds(limit)}};
}

json FreeParams(StateNumber state) { return {{"state", state}}; }

// The same texts, with U+FFFD for what is not UTF-8: JSON has no other strings.

StateQuery Valid(StateQuery query) {
  query.hole.text = core::ReplaceInvalidUtf8(std::move(query.hole.text));
  query.tactics = core::ReplaceInvalidUtf8(std::move(query.tactics));
  return query;
}

Trials Valid(Trials trials) {
  for (std::string* text : {&trials.hole.text, &trials.before, &trials.after}) {
    *text = core::ReplaceInvalidUtf8(std::move(*text));
  }
  for (std::string& text : trials.candidates) text = core::ReplaceInvalidUtf8(std::move(text));
  return trials;
}

}  // namespace

/// A request about a hole.
struct StateServer::Request {
  std::string_view method;
  StateHole hole;
  std::function<json(StateNumber state, core::Duration limit)> params;
  core::Duration limit{};  // for Lean
  core::Deadline deadline;
  core::Cancellation* cancellation = nullptr;

  bool cancelled() const { return cancellation != nullptr && cancellation->requested(); }
};

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
  /// refuses the request; kCrashed when it dies; kCancelled when it has heeded `cancellation`.
  Task<Result<json>> Ask(std::string_view method, json params, core::Duration limit,
                         core::Cancellation* cancellation = nullptr) {
    const auto lean = lean_;
    const uint64_t most = options_.max_resident_bytes;
    core::ScheduledTime had(lean->process());
    const auto to_send = Deadline::After(limit * core::ScheduledTime::kMostSlowedDown);
    const auto asked = co_await lean->Ask(method, std::move(params), to_send);
    if (!asked) co_return Fail(lean->Crash("it does not read its input"));
    const auto watched = lean->Watched();
    const core::Cancellation::Subscription cancel(
        cancellation, [&] { lean->SendIgnoringReply("cancel", json::object()); });
    for (;;) {
      auto answer = co_await asked->Wait(Deadline::After(kLookAgain));
      if (answer) {
        if (cancellation != nullptr && cancellation->requested()) {
          co_return Fail(ErrorCode::kCancelled, "the run was cancelled");
        }
        if (*answer || (*answer).error().code != ErrorCode::kInternal) co_return std::move(*answer);
        co_return Fail(ErrorCode::kInput, (*answer).error().message);
      }
      lean->DieAbove(most);
      if (lean->alive() && had.Exceeds(limit)) lean->Die("it did not answer in time");
    }
  }

  Task<void> Free(StateHole hole, core::Duration limit) {
    const auto opened = holes.extract(hole);
    if (!opened.empty()) co_await Ask("free", FreeParams(opened.mapped().state), limit);
  }

  /// Frees the holes that were used least recently, so that one more makes `most`.
  Task<void> MakeRoom(size_t most, core::Duration limit) {
    while (alive() && !holes.empty() && holes.size() >= most) {
      const auto oldest = std::ranges::min_element(
          holes, {}, [](const auto& entry) { return entry.second.last_use; });
      const StateHole hole = oldest->first;
      co_await Free(hole, limit);
    }
  }

  void Kill(const std::string& why) { lean_->Die(why); }
  bool alive() const { return lean_->alive(); }
  uint64_t ResidentBytes() const { return lean_->process().ResidentBytes(); }
  int pid() const { return lean_->process().pid(); }

  struct UsedHole : OpenedHole {
    uint64_t last_use = 0;
  };
  std::map<StateHole, UsedHole> holes;
  uint64_t uses = 0;  // of the holes, so far

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
  bool started() const { return process && process->alive(); }
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

  Task<core::Status> Take(const Request& query) {
    const core::Cancellation::Subscription cancel(query.cancellation,
                                                  [this] { slot_.freed.Notify(); });
    while (slot_.busy) {
      if (query.cancelled()) break;
      if (query.deadline.Passed()) {
        co_return Fail(ErrorCode::kTimeout, "no state server was free in time");
      }
      co_await slot_.freed.Wait(query.deadline);
    }
    if (query.cancelled()) co_return Fail(ErrorCode::kCancelled, "the run was cancelled");
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

Result<std::unique_ptr<StateServer>> StateServer::Create(core::Executor executor,
                                                         Toolchain toolchain,
                                                         StateServerOptions options) {
  auto folder = core::TemporaryFolder::Create("zermelo-states-");
  if (!folder) return Fail(folder.error());
  if (auto written = core::WriteFileAtomically(folder->path() / kProgramName, Program()); !written)
    return Fail(written.error());
  return std::unique_ptr<StateServer>(
      new StateServer(std::move(executor), std::move(toolchain), options, std::move(*folder)));
}

Task<Result<std::unique_ptr<StateServer>>> StateServer::Start(core::Executor executor,
                                                              Toolchain toolchain,
                                                              StateServerOptions options) {
  auto server = Create(std::move(executor), std::move(toolchain), options);
  if (!server) co_return Fail(server.error());
  if (auto tested = co_await (*server)->Test(); !tested) co_return Fail(tested.error());
  co_return std::move(*server);
}

StateServer::Slot& StateServer::SlotFor(const StateHole& hole) {
  const auto [place, is_new] = places_.emplace(hole, nullptr);
  if (is_new) {
    std::map<const Slot*, size_t> holes;
    for (const auto& [other, slot] : places_) ++holes[slot];
    place->second = std::ranges::min_element(slots_, {}, [&](const auto& slot) {
                      const bool waits = options_.shares_holes && !slot->started();
                      return std::tuple(waits, slot->users, holes[slot.get()]);
                    })->get();
  }
  return *place->second;
}

/// A slot that is free at once, preferably one that has opened the hole; null if there is none.
StateServer::Slot* StateServer::FreeSlot(const StateHole& hole) {
  Slot* free = nullptr;
  for (const auto& slot : slots_) {
    if (slot->users > 0 || !slot->started()) continue;
    if (slot->process->holes.contains(hole)) return slot.get();
    if (free == nullptr || slot->process->holes.size() < free->process->holes.size())
      free = slot.get();
  }
  return free;
}

/// Starts the slot's process if it has none that is alive.
Task<core::Status> StateServer::Ready(Slot& slot) {
  if (closed_) co_return Fail(ErrorCode::kEnvironment, "the state server is closed");
  if (slot.started()) co_return core::Status();
  auto started = Process::Start(
      executor_, ProgramCommand(toolchain_, folder_.path() / kProgramName), options_);
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
    known->second.last_use = ++process.uses;
    co_return known->second;
  }
  co_await process.MakeRoom(options_.max_holes, options_.open_limit);
  const auto answer = co_await process.Ask("open", OpenParams(hole), options_.open_limit);
  if (!answer) co_return Fail(answer.error());
  auto opened = ParseOpenedHole(*answer);
  if (opened) {
    process.holes[hole] = Process::UsedHole{*opened, ++process.uses};
  } else {
    process.Kill(opened.error().message);
  }
  co_return opened;
}

Task<Result<json>> StateServer::AskOnce(Slot& slot, const Request& request) {
  const auto opened = co_await Open(slot, request.hole);
  if (!opened) co_return Fail(opened.error());
  co_return co_await slot.process->Ask(request.method, request.params(opened->state, request.limit),
                                       request.limit + options_.grace, request.cancellation);
}

/// Asks in the turn of the hole; again if the process dies, or answers what `Parse` refuses.
template <class Answer, Result<Answer> (*Parse)(const json&)>
Task<Result<Answer>> StateServer::Ask(Slot& slot, Request request) {
  Turn turn(slot);
  if (auto mine = co_await turn.Take(request); !mine) co_return Fail(mine.error());
  Result<Answer> answer = Fail(ErrorCode::kCrashed, "");
  for (int attempt = 0; attempt < 2 && !answer && answer.error().code == ErrorCode::kCrashed;
       ++attempt) {
    request.limit = std::min(request.limit, request.deadline.Left());
    const auto asked = co_await AskOnce(slot, request);
    answer = asked ? Parse(*asked) : Result<Answer>(Fail(asked.error()));
    if (asked && !answer) slot.process->Kill(answer.error().message);
  }
  if (slot.process && slot.process->ResidentBytes() > options_.max_resident_bytes) {
    slot.process.reset();
  }
  co_return answer;
}

StateServer::Request StateServer::RequestOf(StateQuery query) {
  Request request;
  request.method = "run";
  query = Valid(std::move(query));
  request.hole = query.hole;
  request.limit = query.limit;
  request.deadline = query.deadline;
  request.cancellation = query.cancellation;
  request.params = [query = std::move(query)](StateNumber state, core::Duration limit) {
    return RunParams(state, query, limit);
  };
  return request;
}

StateServer::Request StateServer::RequestOf(Trials trials) {
  Request request;
  request.method = "try";
  trials = Valid(std::move(trials));
  request.hole = trials.hole;
  const auto count = static_cast<core::Duration::rep>(trials.candidates.size());
  request.limit = kTacticsBefore + count * trials.limits.per_candidate;
  request.deadline = trials.limits.deadline;
  request.cancellation = trials.limits.cancellation;
  request.params = [trials = std::move(trials)](StateNumber state, core::Duration limit) {
    return TryParams(state, trials, limit);
  };
  return request;
}

void StateServer::Count(const StateRun& run) {
  ++stats_.runs;
  for (const TacticStep& step : run.steps) {
    ++stats_.tactics;
    stats_.elaborated += step.elaborated ? 1 : 0;
  }
}

Task<Result<std::vector<std::string>>> StateServer::Goals(StateQuery query) {
  query.tactics.clear();
  auto run = co_await Run(std::move(query));
  if (!run) co_return Fail(run.error());
  co_return std::move(run->goals);
}

Task<Result<StateRun>> StateServer::Run(StateQuery query) {
  Request request = RequestOf(std::move(query));
  Slot& slot = SlotFor(request.hole);
  auto run = co_await Ask<StateRun, ParseStateRun>(slot, std::move(request));
  if (run) Count(*run);
  co_return run;
}

Task<Result<std::optional<std::vector<ProbeResult>>>> StateServer::Try(Trials trials) {
  const size_t wanted = trials.candidates.size();
  Request request = RequestOf(std::move(trials));
  Slot* const slot = options_.shares_holes ? FreeSlot(request.hole) : &SlotFor(request.hole);
  if (slot == nullptr) co_return std::nullopt;
  const auto tried = co_await Ask<std::vector<StateRun>, ParseTried>(*slot, std::move(request));
  if (!tried) co_return Fail(tried.error());
  std::vector<ProbeResult> results;
  for (const StateRun& run : *tried) {
    Count(run);
    results.push_back(ResultOf(run));
  }
  results.resize(wanted);
  co_return results;
}

Task<void> StateServer::Free(StateHole hole) {
  places_.erase(hole);
  for (const auto& slot : slots_) {
    if (!slot->process || !slot->process->holes.contains(hole)) continue;
    Turn turn(*slot);
    co_await turn.Take(Request());
    if (slot->process) co_await slot->process->Free(hole, options_.open_limit);
  }
}

void StateServer::Close() {
  closed_ = true;
  for (const auto& slot : slots_) {
    if (slot->process) slot->process->Kill("it is no longer needed");
  }
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

StateQuery WarmingQuery(core::Duration limit) {
  StateQuery query = TestQuery("  constructor\n  · exact?\n  · grind\n");
  query.limit = limit;
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

core::Error StateServer::CannotKeepStates(const std::string& why) const {
  return {.code = ErrorCode::kEnvironment,
          .message = "Lean " + toolchain_.version + " cannot keep proof states: " + why};
}

Task<void> StateServer::StartAll() {
  for (const auto& slot : slots_) {
    if (slot->started()) continue;
    Turn turn(*slot);
    co_await turn.Take(Request());
    co_await Ready(*slot);  // an error is that of the next run there
    co_await WarmUp(*slot);
  }
}

Task<void> StateServer::WarmUp(Slot& slot) {
  const Request request = RequestOf(WarmingQuery(options_.start_limit));
  co_await AskOnce(slot, request);
  if (slot.started()) co_await slot.process->Free(request.hole, options_.open_limit);
}

Task<core::Status> StateServer::Test() {
  for (const Expectation& expectation : kExpectations) {
    const auto run = co_await Run(TestQuery(expectation.tactics));
    if (!run) co_return Fail(CannotKeepStates(run.error().message));
    const std::string expected = std::string(kAfterConstructor) + expectation.outcome;
    if (const std::string outcome = OutcomeOf(*run); outcome != expected) {
      co_return Fail(CannotKeepStates("after the tactics of its self-test (" +
                                      std::string(expectation.tactics) + ") it answers\n" +
                                      outcome + "instead of\n" + expected));
    }
  }
  co_await Run(WarmingQuery(options_.start_limit));
  co_await Free(TestQuery("").hole);
  co_return core::Status();
}

}  // namespace zermelo::lean
