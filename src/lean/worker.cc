#include "lean/worker.h"

#include <cassert>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "core/process/subprocess.h"
#include "core/text.h"
#include "lean/lsp/lsp_connection.h"
#include "lean/remote/far_side.h"
#include "syntax/declarations.h"
#include "syntax/proof/tactic_structure.h"

namespace zermelo::lean {

namespace {

using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

constexpr core::Duration kProgressPeriod = std::chrono::milliseconds(100);

json RangeToLsp(Position begin, Position end) {
  const auto position = [](Position p) {
    return json{{"line", p.line}, {"character", p.character}};
  };
  return {{"start", position(begin)}, {"end", position(end)}};
}

struct Range {
  Position begin, end;
};

Range RangeFromLsp(const json& range) {
  return {.begin = PositionFromLsp(range.at("start")), .end = PositionFromLsp(range.at("end"))};
}

/// The change from one text to another as LSP's content change: the lines after the common ones.
json ContentChange(const std::string& from, const std::string& to) {
  const auto [a, b] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  const size_t same = static_cast<size_t>(a - from.begin());
  const size_t line_start = same == 0 ? 0 : from.rfind('\n', same - 1) + 1;  // npos + 1 == 0
  const core::LineIndex lines(from);
  return {{"range", RangeToLsp(PositionAt(lines, line_start), PositionAt(lines, from.size()))},
          {"text", to.substr(line_start)}};
}

// g++ 12 cannot compile braced lists inside coroutines, so parameters are made by plain functions.

json OpenParams(const std::string& uri, int version, const std::string& text) {
  return {{"textDocument",
           {{"uri", uri}, {"version", version}, {"languageId", "lean"}, {"text", text}}},
          {"dependencyBuildMode", "never"}};
}

json ChangeParams(const std::string& uri, int version, const std::string& from,
                  const std::string& to) {
  return {{"textDocument", {{"uri", uri}, {"version", version}}},
          {"contentChanges", json::array({ContentChange(from, to)})}};
}

json DiagnosticsParams(const std::string& uri, int version) {
  return {{"uri", uri}, {"version", version}};
}

size_t SharedPrefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

CheckStatus StatusOf(const std::vector<Diagnostic>& diagnostics) {
  if (HasErrors(diagnostics)) return CheckStatus::kRejected;
  return std::ranges::any_of(diagnostics, SaysSorry) ? CheckStatus::kSorry : CheckStatus::kAccepted;
}

std::vector<Position> FindSorries(std::string_view text) {
  const core::LineIndex lines(text);
  std::vector<Position> found;
  const auto tokens = syntax::LexCode(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (syntax::IsSorry(text, tokens, i)) found.push_back(PositionAt(lines, tokens[i].begin));
  }
  return found;
}

CheckRequest OnlyHeader(const CheckRequest& request) {
  CheckRequest header;
  header.text = request.text.substr(0, syntax::HeaderEnd(request.text));
  header.deadline = request.deadline;
  header.cancellation = request.cancellation;
  return header;
}

std::optional<Position> FirstErrorIn(LineRange lines, const std::vector<Diagnostic>& diagnostics) {
  std::optional<Position> first;
  for (const Diagnostic& d : diagnostics) {
    if (d.severity != Severity::kError || !lines.Contains(d.begin)) continue;
    first = std::min(first.value_or(d.begin), d.begin);
  }
  return first;
}

json InitializeParams() {
  return {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", json::object()}};
}

json GoalParams(const std::string& uri, Position at) {
  return {{"textDocument", {{"uri", uri}}},
          {"position", {{"line", at.line}, {"character", at.character}}}};
}

/// Adds what Lean reports in the form of .ilean files: for each constant its module, its name and
/// its places. Older versions give the name alone.
void AddReferences(const json& reported, std::set<Reference>& references) {
  for (const auto& [key, uses] : reported.items()) {
    const json id = core::JsonOrDiscarded(key);
    if (!id.is_object() || !id.contains("c")) continue;  // a local variable
    Reference reference;
    const json& constant = id.at("c");
    reference.name = constant.is_string() ? constant.get<std::string>() : constant.value("n", "");
    if (constant.is_object()) reference.module = constant.value("m", "");
    for (const json& use : uses.value("usages", json::array())) {
      reference.begin = {.line = use.at(0).get<uint32_t>(), .character = use.at(1).get<uint32_t>()};
      reference.end = {.line = use.at(2).get<uint32_t>(), .character = use.at(3).get<uint32_t>()};
      references.insert(reference);
    }
  }
}

/// See the picture in worker.h.
enum class CheckPhase { kRunning, kCancelling, kOver };

}  // namespace

std::string WithoutPrivatePrefix(const std::string& name) {
  constexpr std::string_view kBegin = "_private.", kEnd = ".0.";
  if (!name.starts_with(kBegin)) return name;
  // «external:file:///home/x/proj-1.0.3/Zermelo.lean»
  const size_t from = name.find("«") == kBegin.size() ? name.find("»") : 0;
  const size_t end = from == std::string::npos ? from : name.find(kEnd, from);
  return end == std::string::npos ? name : name.substr(end + kEnd.size());
}

struct Worker::Impl {
  using Answer = LspConnection::Answer;

