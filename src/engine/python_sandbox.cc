#include "engine/python_sandbox.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>

#include "core/files/file.h"
#include "core/process/subprocess.h"
#include "core/text.h"

namespace zermelo::engine {

namespace fs = std::filesystem;
using core::Deadline;
using core::ErrorCode;
using core::Fail;
using core::PythonResult;
using core::PythonTask;
using core::Result;
using core::Subprocess;
using core::Task;

namespace {

constexpr size_t kMaxRunning = 2;
constexpr size_t kKeptBytes = 8192;  // kept of a stream at its beginning, and at its end
constexpr uint64_t kMaxFileBytes = 16ULL << 20U;
constexpr uint64_t kMaxFolderBytes = 64ULL << 20U;
constexpr size_t kMaxFiles = 1000;
constexpr auto kWatchEvery = std::chrono::milliseconds(20);

/// Sets limits that the program cannot raise again, unless it runs as root; Watch also enforces
/// them from outside. A program that runs out of memory gets a MemoryError.
std::string Prelude(uint64_t memory) {
  return fmt::format(
      "import resource as r\n"
      "r.setrlimit(r.RLIMIT_AS, ({0}, {0}))\n"
      "r.setrlimit(r.RLIMIT_NOFILE, (64, 64))\n"
      "del r\n"
      "with open('main.py', encoding='utf-8', errors='replace') as f: source = f.read()\n"
      "exec(compile(source, 'main.py', 'exec'), {{'__name__': '__main__'}})\n",
      memory);
}

/// The beginning and the end of a program's output.
class Kept {
 public:
  void Add(std::string_view text) {
    const size_t room = std::min(kKeptBytes - head_.size(), text.size());
    head_ += text.substr(0, room);
    total_ += text.size();
    text.remove_prefix(room);
    tail_ += text.substr(text.size() - std::min(text.size(), kKeptBytes));
    if (tail_.size() > kKeptBytes) tail_.erase(0, tail_.size() - kKeptBytes);
  }
  std::string Text() const {
    const size_t kept = std::min(tail_.size(), kKeptBytes);
    const size_t lost = total_ - head_.size() - kept;
    const std::string end = tail_.substr(tail_.size() - kept);
    if (lost == 0) return core::ReplaceInvalidUtf8(head_ + end);
    return core::ReplaceInvalidUtf8(
        fmt::format("{}\n… ({} bytes left out) …\n{}", head_, lost, end));
  }

