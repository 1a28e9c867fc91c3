#include "lean/compile/compiler.h"

#include <optional>
#include <sys/stat.h>

namespace zermelo::lean {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;

namespace {
constexpr size_t kMaxOutput = 16U << 20U;
constexpr size_t kMaxOther = 4000;
constexpr auto kWatchPeriod = std::chrono::milliseconds(250);

/// Disk space used by the files below `folder`, which may change meanwhile.
uint64_t BytesIn(const std::filesystem::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    struct stat file {};
    if (::lstat(at->path().c_str(), &file) == 0)
      bytes += static_cast<uint64_t>(file.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace

Compiler::Compiler(core::Executor executor, core::TemporaryFolder folder, uint64_t max_written)
    : executor_(std::move(executor)),
      max_written_(max_written),
      ended_(executor_),
      folder_(std::move(folder)),
      olean_(folder_.path() / "Zermelo.olean") {}

Compiler::~Compiler() = default;

Result<std::unique_ptr<Compiler>> Compiler::Start(const core::Executor& executor,
                                                  const Toolchain& toolchain,
                                                  const CompilerOptions& options) {
  auto folder = core::TemporaryFolder::Create("zermelo-compile-");
  if (!folder) return Fail(folder.error());
  auto compiler =
      std::unique_ptr<Compiler>(new Compiler(executor, std::move(*folder), options.max_written));
  core::SubprocessOptions command{
      .argv = {toolchain.lean.string(), "--stdin", "--json", "-o", compiler->olean_.string()},
      .environment = toolchain.environment,
      .working_directory = toolchain.project.empty() ? compiler->folder_.path() : toolchain.project,
      .sandbox = toolchain.sandbox};
  if (command.sandbox) command.sandbox->write.push_back(compiler->folder_.path());
  if (options.saves_imports) {
    command.argv.push_back("--incr-header-save=" + compiler->saved_imports().string());
  }
  if (!options.image.empty()) {
    compiler->image_ = options.image;
    command.argv.push_back("--incr-load=" + options.image.string());
    if (command.sandbox) command.sandbox->read.push_back(options.image.parent_path());
  }
  auto process = core::Subprocess::Start(executor, command);
  if (!process) return Fail(process.error());
  compiler->process_ = std::move(*process);
  return compiler;
}

/// The operating system limits the size of each file (core::SandboxRules), but neither their number
/// nor the resident memory.
Task<void> Compiler::WatchSize(core::Subprocess& process, uint64_t max_resident) {
  while (!has_ended_) {
    co_await ended_.Wait(core::Deadline::After(kWatchPeriod));
    if (has_ended_ || !excess_.empty()) continue;
    if (BytesIn(folder_.path()) > max_written_) {
      excess_ = "wrote more than " + std::to_string(max_written_ >> 20U) + " MiB";
    } else if (process.ResidentBytes() > max_resident) {
      excess_ = "needed more than " + std::to_string(max_resident >> 20U) + " MiB of memory";
    }
    if (!excess_.empty()) process.Kill();
  }
}

Task<Result<CompileResult>> Compiler::Compile(std::string text, core::Deadline deadline,
                                              core::Cancellation* cancellation,
                                              uint64_t max_resident) {
  if (!process_) co_return Fail(ErrorCode::kInternal, "a compiler process compiles only one text");
  const auto process = std::move(process_);
  const auto cancelled = [&] { return cancellation != nullptr && cancellation->requested(); };
  const core::Cancellation::Subscription cancel(cancellation, [&] { process->Kill(); });
  const core::DeadlineGuard guard(executor_, deadline, [&] { process->Kill(); });
  bool stood_still = false;
  const core::StandstillGuard watched(executor_, *process, kStandstill, [&] {
    stood_still = true;
    process->Kill();
  });
  std::string out, err;
  core::TaskGroup watch(executor_);
  watch.Spawn(WatchSize(*process, max_resident));
  core::TaskGroup streams(executor_);
  streams.Spawn(process->ReadAll(core::Subprocess::Stream::kOut, out, kMaxOutput));
  streams.Spawn(process->ReadAll(core::Subprocess::Stream::kErr, err, kMaxOther));
  co_await process->Write(text, deadline);
  process->CloseInput();
  co_await streams.Join();
  const auto status = co_await process->Wait(core::Deadline());
  has_ended_ = true;
  ended_.Notify();
  co_await watch.Join();
  if (cancelled()) co_return Fail(ErrorCode::kCancelled, "the compilation was cancelled");
  if (guard.expired()) co_return Fail(ErrorCode::kTimeout, "Lean did not finish compiling in time");
  if (stood_still)
    co_return Fail(ErrorCode::kCrashed,
                   "Lean hung while compiling (almost no processor time used)");
  if (!excess_.empty()) {
    co_return Fail(ErrorCode::kCrashed, "Lean " + excess_ + " while compiling and was killed");
  }

  CompileResult result;
  for (size_t at = 0; at < out.size();) {
    const size_t end = std::min(out.find('\n', at), out.size());
    const std::string line = out.substr(at, end - at);
    if (auto diagnostic = DiagnosticFromCommandLine(line)) {
      result.diagnostics.push_back(std::move(*diagnostic));
    } else if (result.output.size() < kMaxOther) {
      result.output += line + "\n";
    }
    at = end + 1;
  }
  result.output += err;
  result.ok = status->ok();
  std::error_code ignored;
  const bool wrote = std::filesystem::is_regular_file(olean_, ignored);
  const bool reported = HasErrors(result.diagnostics);
  if (status->signal != 0 || (result.ok && !wrote) || (!result.ok && !reported)) {
    co_return Fail(ErrorCode::kCrashed, "Lean crashed while compiling (" + status->ToString() +
                                            "): " + result.output.substr(0, 1000));
  }
  co_return result;
}

}  // namespace zermelo::lean