  WorkerOptions options;
  std::shared_ptr<LspConnection> lean;
  std::shared_ptr<remote::FarSide> far_side;  // null: Lean runs here

  // The document that Lean has now.
  std::string uri, text;
  int version = 0;
  std::vector<std::string> imports;
  std::vector<Diagnostic> diagnostics;
  bool loaded = false;  // the imports
  uint64_t checks = 0;
  core::Clock::time_point started = core::Clock::now();

  // The last check: its phase, which of its parts Lean is working on, and since when.
  CheckPhase phase = CheckPhase::kOver;
  InParts parts;
  bool until_deadline = false;
  std::optional<size_t> running_part;
  std::optional<core::ScheduledTime> part_time;
  std::vector<Range> unfinished;  // ranges that Lean has yet to finish
  struct ErrorStop {
    LineRange lines;  // of interest
    std::shared_ptr<Answer> done;
    std::optional<uint32_t> stopped_at;  // the line of the error
  };
  std::optional<ErrorStop> error_stop;            // of a check that ends at an error
  std::optional<std::set<Reference>> references;  // of a check that asks for them

  // Work that Lean may still be doing although its check has been answered: Lean's own answer, once
  // it comes, how much of the text is worth keeping, and since when Lean has another text.
  struct AbandonedWork {
    std::shared_ptr<Answer> answer;
    size_t kept_bytes;
    std::optional<core::ScheduledTime> dropped;
  };
  std::optional<AbandonedWork> abandoned;

  void MoveTo(CheckPhase next) {
    assert(next > phase);
    phase = next;
  }

  /// `lean --worker` does not answer this and expects the document next.
  void Greet() { lean->SendIgnoringReply("initialize", InitializeParams()); }
  /// Whether Lean may still be working on `text`, whose check has its answer.
  bool IsCancelling() const { return phase == CheckPhase::kCancelling; }

  void Hear(const std::string& method, const json& params) {
    if (method == "$/lean/fileProgress") return NoteProgress(params);
    if (method == "$/lean/ileanInfoUpdate" || method == "$/lean/ileanInfoFinal") {
      if (references && params.value("version", -1) == version) {
        AddReferences(params.at("references"), *references);
      }
      return;
    }
    if (method != "textDocument/publishDiagnostics") return;
    if (params.value("version", -1) != version) return;  // stale: for an older text
    diagnostics.clear();
    for (const auto& diagnostic : params.at("diagnostics")) {
      diagnostics.push_back(DiagnosticFromLsp(diagnostic));
    }
    StopPastAnError();
  }

  /// Lean lists the ranges it has yet to finish.
  void NoteProgress(const json& params) {
    if (parts.first_lines.empty() && !error_stop) return;
    if (params.at("textDocument").value("version", -1) != version) return;
    unfinished.clear();
    for (const auto& range : params.at("processing")) {
      unfinished.push_back(RangeFromLsp(range.at("range")));
    }
    if (!parts.first_lines.empty()) NotePart();
    StopPastAnError();
  }

