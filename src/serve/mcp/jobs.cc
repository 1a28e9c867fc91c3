#include "serve/mcp/jobs.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

#include "core/fields.h"
#include "core/text.h"
#include "engine/project_imports.h"
#include "serve/http/handle.h"
#include "serve/http/json_fields.h"
#include "serve/job_json.h"
#include "syntax/negation.h"

namespace zermelo::serve::mcp {

using core::Cancellation;
using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::Task;
using engine::TheoremResult;
using engine::TheoremStatus;
using nlohmann::json;

namespace {

constexpr size_t kMaxDelivered = 1U << 20U;
constexpr auto kRoomForStates = std::chrono::seconds(5);
constexpr auto kCancelling = std::chrono::seconds(15);
constexpr const char* kNegation = "zermelo_negation";
constexpr double kAllOf = 0.95;  // a search that used this fraction of its time ran out of time

/// Checks with the pool for one job; the job's cancellation also cancels its checks.
class JobLean : public lean::Checker {
 public:
  JobLean(lean::Pool& pool, lean::WorkerSetup setup, Cancellation& cancellation)
      : pool_(pool), setup_(std::move(setup)), cancellation_(cancellation) {}

  Task<core::Result<lean::CheckResult>> Check(lean::CheckRequest request) override {
    if (request.cancellation == nullptr) request.cancellation = &cancellation_;
    auto result = co_await pool_.CheckWith(setup_, std::move(request));
    ++checks_;
    co_return result;
  }
  size_t size() const override { return pool_.size(); }
  uint64_t checks() const override { return checks_; }

 private:
  lean::Pool& pool_;
  const lean::WorkerSetup setup_;
  Cancellation& cancellation_;
  uint64_t checks_ = 0;
};

/// A result as agents read it: shorter, and with a "reason" instead of a message.
json ToJson(const TheoremResult& theorem) {
  json entry = theorem;
  for (const char* left_out : {"proofs", "progress", "depth", "lemmas", "message", "roles"}) {
    entry.erase(left_out);
  }
  if (theorem.proof.empty()) entry.erase("proof");
  if (!theorem.message.empty()) entry["reason"] = Cut(theorem.message);
  if (!HasProof(theorem)) entry.erase("axioms");
  if (!theorem.roles.empty()) entry["models"] = theorem.roles;
  return entry;
}

JobRequest RequestOf(const json& arguments) {
  JobRequest request;
  std::optional<double> seconds;
  core::FieldReader field(arguments);
  field("seconds", seconds);
  request.seconds = seconds.value_or(request.seconds);
  request.budget = {.models = StringsField(arguments, "models"),
                    .limits = arguments.get<core::BudgetConfig>(),
                    .strategy = StringField(arguments, "strategy", "", "")};
  return request;
}

}  // namespace

core::Result<Negation> NegationIn(const std::string& text, const syntax::Declaration& theorem) {
  const auto [begin, end] = theorem.range;
  const std::string before = text.substr(0, begin);
  const auto statement =
      syntax::NegationOf(std::string_view(text).substr(begin, end - begin), kNegation, before);
  if (!statement) return Fail(statement.error());
  return Negation{.statement = *statement,
                  .name = kNegation,
                  .text = before + *statement + " := by\n  sorry\n"};
}

struct Jobs::Job : engine::ProveListener {
  explicit Job(const core::Executor& executor) : ended(executor) {}

  void MoveTo(Stage next) {
    assert(next > stage);
    stage = next;
  }

  void RequestEnd(Found proofs) {
    if (proofs == Found::kDrop) abandoned.Request();
    cancellation.Request();
  }

  JobState::Stage ReportedStage() const {
    if (stage == Stage::kQueued) return JobState::Stage::kQueued;
    if (stage == Stage::kRunning) return JobState::Stage::kRunning;
    if (cancellation.requested()) return JobState::Stage::kCancelled;
    return *outcome ? JobState::Stage::kFinished : JobState::Stage::kFailed;
  }

