#include "lean/library/library_statements.h"

#include <boost/asio/this_coro.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/files/file.h"
#include "core/json.h"
#include "core/process/subprocess.h"
#include "core/text.h"
#include "lean/library/library_statements.lean.h"

namespace zermelo::lean {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kMaxLine = 256U << 20U;
constexpr size_t kMaxErrors = 4000;
constexpr size_t kStarts = 2;  // that fail before Lean is said to be unable to run the program
constexpr core::Duration kLookPeriod = std::chrono::milliseconds(500);

ModuleStatements ReadModule(const json& line) {
  ModuleStatements module;
  module.module = line.at("module").get<std::string>();
  if (const auto error = line.find("error"); error != line.end()) {
    module.error = error->get<std::string>();
    return module;
  }
  module.header = line.at("header").get<std::string>();
  module.import_all = line.at("import_all").get<bool>();
  for (const json& problem : line.at("problems")) {
    module.statements.push_back({.name = problem.at("name").get<std::string>(),
                                 .text = problem.at("statement").get<std::string>()});
  }
  line.at("left_out").get_to(module.left_out);
  return module;
}

/// One run of the program.
class StatementsProcess {
 public:
  StatementsProcess(core::Executor executor, std::unique_ptr<core::Subprocess> process,
                    const LibraryStatementsOptions& options)
      : executor_(std::move(executor)),
        options_(options),
        process_(std::move(process)),
        had_(*process_),
        ended_(executor_) {}

  using OnLine = std::function<core::Status(const std::string& line)>;

  /// Reads all lines, until `on_line` fails, the process ends, or it has grown enough.
  Task<core::Status> Run(OnLine on_line, core::Cancellation& cancellation) {
    const core::Cancellation::Subscription cancel(cancellation, [this] { process_->Kill(); });
    const core::StandstillGuard standstill(executor_, *process_, options_.standstill,
                                           [this] { Die("Lean hung"); });
    core::TaskGroup others(executor_);
    others.Spawn(process_->ReadAll(core::Subprocess::Stream::kErr, errors_, kMaxErrors));
    others.Spawn(Watch());
    auto read = co_await ReadLines(std::move(on_line));
    process_->Kill();
    co_await process_->Wait(core::Deadline());
    has_ended_ = true;
    ended_.Notify();
    co_await others.Join();
    co_return read;
  }

  void Die(const std::string& why) {
    if (why_.empty()) why_ = why;
    process_->Kill();
  }
  bool ready() const { return ready_; }
  bool has_grown() const { return has_grown_; }
  /// Why it ended early: what killed it, else the end of what it wrote.
  std::string Why() const {
    if (!why_.empty()) return why_;
    return errors_.empty() ? "Lean ended" : "Lean ended: " + errors_;
  }

 private:
  Task<core::Status> ReadLines(OnLine on_line) {
    std::string text;
    for (;;) {
      const std::string more = co_await process_->Read(core::Subprocess::Stream::kOut);
      if (more.empty()) co_return core::Status();
      text += more;
      if (text.size() > kMaxLine) Die("Lean wrote a line without end");
      size_t begin = 0;
      for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        had_.Restart();
        if (line == R"({"ready":true})") {
          ready_ = true;
          bytes_at_start_ = process_->ResidentBytes();
        } else if (line.starts_with("{\"")) {
          if (auto taken = on_line(line); !taken) co_return taken;
          has_grown_ = process_->ResidentBytes() > bytes_at_start_ + options_.max_growth_bytes;
          if (has_grown_ || !why_.empty()) co_return core::Status();
        } else if (errors_.size() < kMaxErrors) {
          errors_ += line + "\n";
        }
      }
      text.erase(0, begin);
    }
  }

  Task<void> Watch() {
    while (!has_ended_) {
      co_await ended_.Wait(core::Deadline::After(kLookPeriod));
      if (has_ended_) break;
      if (had_.Exceeds(ready_ ? options_.module_limit : options_.start_limit)) {
        Die("Lean took too long");
      } else if (process_->ResidentBytes() > options_.max_resident_bytes) {
        Die("Lean used too much memory");
      }
    }
  }

  const core::Executor executor_;
  const LibraryStatementsOptions& options_;
  const std::unique_ptr<core::Subprocess> process_;
  core::ScheduledTime had_;  // since the last line
  core::Signal ended_;
  bool has_ended_ = false;
  bool ready_ = false;
  bool has_grown_ = false;
  uint64_t bytes_at_start_ = 0;
  std::string errors_;
  std::string why_;
};

core::SubprocessOptions StatementsCommand(const Toolchain& toolchain,
                                          const std::filesystem::path& program,
                                          const std::vector<std::string>& modules) {
  core::SubprocessOptions command = ProgramCommand(toolchain, program);
  command.argv.insert(command.argv.end(), modules.begin(), modules.end());
  return command;
}