  /// The first unfinished range in the parts is where Lean is working.
  void NotePart() {
    std::optional<uint32_t> line;
    for (const Range& range : unfinished) {
      const uint32_t start = range.begin.line;
      if (start >= parts.first_lines.front()) line = std::min(line.value_or(start), start);
    }
    std::optional<size_t> part;
    if (line) {
      part = static_cast<size_t>(std::ranges::upper_bound(parts.first_lines, *line) -
                                 parts.first_lines.begin()) -
             1;
    }
    if (part == running_part) return;
    running_part = part;
    part_time->Restart();
  }

  void StopPastAnError() {
    if (!error_stop || !error_stop->done || error_stop->stopped_at) return;
    const auto first = FirstErrorIn(error_stop->lines, diagnostics);
    if (!first || !IsPast(*first)) return;
    error_stop->stopped_at = first->line;
    error_stop->done->Set(json());
  }

  /// Whether Lean, according to its progress, has finished what comes before an error and is
  /// working on something after it.
  bool IsPast(Position error) const {
    size_t before = 0;  // the declaration's head, until all of it is done
    bool goes_on = false;
    for (const Range& range : unfinished) {
      if (range.end <= error && range.begin.line < error_stop->lines.first) continue;
      if (range.begin <= error && range.end > error) return false;
      if (range.end <= error) ++before;
      goes_on |= range.begin > error;
    }
    return goes_on && before <= 1;
  }

  bool Stalled() { return running_part && parts.limit && part_time->Exceeds(*parts.limit); }

  bool HasAbandonedWork() const { return abandoned && !abandoned->answer->ready(); }

  /// Called when the check that waits for `done` has its answer and Lean is at this line of its
  /// text or past it.
  void AbandonWork(const std::shared_ptr<Answer>& done, uint32_t line) {
    if (HasAbandonedWork()) return;  // of two such, the older one is stuck
    auto answer = lean->TakeOver(done);
    if (!answer) return;  // Lean has answered meanwhile
    const size_t kept = OffsetOf(core::LineIndex(text), {.line = line, .character = 0});
    abandoned.emplace(
        AbandonedWork{.answer = std::move(answer), .kept_bytes = kept, .dropped = std::nullopt});
  }

  /// Kills a Lean that has had another text for a while and still works on what it should have
  /// dropped.
  void EndWhenStillAtAbandonedWork() {
    if (HasAbandonedWork() && abandoned->dropped &&
        abandoned->dropped->Exceeds(options.abandoned_grace)) {
      lean->Die("it did not drop the rest of an old text in time");
    }
  }

  Task<bool> SendText(std::string next, Deadline deadline) {
    diagnostics.clear();
    unfinished.clear();
    if (HasAbandonedWork() && !abandoned->dropped) abandoned->dropped.emplace(lean->usage());
    const bool first = version++ == 0;
    if (first) imports = syntax::ImportedModules(next);
    json params = first ? OpenParams(uri, version, next) : ChangeParams(uri, version, text, next);
    text = std::move(next);
    co_return co_await lean->Notify(first ? "textDocument/didOpen" : "textDocument/didChange",
                                    std::move(params), deadline);
  }

  /// The goals before a tactic; nullopt outside tactic blocks.
  Task<Result<std::optional<std::vector<std::string>>>> TacticGoals(Position at,
                                                                    Deadline deadline) {
    const auto answer = co_await lean->Request("$/lean/plainGoal", GoalParams(uri, at), deadline);
    if (!answer) co_return Fail(answer.error());
    if (!answer->is_object()) co_return std::nullopt;
    std::vector<std::string> goals;
    for (const auto& goal : answer->value("goals", json::array())) {
      if (goal.is_string()) goals.push_back(goal.get<std::string>());
    }
    co_return goals;
  }

  /// The goals before a tactic, or the expected type of a term there.
  Task<Result<std::vector<std::string>>> SorryGoalsAt(Position at, Deadline deadline) {
    auto tactic = co_await TacticGoals(at, deadline);
    if (!tactic) co_return Fail(tactic.error());
    std::vector<std::string> goals = std::move(*tactic).value_or(std::vector<std::string>());
    if (!goals.empty()) co_return goals;
    const auto term = co_await lean->Request("$/lean/plainTermGoal", GoalParams(uri, at), deadline);
    if (!term) co_return Fail(term.error());
    if (term->is_object() && term->contains("goal") && term->at("goal").is_string()) {
      goals.push_back(term->at("goal").get<std::string>());
    }
    co_return goals;
  }

