#include "lean/states/state_server.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "lean/remote/far_side.h"
#include "lean/states/state_process.h"
#include "lean/states/state_self_test.h"
#include "lean/states/state_server.lean.h"
#include "syntax/declarations.h"

namespace zermelo::lean {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr core::Duration kTacticsBefore =
    std::chrono::seconds(20);                                    // limit for what leads to a state
constexpr core::Duration kNextStart = std::chrono::seconds(10);  // after one that failed
constexpr const char* kProgramName = "state_server.lean";

// g++ 12 cannot compile braced lists inside coroutines, so parameters are made by plain functions.

auto Milliseconds(core::Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

json RunParams(StateNumber state, const StateQuery& query, core::Duration limit) {
  return {{"state", state},
          {"text", query.tactics},
          {"ms", Milliseconds(limit)},
          {"stop", query.stop_at_error},
          {"goals_at", query.goals_at}};
}

json TryParams(StateNumber state, const Trials& trials, core::Duration limit) {
  return {{"state", state},
          {"before", trials.before},
          {"texts", trials.candidates},
          {"after", trials.after},
          {"each", Milliseconds(trials.limits.per_candidate)},
          {"ms", Milliseconds(limit)}};
}

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

std::string_view StateProgram::Text() { return kStateServerProgram; }

Result<StateProgram> StateProgram::Write() {
  auto folder = core::TemporaryFolder::Create("zermelo-states-");
  if (!folder) return Fail(folder.error());
  if (auto written = core::WriteFileAtomically(folder->path() / kProgramName, Text()); !written)
    return Fail(written.error());
  return StateProgram(std::move(*folder));
}

core::SubprocessOptions StateProgram::Command(const Toolchain& toolchain, size_t threads) const {
  auto command = ProgramCommand(toolchain, folder_.path() / kProgramName);
  command.argv.push_back(std::to_string(threads));
  return command;
}

/// A place for one process after another. Each process only moves forward:
///
///     (none) ──Ready──► started ──SlotUse──► busy ──► started … ──► dead: killed, or it died
///
/// The next one may be started from `next_start` on.
struct StateServer::Slot {
  Slot(const core::Executor& executor, remote::PlaceHealth* its_place, size_t its_threads)
      : place(its_place), threads(its_threads), changed(executor) {}
  remote::PlaceHealth* const place;                                     // null: here
  const size_t threads;                                                 // of its process
  std::shared_ptr<StateProcess> process;                                // null until needed
  core::Clock::time_point next_start = core::Clock::time_point::min();  // here
  bool opening = false;  // a process is being started or a hole opened
  // Who uses it: each of `users` is one of `running`, or waits.
  size_t users = 0;
  size_t running = 0;
  size_t want_alone = 0;  // those that wait until they can be the only one
  bool alone = false;     // the running one must be the only one
  core::Signal changed;

  bool started() const { return process && process->alive(); }
  /// Whether it runs and has these imports; one here loads any.
  bool StartedFor(const std::vector<std::string>& imports) const {
    return started() && (place == nullptr || process->far_side()->imports() == imports);
  }
  /// Whether one more can begin at once.
  bool HasRoom() const { return users < threads && want_alone == 0 && !alone; }
};

/// The right to use a slot's process, beside other runs or alone.
class StateServer::SlotUse {
 public:
  explicit SlotUse(Slot& slot) : slot_(slot) { ++slot_.users; }
  ~SlotUse() {
    --slot_.users;
    GiveBack();
    StopWaiting();
  }
  SlotUse(const SlotUse&) = delete;
  SlotUse& operator=(const SlotUse&) = delete;

  Task<core::Status> Take(const Request& query) { return Wait(query, false); }
  /// Later shared uses wait. A use that has been taken is given back first.
  Task<core::Status> TakeAlone(const Request& query) {
    GiveBack();
    return Wait(query, true);
  }

 private:
  bool MayBegin(bool alone) const {
    if (slot_.running == 0) return alone || slot_.want_alone == 0;
    return !alone && !slot_.alone && slot_.want_alone == 0 && slot_.running < slot_.threads;
  }
  Task<core::Status> Wait(const Request& query, bool alone) {
    const core::Cancellation::Subscription cancel(query.cancellation,
                                                  [this] { slot_.changed.Notify(); });
    if (alone) {
      ++slot_.want_alone;
      wants_alone_ = true;
    }
    while (!MayBegin(alone)) {
      if (query.cancelled()) break;
      if (query.deadline.Passed()) {
        StopWaiting();
        co_return Fail(ErrorCode::kTimeout, "no state server was free in time");
      }
      co_await slot_.changed.Wait(query.deadline);
    }
    StopWaiting();
    if (query.cancelled()) co_return Fail(ErrorCode::kCancelled, "the run was cancelled");
    ++slot_.running;
    slot_.alone = alone;
    has_ = true;
    co_return core::Status();
  }
  void StopWaiting() {
    if (!wants_alone_) return;
    wants_alone_ = false;
    --slot_.want_alone;
    slot_.changed.Notify();
  }
  void GiveBack() {
    if (!has_) return;
    has_ = slot_.alone = false;
    --slot_.running;
    slot_.changed.Notify();
  }

  Slot& slot_;
  bool has_ = false;
  bool wants_alone_ = false;
};

/// The right to start a slot's process and to open holes in it, one after another.
class StateServer::OpeningTurn {
 public:
  explicit OpeningTurn(Slot& slot) : slot_(slot) { slot_.opening = true; }
  ~OpeningTurn() {
    slot_.opening = false;
    slot_.changed.Notify();
  }
  OpeningTurn(const OpeningTurn&) = delete;
  OpeningTurn& operator=(const OpeningTurn&) = delete;

 private:
  Slot& slot_;
};

/// A hole that is open in a process, and is not freed while this exists.
struct StateServer::HoleUse {
  std::shared_ptr<StateProcess> process;
  std::shared_ptr<const StateProcess::Hole> hole;

  Task<Result<json>> Ask(const Request& request) const {
    return process->Ask(request.method, request.params(hole->state, request.limit),
                        request.limit + process->options().grace, request.cancellation);
  }
};

StateServer::StateServer(core::Executor executor, Toolchain toolchain, StateServerOptions options,
                         StateProgram program)
    : executor_(std::move(executor)),
      toolchain_(std::make_shared<const Toolchain>(std::move(toolchain))),
      options_(std::move(options)),
      program_(std::move(program)),
      starting_(executor_) {
  const size_t processes = std::max<size_t>(1, options_.processes);
  for (size_t i = 0; i < processes; ++i) {
    const size_t threads = (options_.threads + processes - 1 - i) / processes;
    slots_.push_back(std::make_unique<Slot>(executor_, nullptr, std::max<size_t>(1, threads)));
  }
  if (!options_.shares_holes) return;
  for (const auto& place : options_.places) {
    places_.push_back(std::make_unique<remote::PlaceHealth>(place));
    for (size_t i = 0; i < place->workers; ++i) {
      slots_.push_back(std::make_unique<Slot>(executor_, places_.back().get(), 1));
    }
  }
}

StateServer::~StateServer() = default;

Result<std::unique_ptr<StateServer>> StateServer::Create(core::Executor executor,
                                                         Toolchain toolchain,
                                                         StateServerOptions options) {
  auto program = StateProgram::Write();
  if (!program) return Fail(program.error());
  return std::unique_ptr<StateServer>(new StateServer(std::move(executor), std::move(toolchain),
                                                      std::move(options), std::move(*program)));
}

Task<Result<std::unique_ptr<StateServer>>> StateServer::Start(core::Executor executor,
                                                              Toolchain toolchain,
                                                              StateServerOptions options) {
  auto server = Create(std::move(executor), std::move(toolchain), std::move(options));
  if (!server) co_return Fail(server.error());
  if (auto tested = co_await (*server)->Test(); !tested) co_return Fail(tested.error());
  co_return std::move(*server);
}

StateServer::Slot& StateServer::SlotFor(const StateHole& hole) {
  const auto [place, is_new] = holes_.emplace(hole, nullptr);
  if (is_new) {
    std::map<const Slot*, size_t> holes;
    for (const auto& [other, slot] : holes_) ++holes[slot];
    place->second =
        std::ranges::min_element(slots_, {}, [&](const auto& slot) {
          const bool waits = options_.shares_holes && !slot->started();
          return std::tuple(slot->place != nullptr, waits, slot->users, holes[slot.get()]);
        })->get();
  }
  return *place->second;
}

/// A slot with room for one more run at once, preferably one that has opened the hole; null if
/// there is none.
StateServer::Slot* StateServer::FreeSlot(const StateHole& hole,
                                         const std::vector<std::string>& imports) {
  Slot* free = nullptr;
  for (const auto& slot : slots_) {
    if (!slot->HasRoom() || !slot->StartedFor(imports)) continue;
    if (slot->process->Find(hole)) return slot.get();
    if (slot->opening) continue;  // the hole would wait for another
    const auto load = [](const Slot& of) { return std::pair(of.users, of.process->holes()); };
    if (free == nullptr || load(*slot) < load(*free)) free = slot.get();
  }
  return free;
}

/// The slot for a run that does not wait; null if there is none yet.
StateServer::Slot* StateServer::SlotNow(const StateHole& hole) {
  if (!options_.shares_holes) return &SlotFor(hole);
  const auto imports = syntax::ImportedModules(hole.text);
  Slot* slot = FreeSlot(hole, imports);
  if (slot == nullptr) StartMore(imports);
  return slot;
}

/// Starts, in the background, the processes that do not run and those elsewhere that have other
/// imports, unless they have failed lately.
void StateServer::StartMore(const std::vector<std::string>& imports) {
  const auto now = core::Clock::now();
  for (const auto& slot : slots_) {
    if (closed_ || slot->users > 0 || slot->StartedFor(imports)) continue;
    const bool waits =
        slot->place == nullptr ? now < slot->next_start : slot->place->Paused(Project(), now);
    if (!waits) starting_.Spawn(StartSlot(*slot, imports));
  }
}

Task<void> StateServer::StartSlot(Slot& slot, std::vector<std::string> imports) {
  SlotUse use(slot);
  co_await use.TakeAlone(Request());
  if (closed_ || slot.StartedFor(imports)) co_return;
  core::Status ready;
  if (slot.place == nullptr) {
    ready = co_await Ready(slot);
    if (!ready) slot.next_start = core::Clock::now() + kNextStart;
  } else {
    ready = co_await ReadyElsewhere(slot, std::move(imports));
  }
  if (ready) co_await WarmUp(slot);
}

Task<core::Status> StateServer::ReadyElsewhere(Slot& slot, std::vector<std::string> imports) {
  const auto place = slot.place->place();
  WorkerOptions limits;
  limits.max_resident_bytes =
      place->max_resident_bytes > 0 ? place->max_resident_bytes : options_.max_resident_bytes;
  auto order = remote::OrderFor(*place, *toolchain_, true, limits, std::move(imports));
  order.states = true;
  const auto far_side =
      std::make_shared<remote::FarSide>(executor_, place, toolchain_, std::move(order));
  auto started = StateProcess::StartElsewhere(executor_, far_side, options_);
  if (!started) co_return Fail(started.error());
  ++stats_.started;
  slot.process = std::move(*started);
  const Deadline deadline = Deadline::After(place->connect + options_.start_limit);
  core::Status ready = co_await far_side->WaitUntilReady(deadline, nullptr);
  if (ready) {
    const auto pong = co_await slot.process->Ask("ping", json::object(), options_.start_limit);
    if (!pong) ready = Fail(pong.error());
  }
  if (ready) ready = co_await far_side->Confirm(deadline, nullptr);
  NoteHealth(slot, ready.has_value());
  if (!ready) slot.process.reset();
  co_return ready;
}

/// Remembers whether the place of a process works or has failed; `answered`: the process has
/// answered.
void StateServer::NoteHealth(Slot& slot, bool answered) {
  if (slot.place == nullptr || !slot.process || closed_) return;
  const remote::FarSide& far_side = *slot.process->far_side();
  const auto failure = far_side.failure();
  if (failure) slot.place->Failed(*failure, Project(), core::Clock::now());
  if (!failure && answered) slot.place->Works(Project(), far_side.began());
}

/// Starts the process of a slot here if it has none that is alive.
Task<core::Status> StateServer::Ready(Slot& slot) {
  if (closed_) co_return Fail(ErrorCode::kEnvironment, "the state server is closed");
  if (slot.started()) co_return core::Status();
  if (slot.place != nullptr) co_return Fail(ErrorCode::kEnvironment, "it is not running");
  auto started =
      StateProcess::Start(executor_, program_.Command(*toolchain_, slot.threads), options_);
  if (!started) co_return Fail(started.error());
  ++stats_.started;
  slot.process = std::move(*started);
  const auto pong = co_await slot.process->Ask("ping", json::object(), options_.start_limit);
  if (pong) co_return core::Status();
  slot.process.reset();
  co_return Fail(ErrorCode::kEnvironment, pong.error().message);
}

Task<Result<StateServer::HoleUse>> StateServer::Open(Slot& slot, const Request& request) {
  const auto known = [&] { return slot.started() ? slot.process->Find(request.hole) : nullptr; };
  while (!known() && slot.opening) {
    if (request.deadline.Passed()) {
      co_return Fail(ErrorCode::kTimeout, "no state server was free in time");
    }
    co_await slot.changed.Wait(request.deadline);
  }
  if (auto hole = known()) co_return HoleUse{slot.process, std::move(hole)};
  const OpeningTurn turn(slot);
  if (auto ready = co_await Ready(slot); !ready) co_return Fail(ready.error());
  const auto process = slot.process;
  auto opened = co_await process->Open(request.hole);
  if (!opened) co_return Fail(opened.error());
  co_return HoleUse{process, std::move(*opened)};
}

/// Asks in the turn of the hole; again if the process dies, or answers what `Parse` refuses. Then
/// no other run is beside it: which of them the process died of is not known.
template <class Answer, Result<Answer> (*Parse)(const json&)>
Task<Result<Answer>> StateServer::Ask(Slot& slot, Request request) {
  SlotUse use(slot);
  if (auto mine = co_await use.Take(request); !mine) co_return Fail(mine.error());
  Result<Answer> answer = Fail(ErrorCode::kCrashed, "");
  const int attempts = slot.place == nullptr ? 2 : 1;
  for (int attempt = 0; attempt < attempts && !answer && answer.error().code == ErrorCode::kCrashed;
       ++attempt) {
    if (attempt > 0) {
      if (auto mine = co_await use.TakeAlone(request); !mine) co_return Fail(mine.error());
    }
    request.limit = std::min(request.limit, request.deadline.Left());
    answer = co_await AskOnce<Answer, Parse>(slot, request);
  }
  NoteHealth(slot, answer.has_value());
  if (slot.process) {
    const uint64_t resident = slot.process->ResidentBytes();
    if (slot.place == nullptr) {
      stats_.most_resident_bytes = std::max(stats_.most_resident_bytes, resident);
    }
    // With another run, which watches it, too, it is not replaced but killed, and that one
    // repeated.
    if (resident > options_.max_resident_bytes && slot.running == 1) slot.process.reset();
  }
  co_return answer;
}

template <class Answer, Result<Answer> (*Parse)(const json&)>
Task<Result<Answer>> StateServer::AskOnce(Slot& slot, const Request& request) {
  const auto opened = co_await Open(slot, request);
  if (!opened) co_return Fail(opened.error());
  const auto asked = co_await opened->Ask(request);
  if (!asked) co_return Fail(asked.error());
  auto answer = Parse(*asked);
  if (!answer) opened->process->Kill(answer.error().message);
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

/// Asks without waiting; nullopt also if a process elsewhere ended, since a worker here can try.
template <class Answer, Result<Answer> (*Parse)(const json&)>
Task<Result<std::optional<Answer>>> StateServer::AskNow(Request request) {
  Slot* const slot = SlotNow(request.hole);
  if (slot == nullptr) co_return std::nullopt;
  auto answer = co_await Ask<Answer, Parse>(*slot, std::move(request));
  if (answer) co_return *std::move(answer);
  if (slot->place != nullptr && answer.error().code == ErrorCode::kCrashed) co_return std::nullopt;
  co_return Fail(answer.error());
}

Task<Result<std::optional<std::vector<ProbeResult>>>> StateServer::Try(Trials trials) {
  const size_t wanted = trials.candidates.size();
  const auto tried =
      co_await AskNow<std::vector<StateRun>, ParseTried>(RequestOf(std::move(trials)));
  if (!tried) co_return Fail(tried.error());
  if (!*tried) co_return std::nullopt;
  std::vector<ProbeResult> results;
  for (const StateRun& run : **tried) {
    Count(run);
    results.push_back(ResultOf(run));
  }
  results.resize(wanted);
  co_return results;
}

Task<Result<std::optional<StateRun>>> StateServer::RunNow(StateQuery query) {
  auto run = co_await AskNow<StateRun, ParseStateRun>(RequestOf(std::move(query)));
  if (run && *run) Count(**run);
  co_return run;
}

Task<void> StateServer::Free(StateHole hole) {
  holes_.erase(hole);
  for (const auto& slot : slots_) {
    const auto process = slot->process;
    const auto opened = process ? process->Forget(hole) : nullptr;
    if (!opened) continue;
    while (opened.use_count() > 1) co_await slot->changed.Wait(Deadline());
    SlotUse use(*slot);
    co_await use.Take(Request());
    co_await process->Free(*opened);
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

core::Error StateServer::CannotKeepStates(const std::string& why) const {
  return {.code = ErrorCode::kEnvironment,
          .message = "Lean " + toolchain_->version + " cannot keep proof states: " + why};
}

Task<void> StateServer::StartAll() {
  for (const auto& slot : slots_) {
    if (slot->place == nullptr) co_await StartSlot(*slot, std::vector<std::string>());
  }
}

Task<void> StateServer::WarmUp(Slot& slot) {
  const Request request = RequestOf(WarmingQuery(options_.start_limit));
  const auto opened = co_await Open(slot, request);
  if (!opened) co_return;
  co_await opened->Ask(request);
  const auto hole = opened->process->Forget(request.hole);
  if (hole) co_await opened->process->Free(*hole);
}

Task<core::Status> StateServer::Test() {
  const std::vector<StateQuery> queries = SelfTestQueries();
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto run = co_await Run(queries[i]);
    if (!run) co_return Fail(CannotKeepStates(run.error().message));
    const auto complaint = SelfTestComplaint(i, *run);
    if (complaint) co_return Fail(CannotKeepStates(*complaint));
  }
  co_await Run(WarmingQuery(options_.start_limit));
  co_await Free(queries.front().hole);
  co_return core::Status();
}

}  // namespace zermelo::lean
