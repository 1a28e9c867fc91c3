#include "serve/runs/run_jobs.h"

#include <algorithm>
#include <cassert>
#include <csignal>
#include <fmt/format.h>
#include <optional>

#include "core/files/file.h"
#include "core/json.h"
#include "core/process/subprocess.h"
#include "serve/http/handle.h"
#include "serve/http/json_fields.h"
#include "serve/project_files.h"
#include "strategy/registry.h"
#include "view/run_reader.h"

namespace zermelo::serve {

namespace fs = std::filesystem;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kKept = 64;                  // ended jobs that are still listed
constexpr size_t kTextBytes = 1U << 20U;      // of a statement
constexpr size_t kMessageBytes = 16U << 10U;  // of what a job prints
constexpr size_t kLatest = 100;               // runs among which a job's is sought

/// The newest run of a file with a number above `after`; nullopt if there is none yet.
std::optional<int64_t> RunOf(const fs::path& database, const fs::path& file, int64_t after) {
  std::error_code ignored;
  if (!fs::exists(database, ignored)) return std::nullopt;
  auto reader = view::RunReader::Open(database);
  if (!reader) return std::nullopt;
  const auto list = reader->List(kLatest);
  if (!list) return std::nullopt;
  for (const json& run : (*list)["runs"]) {
    const auto id = run["id"].get<int64_t>();
    if (id > after && (file.empty() || run["file"] == file.string())) return id;
  }
  return std::nullopt;
}

HttpResponse JobResponse(const json& body) {
  HttpResponse response;
  response.body = core::Dump(body);
  return response;
}

/// The options for the budget of models.
std::vector<std::string> BudgetOf(const json& body) {
  std::vector<std::string> options;
  for (const char* name : {"samples", "tokens"}) {
    const uint64_t most = CountField(body, name, 0);
    if (most > 0) options.insert(options.end(), {fmt::format("--{}", name), std::to_string(most)});
  }
  const double dollars = AmountField(body, "dollars");
  if (dollars > 0) options.insert(options.end(), {"--dollars", fmt::format("{:f}", dollars)});
  return options;
}

std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

struct RunJobs::Job {
  enum class Stage : uint8_t { kRunning, kCancelling, kCancelled, kFailed, kFinished };
  bool ended() const { return stage > Stage::kCancelling; }
  void Become(Stage next) {
    assert(next > stage && !ended());
    stage = next;
  }
  JobState::Stage ReportedStage() const;