  Task<core::Status> AskForGoals(const CheckRequest& request, CheckResult& result) {
    std::vector<Position> sorries;
    if (request.goals_at_sorries) sorries = FindSorries(text);
    for (const Position at : request.goals_at) {
      if (IsCancelled(request)) co_return Fail(Cancelled());
      auto goals = co_await TacticGoals(at, request.deadline);
      if (!goals) co_return Fail(goals.error());
      result.in_proof.push_back(goals->has_value());
      result.goals.push_back(std::move(*goals).value_or(std::vector<std::string>()));
    }
    for (const Position at : sorries) {
      if (IsCancelled(request)) co_return Fail(Cancelled());
      auto goals = co_await SorryGoalsAt(at, request.deadline);
      if (!goals) co_return Fail(goals.error());
      result.sorries.push_back({.at = at, .goals = std::move(*goals)});
    }
    co_return core::Status();
  }

  static bool IsCancelled(const CheckRequest& request) {
    return request.cancellation != nullptr && request.cancellation->requested();
  }
  static core::Error Cancelled() {
    return {.code = ErrorCode::kCancelled, .message = "the check was cancelled"};
  }

  void Begin(Extent extent) {
    parts = {};
    running_part.reset();
    part_time.emplace(lean->usage());
    error_stop.reset();
    if (auto* in_parts = std::get_if<InParts>(&extent)) parts = std::move(*in_parts);
    auto* const until = std::get_if<UntilDeadline>(&extent);
    until_deadline = until != nullptr;
    if (until != nullptr) parts.first_lines = std::move(until->first_lines);
    if (const auto* stop = std::get_if<UpToFirstError>(&extent))
      error_stop = ErrorStop(stop->lines);
  }

  Task<Result<CheckResult>> Elaborate(CheckRequest request) {
    Begin(std::move(request.extent));
    references.reset();
    if (request.references) references.emplace();
    CheckResult result;
    result.reused_bytes = SharedPrefix(text, request.text);
    if (!co_await SendText(std::move(request.text), request.deadline)) {
      co_return Fail(lean->NotSent(request.deadline));
    }
    const auto done = co_await lean->Ask("textDocument/waitForDiagnostics",
                                         DiagnosticsParams(uri, version), request.deadline);
    if (!done) co_return Fail(lean->NotSent(request.deadline));
    if (IsCancelled(request)) co_return Fail(Cancelled());  // also when Lean has answered meanwhile
    const core::Cancellation::Subscription cancel(request.cancellation,
                                                  [done] { done->Set(Fail(Cancelled())); });
    if (error_stop) error_stop->done = done;
    StopPastAnError();
    std::optional<Result<json>> answer;
    const auto watched = lean->Watched();
    bool stalled = false;
    while (!answer && !stalled && !request.deadline.Passed()) {
      const auto look_again = Deadline::After(kProgressPeriod);
      answer = co_await done->Wait(request.deadline.Earlier(look_again));
      if (answer) break;
      lean->DieAbove(options.max_resident_bytes);
      EndWhenStillAtAbandonedWork();
      stalled = Stalled();
    }
    result.diagnostics = std::exchange(diagnostics, {});
    const bool partial = until_deadline && request.deadline.Passed();
    if (!answer && running_part && (partial || stalled)) {
      result.stalled_part = running_part;
      result.status = CheckStatus::kStalled;
      AbandonWork(done, parts.first_lines.at(*running_part));
      co_return result;
    }
    if (!answer) co_return Fail(ErrorCode::kTimeout, "Lean did not answer in time");
    if (!*answer) {
      const Result<json>& failed = *answer;
      const bool in_part = running_part && !until_deadline && !far_side;
      if (!in_part || failed.error().code != ErrorCode::kCrashed) co_return Fail(failed.error());
      result.stalled_part = running_part;
      result.crashed = true;
      result.status = CheckStatus::kStalled;
      co_return result;
    }
    result.status = StatusOf(result.diagnostics);
    if (error_stop && error_stop->stopped_at) {
      result.stopped_at_error = true;
      result.status = CheckStatus::kRejected;
      AbandonWork(done, *error_stop->stopped_at);
      co_return result;
    }
    if (auto asked = co_await AskForGoals(request, result); !asked) co_return Fail(asked.error());
    if (references) result.references.assign(references->begin(), references->end());
    co_return result;
  }