/// Prints the statements of modules by one process after another.
class StatementsPrinter {
 public:
  StatementsPrinter(core::Executor executor, const Toolchain& toolchain,
                    std::vector<std::string> modules, const LibraryStatementsOptions& options,
                    OnModuleStatements on_module, core::Cancellation& cancellation)
      : executor_(std::move(executor)),
        toolchain_(toolchain),
        modules_(std::move(modules)),
        options_(options),
        on_module_(std::move(on_module)),
        cancellation_(cancellation) {}

  /// `program`: the file with the program.
  Task<core::Status> Run(std::filesystem::path program) {
    while (done_ < modules_.size()) {
      auto ran = co_await RunProcess(program);
      if (cancellation_.requested()) co_return Fail(ErrorCode::kCancelled, "it was cancelled");
      if (!ran) co_return ran;
    }
    co_return core::Status();
  }

 private:
  /// Runs a process on the next modules, or on the next one alone if it has ended one already.
  Task<core::Status> RunProcess(std::filesystem::path program) {
    const size_t left = modules_.size() - done_;
    const size_t count = std::min(left, ended_one_ ? 1 : options_.modules_per_process);
    const auto begin = modules_.begin() + static_cast<std::ptrdiff_t>(done_);
    const std::vector<std::string> chunk(begin, begin + static_cast<std::ptrdiff_t>(count));
    const size_t end = done_ + count;
    auto started =
        core::Subprocess::Start(executor_, StatementsCommand(toolchain_, program, chunk));
    if (!started) co_return Fail(started.error());
    StatementsProcess process(executor_, std::move(*started), options_);
    const auto on_line = [&](const std::string& line) -> core::Status {
      auto read = ParseModuleStatements(line);
      const bool is_next = read && done_ < end && read->module == modules_[done_];
      if (is_next) return Take(*std::move(read), line);
      process.Die("Lean wrote something else");  // an embedded one without memory can
      return {};
    };
    auto ran = co_await process.Run(on_line, cancellation_);
    if (!ran || cancellation_.requested() || done_ == end || process.has_grown()) co_return ran;
    co_return EndedEarly(process);
  }

  core::Status Take(ModuleStatements module, const std::string& line) {
    ended_one_ = false;
    ++done_;
    return on_module_(std::move(module), line);
  }

  core::Status EndedEarly(const StatementsProcess& process) {
    if (!process.ready()) {
      if (++failed_starts_ < kStarts) return {};
      return Fail(ErrorCode::kEnvironment,
                  "Lean " + toolchain_.version +
                      " cannot print the library's statements: " + process.Why());
    }
    failed_starts_ = 0;
    if (std::exchange(ended_one_, true)) {
      ModuleStatements failed;
      failed.module = modules_[done_];
      failed.error = core::ReplaceInvalidUtf8(process.Why());
      return Take(std::move(failed), "");
    }
    return {};
  }

  const core::Executor executor_;
  const Toolchain& toolchain_;
  const std::vector<std::string> modules_;
  const LibraryStatementsOptions& options_;
  const OnModuleStatements on_module_;
  core::Cancellation& cancellation_;

  size_t done_ = 0;           // modules
  bool ended_one_ = false;    // a process ended in the module after those
  size_t failed_starts_ = 0;  // in a row
};

}  // namespace

Result<ModuleStatements> ParseModuleStatements(std::string_view line) {
  const auto module = core::ParseJson(line);
  if (!module)
    return Fail(ErrorCode::kCrashed, "the statements of a module: this " + module.error().what);
  try {
    return ReadModule(*module);
  } catch (const json::exception& e) {
    return Fail(ErrorCode::kCrashed, std::string("not the statements of a module: ") + e.what());
  }
}

std::string_view LibraryStatementsProgram() { return kLibraryStatementsProgram; }

Task<core::Status> PrintLibraryStatements(const Toolchain& toolchain,
                                          std::vector<std::string> modules,
                                          LibraryStatementsOptions options,
                                          OnModuleStatements on_module,
                                          core::Cancellation& cancellation) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto folder = core::TemporaryFolder::Create("zermelo-library-");
  if (!folder) co_return Fail(folder.error());
  const std::filesystem::path program = folder->path() / "library_statements.lean";
  if (auto written = core::WriteFileAtomically(program, kLibraryStatementsProgram); !written) {
    co_return written;
  }
  StatementsPrinter printer(executor, toolchain, std::move(modules), options, std::move(on_module),
                            cancellation);
  co_return co_await printer.Run(program);
}

}  // namespace zermelo::lean