  void Phase(const std::string& what) override {
    phase = what;
    trying.clear();
  }
  void TheoremStarted(size_t index, size_t number, const TheoremResult& theorem) override {
    phase = fmt::format("proving {} ({} of {})", theorem.name, index + 1, number);
    trying.clear();
  }
  void Trying(const std::string& tactic) override { trying = tactic; }
  void TheoremEnded(const TheoremResult& theorem) override {
    (HasProof(theorem) ? found : open) += 1;
  }
  void TheoremChanged(const TheoremResult& theorem) override {
    if (HasProof(theorem)) return;
    --found;
    ++open;
  }

  double Seconds() const {
    return core::Seconds((outcome ? ended_at : core::Clock::now()) - begun_at);
  }

  void PutState(json& content) const {
    JobState state;
    state.job = handle;
    state.stage = ReportedStage();
    state.seconds = Seconds();
    state.file = request.file.string();
    if (state.stage == JobState::Stage::kFailed) state.message = outcome->error().message;
    if (!outcome) state.search = JobSearch{phase, trying, found, open};
    content.update(json(state));
  }

  std::string handle;
  JobRequest request;
  Cancellation cancellation;  // of the search
  Cancellation abandoned;     // the verification, too

  Stage stage = Stage::kQueued;
  core::Clock::time_point begun_at = core::Clock::now();
  core::Clock::time_point ended_at;
  std::string phase = "waiting for other jobs";
  std::string trying;
  size_t found = 0;
  size_t open = 0;
  std::optional<core::Result<engine::ProveResult>> outcome;  // once it has ended
  std::string spent;                                         // on models
  core::Signal ended;
};

Jobs::Jobs(core::Executor executor, Projects& projects, lean::Pool& pool, JobsOptions options)
    : executor_(std::move(executor)),
      projects_(projects),
      pool_(pool),
      options_(std::move(options)),
      places_(executor_, options_.at_once),
      group_(executor_) {}

Jobs::~Jobs() = default;

size_t Jobs::running() const { return group_.running(); }

core::Result<std::shared_ptr<Jobs::Job>> Jobs::Launch(JobRequest request) {
  if (closed_) return Fail(ErrorCode::kCancelled, "the server is stopping");
  if (group_.running() >= options_.at_once + options_.waiting) {
    return Fail(ErrorCode::kEnvironment,
                fmt::format("{} jobs are already running or queued", group_.running()),
                "wait for one to end, or cancel one (prove_cancel)");
  }
  auto job = std::make_shared<Job>(executor_);
  job->handle = NewHandle();
  job->request = std::move(request);
  jobs_.emplace(job->handle, job);
  group_.Spawn(Run(job));
  return job;
}

Task<void> Jobs::Run(std::shared_ptr<Job> job) {
  core::Result<engine::ProveResult> outcome =
      Fail(ErrorCode::kCancelled, "the job was cancelled before it began");
  const auto place = co_await places_.Enter(Deadline(), &job->cancellation);
  if (place) {
    job->MoveTo(Stage::kRunning);
    try {
      outcome = co_await Prove(*job);
    } catch (const std::exception& e) {
      outcome = Fail(ErrorCode::kInternal, std::string("internal error: ") + e.what());
    }
  }
  job->outcome = std::move(outcome);
  job->MoveTo(Stage::kEnded);
  job->ended_at = core::Clock::now();
  job->ended.Notify();
  ended_.push_back(job->handle);
  Forget();
}

Task<core::Result<engine::ProveResult>> Jobs::Prove(Job& job) {
  auto means = options_.means(job.request);
  if (!means) co_return Fail(means.error());
  std::shared_ptr<void> claim;
  if (options_.claim_place) claim = options_.claim_place();
  const WorkerUse use = WorkerFor(job.request.text);
  lean::WorkerSetup setup = job.request.source.SetupFor(use);
  setup.skip_kernel = true;
  JobLean lean(pool_, std::move(setup), job.cancellation);
  // Its process takes the place of a worker of this machine until the search ends. Each job needs
  // another worker.
  std::unique_ptr<lean::Pool::Reservation> for_states;
  if (means->states && use == WorkerUse::kShared && pool_.size_here() > options_.at_once) {
    job.phase = "waiting for room for the state server";
    auto room = co_await pool_.Reserve(1, Deadline::After(kRoomForStates), &job.cancellation);
    if (room) for_states = std::move(*room);
  }
  engine::ProveRequest request;
  if (for_states) request.state_servers = 1;
  request.text = job.request.text;
  if (means->builtin && !job.request.file.empty()) {
    request.imported = engine::ReadImported(job.request.file, request.text);
  }
  request.theorems = job.request.theorems;
  request.hole = job.request.hole;
  request.time_per_theorem = core::FromSeconds(job.request.seconds);
  request.lean = &lean;
  request.pool.worker.max_resident_bytes = pool_.options().worker.max_resident_bytes;
  request.strategy = means->strategy;
  request.models = means->models.get();
  request.premises = means->premises.get();
  request.builtin = means->builtin;
  means->learning.ApplyTo(request);
  request.learns = job.request.text == job.request.source.text;  // not from a negation's proof
  request.abandon = &job.abandoned;
  request.lemmas = true;
  request.allowed_axioms = std::move(means->axioms);
  request.kernel = means->kernel;
  request.room_for_verdict = [&]() -> Task<core::Result<std::shared_ptr<void>>> {
    job.phase = "waiting for room to verify";
    for_states.reset();
    auto room = co_await pool_.Reserve(2, Deadline::After(options_.room_wait), &job.abandoned);
    if (!room) co_return Fail(room.error());
    co_return std::shared_ptr<void>(std::shared_ptr<lean::Pool::Reservation>(std::move(*room)));
  };
  auto result = co_await engine::ProveFile(*job.request.source.project->toolchain,
                                           std::move(request), job, job.cancellation);
  if (means->models) job.spent = means->models->budget().Summary();
  if (result && !means->learning.note.empty()) result->notes.push_back(means->learning.note);
  co_return result;
}

void Jobs::Forget() {
  for (; ended_.size() > options_.kept; ended_.pop_front()) jobs_.erase(ended_.front());
}

core::Result<std::shared_ptr<Jobs::Job>> Jobs::Find(const json& arguments) const {
  const auto found = jobs_.find(arguments.at("job").get<std::string>());
  if (found != jobs_.end()) return found->second;
  return Fail(ErrorCode::kInput, "no job has this handle",
              fmt::format("handles come from prove_start and are valid until the server stops or "
                          "{} later jobs have ended",
                          options_.kept));
}

Task<void> Jobs::WaitFor(std::shared_ptr<Job> job, core::Duration time,
                         Cancellation& cancellation) {
  const Deadline deadline = Deadline::After(time);
  const Cancellation::Subscription wake(cancellation, [&] { job->ended.Notify(); });
  while (!job->outcome && !deadline.Passed() && !cancellation.requested()) {
    co_await job->ended.Wait(deadline);
  }
}

Task<ToolAnswer> Jobs::Start(json arguments, Cancellation& /*cancellation*/) {
  auto source = co_await SourceOf(projects_, arguments);
  if (!source) co_return NoAnswer(source.error());
  JobRequest request = RequestOf(arguments);
  const auto said = [&](const char* name) {
    return arguments.contains(name) && !arguments.at(name).is_null();
  };
  if (said("theorem") || said("line")) {
    const auto place = FindHole(syntax::File(source->text), arguments);
    if (!place) co_return NoAnswer(place.error());
    request.hole = place->hole.begin;
  }
  request.text = source->text;
  request.file = source->file;
  request.source = std::move(*source);
  const auto job = Launch(std::move(request));
  if (!job) co_return NoAnswer(job.error());
  ToolAnswer answer;
  answer.content["status"] = status::kOk;
  (*job)->PutState(answer.content);
  Stamp(answer.content, (*job)->request.source);
  co_return answer;
}

Task<ToolAnswer> Jobs::Status(json arguments, Cancellation& cancellation) {
  const auto job = Find(arguments);
  if (!job) co_return NoAnswer(job.error());
  co_await WaitFor(*job, SecondsField(arguments, "wait_seconds", 0), cancellation);
  ToolAnswer answer;
  answer.content["status"] = status::kOk;
  (*job)->PutState(answer.content);
  co_return answer;
}

namespace {

/// The status of a finished job.
const char* StatusOf(const engine::ProveResult& result, double seconds) {
  const size_t all = result.theorems.size();
  if (all > 0 && result.proved() == all) return status::kOk;
  if (result.proofs() > 0) return status::kPartial;
  const bool out_of_time = std::ranges::any_of(result.theorems, [&](const TheoremResult& t) {
    return t.status == TheoremStatus::kUnproved && t.seconds >= kAllOf * seconds;
  });
  return out_of_time && !result.interrupted ? status::kTimedOut : status::kFailed;
}

void PutResult(json& content, const engine::ProveResult& result, double seconds) {
  content["status"] = StatusOf(result, seconds);
  json theorems = json::array();
  for (const TheoremResult& theorem : result.theorems) theorems.push_back(ToJson(theorem));
  content["theorems"] = std::move(theorems);
  content["notes"] = result.notes;
  content["summary"] = fmt::format("{} of {} proved", result.proved(),
                                   core::Counted(result.theorems.size(), "sorry"));
  if (result.theorems.empty()) content["reason"] = "there is no sorry to fill in this text";
  if (!result.theorems.empty() && result.proved() < result.theorems.size()) {
    const auto open = std::ranges::find_if(
        result.theorems, [](const TheoremResult& t) { return t.status != TheoremStatus::kProved; });
    content["reason"] = Cut(open->name + ": " + open->message);
  }
  if (result.proofs() > 0 && result.text.size() <= kMaxDelivered) content["text"] = result.text;
  if (!result.lemmas_text.empty() && result.lemmas_text.size() <= kMaxDelivered) {
    content["lemmas_text"] = result.lemmas_text;
  }
}

}  // namespace

Task<ToolAnswer> Jobs::Result(json arguments, Cancellation& cancellation) {
  const auto found = Find(arguments);
  if (!found) co_return NoAnswer(found.error());
  const std::shared_ptr<Job>& job = *found;
  co_await WaitFor(job, SecondsField(arguments, "wait_seconds", 0), cancellation);
  ToolAnswer answer;
  json& content = answer.content;
  if (!job->outcome) {
    content["status"] = status::kPartial;
    content["reason"] = "the job is still running; call again with wait_seconds";
  } else if (!*job->outcome) {
    answer = NoAnswer(job->outcome->error());
  } else {
    PutResult(content, **job->outcome, job->request.seconds);
    if (job->cancellation.requested()) content["reason"] = "the job was cancelled";
  }
  job->PutState(content);
  if (!job->spent.empty()) content["spent"] = job->spent;
  const Source& source = job->request.source;
  Stamp(content, source);
  content["lean"]["warnings"] = lean::KnownProblems(source.toolchain().version);
  co_return answer;
}

Task<ToolAnswer> Jobs::Cancel(json arguments, Cancellation& cancellation) {
  const auto job = Find(arguments);
  if (!job) co_return NoAnswer(job.error());
  const bool was_over = (*job)->outcome.has_value();
  if (!was_over) (*job)->RequestEnd(Found::kDrop);
  co_await WaitFor(*job, kCancelling, cancellation);
  ToolAnswer answer;
  answer.content["status"] = status::kOk;
  if (!(*job)->outcome) {
    answer.content["status"] = status::kPartial;
    answer.content["reason"] = "the job is being cancelled but has not ended yet";
  }
  if (was_over) answer.content["note"] = "the job had already ended";
  (*job)->PutState(answer.content);
  co_return answer;
}

namespace {

/// The theorem selected by the arguments, with or without a sorry.
core::Result<syntax::Declaration> FindTheorem(const syntax::File& file, const json& arguments) {
  const auto name = StringField(arguments, "theorem", "", "");
  for (const syntax::Declaration& declaration : file.declarations()) {
    if (!name.empty() && declaration.IsNamed(name)) return declaration;
  }
  auto place = FindHole(file, arguments);
  if (!place) return Fail(place.error());
  return std::move(place->declaration);
}

}  // namespace

Task<ToolAnswer> Jobs::Disprove(json arguments, Cancellation& cancellation) {
  auto source = co_await SourceOf(projects_, arguments);
  if (!source) co_return NoAnswer(source.error());
  const auto theorem = FindTheorem(syntax::File(source->text), arguments);
  if (!theorem) co_return NoAnswer(theorem.error());
  const auto negation = NegationIn(source->text, *theorem);
  if (!negation) co_return NoAnswer(negation.error());
  JobRequest request = RequestOf(arguments);
  request.text = negation->text;
  request.theorems.push_back(negation->name);
  request.file = source->file;
  request.source = std::move(*source);
  const auto begun = Launch(std::move(request));
  if (!begun) co_return NoAnswer(begun.error());
  const std::shared_ptr<Job>& job = *begun;
  while (!job->outcome) {
    co_await WaitFor(job, std::chrono::hours(1), cancellation);
    if (cancellation.requested()) job->RequestEnd(Found::kDrop);
    if (cancellation.requested()) break;
  }
  ToolAnswer answer;
  if (!job->outcome) {
    answer = Refused("the search was cancelled");
  } else if (!*job->outcome) {
    answer = NoAnswer(job->outcome->error());
  } else {
    PutResult(answer.content, **job->outcome, job->request.seconds);
    const bool disproved = (*job->outcome)->proved() == 1;
    answer.content["disproved"] = disproved;
    answer.content["summary"] =
        disproved ? "its negation is proved, so the theorem is false as stated"
                  : "its negation was not proved; the theorem may be true or false";
  }
  answer.content["theorem"] = theorem->DisplayName();
  answer.content["negation"] = negation->statement;
  Stamp(answer.content, job->request.source);
  co_return answer;
}

core::Result<std::string> Jobs::Begin(JobRequest request) {
  const auto job = Launch(std::move(request));
  if (!job) return Fail(job.error());
  return (*job)->handle;
}

Task<std::optional<JobProgress>> Jobs::Watch(std::string handle, core::Duration time) {
  const auto found = jobs_.find(handle);
  if (found == jobs_.end()) co_return std::nullopt;
  const std::shared_ptr<Job> job = found->second;
  Cancellation none;
  co_await WaitFor(job, time, none);
  co_return Progress(job);
}

JobProgress Jobs::Progress(const std::shared_ptr<Job>& job) {
  JobProgress progress;
  progress.phase = job->phase;
  progress.trying = job->trying;
  progress.seconds = job->Seconds();
  progress.found = job->found;
  progress.spent = job->spent;
  if (job->outcome) progress.outcome = {job, &*job->outcome};
  return progress;
}

void Jobs::RequestEnd(const std::string& handle, Found found) {
  if (const auto job = jobs_.find(handle); job != jobs_.end()) job->second->RequestEnd(found);
}

Task<void> Jobs::Close() {
  closed_ = true;
  for (const auto& [handle, job] : jobs_) job->RequestEnd(Found::kDrop);
  co_await group_.Join();
}

}  // namespace zermelo::serve::mcp