  std::string handle;
  fs::path file;
  int64_t after = 0;  // the newest run when it started
  std::unique_ptr<core::Subprocess> process;
  const core::Clock::time_point begun_at = core::Clock::now();
  core::Clock::time_point ended_at;
  Stage stage = Stage::kRunning;
  std::string message;  // why it failed
};

RunJobs::RunJobs(core::Executor executor, RunJobsOptions options)
    : executor_(std::move(executor)), options_(std::move(options)), watching_(executor_) {}

RunJobs::~RunJobs() = default;

bool RunJobs::Serves(std::string_view path) {
  return path.starts_with(kPrefix) &&
         (path.size() == kPrefix.size() || path[kPrefix.size()] == '/');
}

size_t RunJobs::running() const {
  return static_cast<size_t>(
      std::ranges::count_if(jobs_, [](const auto& job) { return !job->ended(); }));
}

HttpResponse RunJobs::Handle(const HttpRequest& request) {
  std::string_view rest = std::string_view(request.path).substr(kPrefix.size());
  if (rest.starts_with('/')) rest.remove_prefix(1);
  if (request.method == "POST") return rest.empty() ? Start(request) : Cancel(rest);
  if (request.method == "GET" && rest.empty()) return List();
  if (request.method == "GET" && rest == "files") return Files();
  return ErrorResponse(404, "Not Found");
}

HttpResponse RunJobs::List() const {
  json list{{"strategies", json::array()}, {"jobs", json::array()}};
  for (const strategy::Strategy* one : strategy::AllStrategies()) {
    list["strategies"].push_back(one->name());
  }
  for (const auto& job : jobs_) list["jobs"].push_back(StateOf(*job));
  return JobResponse(list);
}

HttpResponse RunJobs::Files() const {
  std::error_code missing;
  const ProjectFiles found = LeanFilesBelow(fs::canonical(options_.project, missing));
  return JobResponse(json{{"files", found.files}, {"more", found.more}});
}

JobState::Stage RunJobs::Job::ReportedStage() const {
  switch (stage) {
    case Stage::kRunning:
    case Stage::kCancelling:
      break;
    case Stage::kCancelled:
      return JobState::Stage::kCancelled;
    case Stage::kFailed:
      return JobState::Stage::kFailed;
    case Stage::kFinished:
      return JobState::Stage::kFinished;
  }
  return JobState::Stage::kRunning;
}

JobState RunJobs::StateOf(const Job& job) const {
  JobState state;
  state.job = job.handle;
  state.stage = job.ReportedStage();
  state.seconds = core::Seconds((job.ended() ? job.ended_at : core::Clock::now()) - job.begun_at);
  state.file = job.file.string();
  state.run = RunOf(options_.database, job.file, job.after);
  state.message = job.message;
  return state;
}

fs::path RunJobs::FileOf(const json& body, const std::string& handle) const {
  const std::string text = StringField(body, "text", "", "");
  const std::string named = StringField(body, "file", "", "");
  if (text.empty() == named.empty()) throw BadRequest(kInvalid, "send either a text or a file");
  if (text.size() > kTextBytes) throw BadRequest(413, "the text is too long");
  if (!text.empty()) {
    fs::path file = options_.database.parent_path() / "page" / (handle + ".lean");
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    const auto written = core::WriteFileAtomically(file, text);
    if (!written) throw BadRequest(503, written.error().message);
    return file;
  }
  std::error_code error;
  const fs::path root = fs::canonical(options_.project, error);
  fs::path file = fs::canonical(options_.project / named, error);
  const auto [outside, unused] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  if (error || outside != root.end() || file.extension() != ".lean") {
    throw BadRequest(kInvalid, "there is no such Lean file in the project");
  }
  return file;
}

HttpResponse RunJobs::Start(const HttpRequest& request) {
  const json body = ParseObject(request.body);
  const std::string strategy = StringField(body, "strategy", "", "auto");
  const core::Duration time = SecondsField(body, "seconds", 60);
  const std::vector<std::string> budget = BudgetOf(body);
  if (strategy::FindStrategy(strategy) == nullptr) {
    throw BadRequest(kInvalid, "there is no such strategy");
  }
  if (running() >= options_.at_once) {
    auto full = ErrorResponse(429, "the maximum number of runs is in progress; cancel one or wait");
    full.retry_after = 10;
    return full;
  }
  auto job = std::make_shared<Job>();
  job->handle = NewHandle();
  job->file = FileOf(body, job->handle);
  job->after = RunOf(options_.database, "", 0).value_or(0);
  core::SubprocessOptions prove;
  prove.working_directory = options_.project;
  prove.argv = {options_.program, "prove", job->file, "--quiet", "--strategy", strategy};
  prove.argv.insert(prove.argv.end(), {"--time", fmt::format("{:.0f}s", core::Seconds(time)),
                                       "--run-db", options_.database});
  prove.argv.insert(prove.argv.end(), budget.begin(), budget.end());
  prove.argv.insert(prove.argv.end(), options_.arguments.begin(), options_.arguments.end());
  auto process = core::Subprocess::Start(executor_, prove);
  if (!process) return ErrorResponse(503, process.error().message);
  job->process = std::move(*process);
  job->process->CloseInput();
  jobs_.push_front(job);
  while (jobs_.size() > kKept && jobs_.back()->ended()) jobs_.pop_back();
  watching_.Spawn(Watch(job));
  return JobResponse(StateOf(*job));
}

HttpResponse RunJobs::Cancel(std::string_view handle) {
  const auto found =
      std::ranges::find_if(jobs_, [&](const auto& job) { return job->handle == handle; });
  if (found == jobs_.end()) return ErrorResponse(404, "there is no such job");
  Job& job = **found;
  if (!job.ended()) {
    if (job.stage == Job::Stage::kRunning) job.Become(Job::Stage::kCancelling);
    ::kill(job.process->pid(), SIGINT);
  }
  return JobResponse(StateOf(job));
}

Task<void> RunJobs::Watch(std::shared_ptr<Job> job) {
  std::string out, err;
  core::TaskGroup reading(executor_);
  reading.Spawn(job->process->ReadAll(core::Subprocess::Stream::kOut, out, kMessageBytes));
  reading.Spawn(job->process->ReadAll(core::Subprocess::Stream::kErr, err, kMessageBytes));
  co_await reading.Join();
  const auto status = co_await job->process->Wait(core::Deadline());
  constexpr int kNotProved = 1;
  if (job->stage == Job::Stage::kCancelling) {
    job->Become(Job::Stage::kCancelled);
  } else if (status && (status->ok() || status->code == kNotProved)) {
    job->Become(Job::Stage::kFinished);
  } else {
    job->Become(Job::Stage::kFailed);
    job->message = LastLine(err);
  }
  job->ended_at = core::Clock::now();
  job->process.reset();
}

Task<void> RunJobs::Close() {
  for (const auto& job : jobs_) (void)Cancel(job->handle);
  co_await watching_.Join();
}

}  // namespace zermelo::serve