 private:
  std::string head_, tail_;
  size_t total_ = 0;
};

/// Whether a folder holds more files or bytes than a program may write.
bool IsTooFull(const fs::path& folder) {
  uint64_t bytes = 0;
  size_t files = 0;
  std::error_code error;
  fs::recursive_directory_iterator file(folder, error);
  for (; !error && file != fs::recursive_directory_iterator(); file.increment(error)) {
    if (++files > kMaxFiles) return true;
    std::error_code ignored;
    const uintmax_t size = file->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes > kMaxFolderBytes;
}

/// One program, from its start until it is reaped.
class Execution {
 public:
  Execution(const core::Executor& executor, std::unique_ptr<Subprocess> process, fs::path folder,
            const PythonTask& task)
      : process_(std::move(process)),
        folder_(std::move(folder)),
        memory_(task.memory),
        time_(task.time),
        deadline_(Deadline::After(task.time)),
        tasks_(executor),
        over_(executor) {}

  Task<Result<PythonResult>> Run(core::Cancellation* cancellation) {
    const core::Cancellation::Subscription stop(cancellation, [this] { End("early"); });
    process_->CloseInput();
    tasks_.Spawn(Read(Subprocess::Stream::kOut, out_));
    tasks_.Spawn(Read(Subprocess::Stream::kErr, errors_));
    tasks_.Spawn(Watch());
    const auto status = co_await Reaped();
    is_over_ = true;
    over_.Notify();
    co_await tasks_.Join();
    if (cancellation != nullptr && cancellation->requested()) {
      co_return Fail(ErrorCode::kCancelled, "the program was cancelled");
    }
    PythonResult result;
    result.out = out_.Text();
    result.errors = errors_.Text();
    result.code = status.signal == 0 ? status.code : -1;
    result.ended = ended_;
    co_return result;
  }

 private:
  void End(std::string why) {
    if (ended_.empty() && !is_over_) ended_ = std::move(why);
    process_->Kill();
  }

  Task<core::ExitStatus> Reaped() {
    auto status = co_await process_->Wait(deadline_);
    if (!status) {
      End(fmt::format("after {:.0f} s", core::Seconds(time_)));
      status = co_await process_->Wait(Deadline::After(std::chrono::seconds(10)));
    }
    process_->Kill();  // the rest of its process group
    co_return status.value_or(core::ExitStatus{.code = 0, .signal = 9});
  }

  Task<void> Read(Subprocess::Stream stream, Kept& kept) {
    while (true) {
      const std::string text = co_await process_->Read(stream);
      if (text.empty()) co_return;
      kept.Add(text);
    }
  }

  Task<void> Watch() {
    while (!is_over_) {
      if (process_->ResidentBytes() > memory_) {
        End(fmt::format("at {} MiB of memory", memory_ >> 20U));
      }
      if (IsTooFull(folder_)) End("because its files are too large or too many");
      co_await over_.Wait(Deadline::After(kWatchEvery));
    }
  }

  const std::unique_ptr<Subprocess> process_;
  const fs::path folder_;
  const uint64_t memory_;
  const core::Duration time_;
  const Deadline deadline_;
  core::TaskGroup tasks_;
  core::Signal over_;
  bool is_over_ = false;
  std::string ended_;
  Kept out_, errors_;
};

core::SubprocessOptions OptionsFor(const fs::path& python, const fs::path& folder,
                                   uint64_t memory) {
  core::SubprocessOptions options;
  options.argv = {python.string(), "-I", "-B", "-c", Prelude(memory)};
  options.environment = {{"HOME", folder.string()},
                         {"TMPDIR", folder.string()},
                         {"LANG", "C.UTF-8"},
                         {"OPENBLAS_NUM_THREADS", "1"},
                         {"OMP_NUM_THREADS", "1"}};
  options.working_directory = folder;
  core::SandboxRules rules;
  rules.read = core::SystemFiles();
  rules.write = {folder};
  rules.max_file_bytes = kMaxFileBytes;
  options.sandbox = std::move(rules);
  return options;
}

}  // namespace

std::unique_ptr<PythonSandbox> PythonSandbox::Create(const core::Executor& executor) {
  const core::SandboxAbilities abilities = core::DescribeSandbox();
  if (abilities.landlock_abi == 0 || !abilities.seccomp) return nullptr;
  for (const char* path : {"/usr/bin/python3", "/usr/local/bin/python3"}) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    return std::unique_ptr<PythonSandbox>(new PythonSandbox(executor, path));
  }
  return nullptr;
}

Task<Result<PythonResult>> PythonSandbox::Run(PythonTask task, core::Cancellation* cancellation) {
  while (running_ >= kMaxRunning) co_await ended_.Wait(Deadline());  // they have deadlines
  if (cancellation != nullptr && cancellation->requested()) {
    co_return Fail(ErrorCode::kCancelled, "the program was cancelled");
  }
  const auto folder = core::TemporaryFolder::Create("zermelo-python-");
  if (!folder) co_return Fail(folder.error());
  std::ofstream(folder->path() / "main.py") << task.script;
  auto process = Subprocess::Start(executor_, OptionsFor(python_, folder->path(), task.memory));
  if (!process) co_return Fail(process.error());
  ++running_;
  Execution execution(executor_, std::move(*process), folder->path(), task);
  auto result = co_await execution.Run(cancellation);
  --running_;
  ended_.Notify();
  co_return result;
}

}  // namespace zermelo::engine