  core::Duration Grace() const {
    if (!loaded) return options.load_grace;
    return IsCancelling() ? options.cancel_grace : options.abandoned_grace;
  }

  /// How much of the text Lean keeps when told to drop its current work; nullopt if it has been
  /// told already.
  std::optional<size_t> KeptBytes() const {
    if (IsCancelling()) return syntax::HeaderEnd(text);
    if (abandoned->dropped) return std::nullopt;
    return abandoned->kept_bytes;
  }

  /// Makes Lean drop the elaboration by sending a document that ends earlier.
  static Task<void> CancelAndDrain(std::shared_ptr<Impl> self) {
    if (!self->lean->alive() || (!self->IsCancelling() && !self->HasAbandonedWork())) co_return;
    const core::Duration grace = self->Grace();
    core::ScheduledTime had(self->lean->usage());
    std::shared_ptr<Answer> done;
    if (const auto kept = self->KeptBytes()) {
      const Deadline to_send = Deadline::After(grace * core::ScheduledTime::kMostSlowedDown);
      if (co_await self->SendText(self->text.substr(0, *kept), to_send)) {
        done = co_await self->lean->Ask("textDocument/waitForDiagnostics",
                                        DiagnosticsParams(self->uri, self->version), to_send);
      }
      if (!done) co_return self->lean->Die("it did not stop its work in time");
    }
    const auto watched = self->lean->Watched();
    std::optional<Result<json>> answer;
    const auto drained = [&] { return (!done || answer) && !self->HasAbandonedWork(); };
    while (!drained() && self->lean->alive() && !had.Exceeds(grace)) {
      const auto look_again = Deadline::After(std::min(grace, kProgressPeriod));
      if (done && !answer) {
        answer = co_await done->Wait(look_again);
      } else {
        co_await self->abandoned->answer->Wait(look_again);
      }
      self->lean->DieAbove(self->options.max_resident_bytes);
    }
    const bool refused = answer && !*answer;
    if (!drained() || refused) self->lean->Die("it did not stop its work in time");
    if (!self->lean->alive() || !self->IsCancelling()) co_return;
    self->loaded = true;
    self->MoveTo(CheckPhase::kOver);
  }

  bool LeavesLeanAtWork(const Result<CheckResult>& result) const {
    if (result) return until_deadline && result->status == CheckStatus::kStalled;
    const auto code = result.error().code;
    return code == ErrorCode::kTimeout || code == ErrorCode::kCancelled;
  }

  void EndCheck(const Result<CheckResult>& result) {
    loaded |= result.has_value();
    MoveTo(LeavesLeanAtWork(result) ? CheckPhase::kCancelling : CheckPhase::kOver);
  }

