#include "data/trace/trace_project.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/files/file.h"
#include "core/hash/sha256.h"
#include "data/trace/trace_log.h"
#include "eval/datasets/loaders.h"

namespace zermelo::data {

namespace fs = std::filesystem;
using core::Fail;
using core::Result;
using core::Task;

namespace {

/// "A.B" for A/B.lean.
std::string ModuleOf(fs::path file) {
  file.replace_extension();
  std::string module;
  for (const auto& part : file) {
    module += (module.empty() ? "" : ".") + part.string();
  }
  return module;
}

class ProjectTrace {
 public:
  ProjectTrace(lean::Pool& pool, TraceRequest request, TraceLog log, std::vector<fs::path> files)
      : pool_(pool), request_(std::move(request)), log_(std::move(log)), files_(std::move(files)) {
    base_ = fs::is_directory(request_.root) ? request_.root : request_.root.parent_path();
  }

  Task<Result<TraceReport>> Run(core::Executor executor) {
    const auto begun = core::Clock::now();
    core::TaskGroup lanes(executor);
    const size_t count = std::min(pool_.size(), files_.size());
    for (size_t i = 0; i < count; ++i) lanes.Spawn(Lane());
    co_await lanes.Join();
    if (error_) co_return Fail(*error_);
    report_.seconds = core::Seconds(core::Clock::now() - begun);
    co_return report_;
  }

 private:
  Task<void> Lane() {
    while (next_ < files_.size() && !error_) {
      const fs::path file = files_[next_++];
      auto traced = co_await Trace(file);
      if (!traced) error_ = traced.error();
    }
  }

  Task<core::Status> Trace(const fs::path& file) {
    TraceInput input;
    input.file = fs::relative(file, base_).string();
    input.module = ModuleOf(input.file);
    input.limit = request_.limit;
    input.cancellation = request_.cancellation;
    auto text = core::ReadTextFile(file);
    if (!text) {
      Count(input.file, TracedFile(), text.error().message);
      co_return core::Status();
    }
    input.text = *std::move(text);
    if (log_.Has(input.file, core::Sha256Hex(input.text))) {
      ++report_.known;
      co_return core::Status();
    }
    const auto traced = co_await TraceFile(pool_, pool_.toolchain(), input);
    if (!traced) co_return Fail(traced.error());
    Count(input.file, *traced, traced->head.value("error", ""));
    co_return log_.Append(*traced);
  }

  void Count(const std::string& file, const TracedFile& traced, const std::string& error) {
    ++report_.files;
    report_.failed += error.empty() ? 0 : 1;
    report_.theorems += traced.theorems.size();
    report_.tactics += traced.tactics;
    if (request_.on_file) request_.on_file(file, traced.tactics, error);
  }

  lean::Pool& pool_;
  const TraceRequest request_;
  TraceLog log_;
  const std::vector<fs::path> files_;
  fs::path base_;
  size_t next_ = 0;
  TraceReport report_;
  std::optional<core::Error> error_;
};

Result<std::vector<fs::path>> FilesOf(const fs::path& root) {
  if (fs::is_directory(root)) return eval::FindLeanFiles(root, true);
  return std::vector<fs::path>{root};
}

}  // namespace

Task<Result<TraceReport>> TraceProject(lean::Pool& pool, TraceRequest request) {
  const auto executor = co_await boost::asio::this_coro::executor;
  auto files = FilesOf(request.root);
  if (!files) co_return Fail(files.error());
  auto log = TraceLog::Open(request.out);
  if (!log) co_return Fail(log.error());
  ProjectTrace trace(pool, std::move(request), *std::move(log), *std::move(files));
  co_return co_await trace.Run(executor);
}

}  // namespace zermelo::data
