// Runs that the page starts: each is a `zermelo prove` of its own, recorded in the database that
// the page shows.
//
//     GET  /api/jobs          {"strategies": […], "jobs": [job_json.h]}
//     GET  /api/jobs/files    {"files": […], "more"}: the project's (project_files.h)
//     POST /api/jobs          {"text" or "file", "strategy", "seconds"} and, for models, "samples",
//                             "tokens", "dollars": starts a run, returns it
//     POST /api/jobs/HANDLE   cancels it as Ctrl-C does: the run can be resumed
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/async.h"
#include "serve/http/http_server.h"
#include "serve/job_json.h"

namespace zermelo::serve {

struct RunJobsOptions {
  std::filesystem::path program;
  std::filesystem::path database;      // where the runs are recorded; texts are kept beside it
  std::filesystem::path project;       // files are only taken from below this folder
  std::vector<std::string> arguments;  // further ones of `prove`
  size_t at_once = 1;                  // more are refused with 429
};

class RunJobs {
 public:
  static constexpr std::string_view kPrefix = "/api/jobs";

  RunJobs(core::Executor executor, RunJobsOptions options);
  ~RunJobs();

  static bool Serves(std::string_view path);
  /// The caller has authorized the client and checked its origin. Blocks while a process starts
  /// or the project's folders are read. Throws BadRequest.
  HttpResponse Handle(const HttpRequest& request);
  /// Interrupts all jobs and waits for their ends; must be called before destruction.
  core::Task<void> Close();

 private:
  /// A job moves to the right only.
  ///
  ///     kRunning ──► kCancelling ──► kCancelled
  ///         └──────► kFinished or kFailed
  ///
  /// kCancelling: its process has been interrupted and has not yet ended.
  struct Job;
  HttpResponse List() const;
  HttpResponse Files() const;
  HttpResponse Start(const HttpRequest& request);
  HttpResponse Cancel(std::string_view handle);
  std::filesystem::path FileOf(const nlohmann::json& body, const std::string& handle) const;
  core::Task<void> Watch(std::shared_ptr<Job> job);
  JobState StateOf(const Job& job) const;
  size_t running() const;

  const core::Executor executor_;
  const RunJobsOptions options_;
  core::TaskGroup watching_;
  std::list<std::shared_ptr<Job>> jobs_;  // newest first
};

}  // namespace zermelo::serve