  static Task<Result<CheckResult>> Check(std::shared_ptr<Impl> self, CheckRequest request) {
    if (self->IsCancelling()) co_await CancelAndDrain(self);
    if (!self->lean->alive()) co_return Fail(self->lean->Crash("it is not running"));
    request.text = core::ReplaceInvalidUtf8(std::move(request.text));
    assert(self->phase == CheckPhase::kOver);
    self->phase = CheckPhase::kRunning;
    auto result = co_await self->Elaborate(std::move(request));
    self->EndCheck(result);
    co_return result;
  }
};

Worker::Worker(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Worker>> Worker::Start(const core::Executor& executor,
                                              const Toolchain& toolchain,
                                              const WorkerOptions& options) {
  const auto impl = std::make_shared<Impl>();
  impl->options = options;
  impl->uri = FileUri(toolchain.document_folder / "Zermelo.lean");
  auto lean = LspConnection::Start(
      executor, WorkerCommand(toolchain, options.skip_kernel, impl->uri), options.standstill,
      [weak = std::weak_ptr(impl)](const std::string& method, const json& params) {
        if (const auto alive = weak.lock()) alive->Hear(method, params);
      });
  if (!lean) return Fail(lean.error());
  impl->lean = std::move(*lean);
  impl->Greet();
  return std::unique_ptr<Worker>(new Worker(impl));
}

Result<std::unique_ptr<Worker>> Worker::StartElsewhere(const core::Executor& executor,
                                                       std::shared_ptr<remote::FarSide> far_side,
                                                       const WorkerOptions& options) {
  const auto impl = std::make_shared<Impl>();
  impl->options = options;
  impl->far_side = std::move(far_side);
  impl->imports = impl->far_side->imports();
  auto lean = LspConnection::Start(
      executor, impl->far_side->Command(), options.standstill,
      [weak = std::weak_ptr(impl)](const std::string& method, const json& params) {
        const auto alive = weak.lock();
        if (alive && !alive->far_side->Hear(method, params)) alive->Hear(method, params);
      });
  if (!lean) return Fail(lean.error());
  impl->lean = std::move(*lean);
  impl->far_side->Begin(impl->lean);
  return std::unique_ptr<Worker>(new Worker(impl));
}

Task<core::Status> Worker::Connect(Deadline deadline, core::Cancellation* cancellation) {
  const auto impl = impl_;
  core::Status ready;
  if (!impl->far_side || !impl->uri.empty()) co_return ready;
  ready = co_await impl->far_side->WaitUntilReady(deadline, cancellation);
  if (ready) impl->uri = impl->far_side->ready()->uri;
  if (ready) impl->Greet();
  co_return ready;
}

Worker::~Worker() { impl_->lean->Die("it was stopped"); }

Task<core::Status> Worker::Load(CheckRequest request) {
  const auto impl = impl_;  // the worker may be destroyed during the wait
  if (!impl->loaded) {
    const auto loaded = co_await Impl::Check(impl, OnlyHeader(request));
    if (!loaded) {
      core::Error error = loaded.error();
      if (error.code == ErrorCode::kTimeout)
        error.message = "Lean did not load the imports in time";
      co_return Fail(std::move(error));
    }
  }
  co_return core::Status();
}

Task<core::Status> Worker::Confirm(Deadline deadline, core::Cancellation* cancellation) {
  const auto impl = impl_;  // the worker may be destroyed during the wait
  if (!impl->far_side) co_return core::Status();
  co_return co_await impl->far_side->Confirm(deadline, cancellation);
}

Task<Result<CheckResult>> Worker::Check(CheckRequest request) {
  const auto impl = impl_;
  const auto started = core::Clock::now();
  ++impl->checks;
  auto result = co_await Impl::Check(impl, std::move(request));
  if (result) result->seconds = core::Seconds(core::Clock::now() - started);
  co_return result;
}

Task<void> Worker::CancelAndDrain() { return Impl::CancelAndDrain(impl_); }
bool Worker::cancelling() const { return impl_->lean->alive() && impl_->IsCancelling(); }
bool Worker::has_abandoned_work() const {
  return impl_->lean->alive() && impl_->HasAbandonedWork();
}
bool Worker::loaded() const { return impl_->loaded; }

void Worker::Kill(const std::string& why) { impl_->lean->Die(why); }
bool Worker::alive() const { return impl_->lean->alive(); }
const std::string& Worker::text() const { return impl_->text; }
bool Worker::CanTake(const std::vector<std::string>& imports) const {
  const bool any = impl_->version == 0 && !impl_->far_side;
  return any || imports == impl_->imports;
}
uint64_t Worker::checks() const { return impl_->checks; }
core::Duration Worker::age() const { return core::Clock::now() - impl_->started; }
uint64_t Worker::ResidentBytes() const { return impl_->lean->usage().ResidentBytes(); }
remote::FarSide* Worker::far_side() const { return impl_->far_side.get(); }
int Worker::pid() const { return impl_->lean->process().pid(); }

}  // namespace zermelo::lean
