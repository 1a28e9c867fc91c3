#include "engine/acceptance/other_kernels.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "core/files/file.h"
#include "core/process/limited_run.h"
#include "core/process/machine.h"

namespace zermelo::engine {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using trust::Decision;
using trust::KernelVerdict;

namespace {

constexpr size_t kMaxReason = 300;
/// All that a Lean program prints before it exits with code 1. Exactly this, since a rejection
/// contains names that the candidate has chosen.
constexpr std::string_view kOutOfMemory = "INTERNAL PANIC: out of memory\n";

/// A program's command line, as `lake check --paranoid` calls it (Lean 4.35).
struct KernelProgram {
  const char* name;
  const char* file;
  std::vector<const char*> options;  // before the export, or before nanoda's configuration
  bool takes_config;
  const char* accepts;  // what it prints when it accepts; empty: nothing
};

const std::vector<KernelProgram>& KernelPrograms() {
  static const std::vector<KernelProgram> programs = {
      {"leanchecker-paranoid",
       "leanchecker-paranoid",
       {"--silent", "--from-export"},
       false,
       /*accepts=*/""},
      {"lean4lean", "lean4lean", {"--import"}, false, /*accepts=*/""},
      {"nanoda", "nanoda_bin", {}, true, /*accepts=*/"Checked "},
      {"con-leche", "con-leche", {}, false, /*accepts=*/"accepted "},
      {"con-ron", "con-ron", {}, false, /*accepts=*/"accepted "}};
  return programs;
}

fs::path FileOf(const KernelProgram& program, const lean::Toolchain& toolchain) {
  return lean::PrefixOf(toolchain) / "bin" / program.file;
}

bool IsThere(const KernelProgram& program, const lean::Toolchain& toolchain) {
  return !lean::PrefixOf(toolchain).empty() &&
         ::access(FileOf(program, toolchain).c_str(), X_OK) == 0;
}

/// All axioms are permitted: which ones a proof may use is decided before.
std::string NanodaConfig(const fs::path& exported) {
  const nlohmann::json config{{"use_stdin", false},
                              {"export_file_path", exported.string()},
                              {"unpermitted_axiom_hard_error", false},
                              {"unsafe_permit_all_axioms", true},
                              {"num_threads", std::max(1U, core::DescribeMachine().cores)},
                              {"nat_extension", true},
                              {"string_extension", true},
                              {"print_success_message", true}};
  return config.dump();
}

core::SubprocessOptions CommandFor(const KernelProgram& program, const lean::Toolchain& toolchain,
                                   const fs::path& input) {
  core::SubprocessOptions command;
  command.argv = {FileOf(program, toolchain).string()};
  command.argv.insert(command.argv.end(), program.options.begin(), program.options.end());
  command.argv.push_back(input.string());
  command.working_directory = input.parent_path();
  if (!toolchain.sandbox) return command;
  core::SandboxRules rules;
  rules.read = core::SystemFiles();
  rules.read.push_back(lean::PrefixOf(toolchain));
  rules.read.push_back(input.parent_path());
  command.sandbox = std::move(rules);
  return command;
}

/// The last line that says something, in ASCII: names and terms of the candidate are in it. Rust's
/// advice to print a backtrace says nothing.
std::string LastLine(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::erase_if(line, [](unsigned char c) { return c < ' ' || c >= 0x7F; });
    const bool says = line.find_first_not_of(' ') != line.npos && !line.starts_with("note: run");
    if (says) last = line.substr(0, kMaxReason);
  }
  return last;
}

/// What a run of a program says.
void JudgeRun(const core::LimitedRun& run, const KernelProgram& program, KernelVerdict* verdict) {
  const std::string said = LastLine(run.err.empty() ? run.out : run.err);
  const auto because = [&](const std::string& what) {
    return said.empty() ? what : what + ": " + said;
  };
  verdict->outcome = Decision::kDeclined;
  if (!run.limit.empty()) {
    verdict->reason = run.limit;
  } else if (run.status.signal != 0) {
    verdict->reason = because("it crashed (" + run.status.ToString() + ")");
  } else if (run.status.code == 0) {
    if (run.out.find(program.accepts) != run.out.npos) {
      verdict->outcome = Decision::kAccepted;
      verdict->reason.clear();
    } else {
      verdict->reason = because("it ended without a verdict");
    }
  } else if (run.err == kOutOfMemory) {
    verdict->reason = "there is not enough memory for it";
  } else if (run.status.code == 1 || run.status.code == 101) {
    verdict->outcome = Decision::kRejected;
    verdict->reason = said.empty() ? "it gives no reason" : said;
  } else if (run.status.code == 2) {
    verdict->reason = said.empty() ? "it gives no reason" : said;
  } else {
    verdict->reason = because("it failed (" + run.status.ToString() + ")");
  }
}

Task<void> RunProgram(const KernelProgram& program, const lean::Toolchain& toolchain,
                      const fs::path& input, const OtherKernels& limits,
                      core::Cancellation* cancellation, KernelVerdict* verdict) {
  if (limits.on_start) limits.on_start(program.name);
  core::RunLimits run_limits;
  run_limits.time = limits.time;
  run_limits.bytes = limits.bytes;
  const auto run = co_await core::RunLimited(CommandFor(program, toolchain, input), "", run_limits,
                                             cancellation);
  if (run) {
    JudgeRun(*run, program, verdict);
  } else {
    verdict->outcome = Decision::kDeclined;
    verdict->reason = run.error().message;
  }
}

}  // namespace

core::Status CheckHasOtherKernels(const lean::Toolchain& toolchain) {
  const bool any = std::ranges::any_of(
      KernelPrograms(), [&](const auto& program) { return IsThere(program, toolchain); });
  if (any) return {};
  return Fail(ErrorCode::kEnvironment,
              fmt::format("Lean {} comes without other kernels", toolchain.version),
              "they are part of Lean from 4.35 on; choose such a Lean with --lean");
}

Task<Result<std::vector<KernelVerdict>>> RunOtherKernels(const lean::Toolchain& toolchain,
                                                         const fs::path& exported,
                                                         const std::string& obstacle,
                                                         const OtherKernels& limits,
                                                         core::Cancellation* cancellation) {
  const fs::path config = exported.parent_path() / "nanoda.json";
  const auto written = core::WriteFileAtomically(config, NanodaConfig(exported));
  if (!written) co_return Fail(ErrorCode::kEnvironment, written.error().message);
  std::vector<KernelVerdict> verdicts;
  for (const KernelProgram& program : KernelPrograms()) {
    KernelVerdict verdict;
    verdict.kernel = program.name;
    verdict.version = toolchain.version;
    verdict.outcome = Decision::kDeclined;
    if (!obstacle.empty()) {
      verdict.reason = obstacle;
    } else if (!IsThere(program, toolchain)) {
      verdict.reason = "this toolchain does not have it";
    } else {
      const fs::path& input = program.takes_config ? config : exported;
      co_await RunProgram(program, toolchain, input, limits, cancellation, &verdict);
    }
    if (cancellation != nullptr && cancellation->requested())
      co_return Fail(ErrorCode::kCancelled, "the judgement was cancelled");
    verdicts.push_back(std::move(verdict));
  }
  co_return verdicts;
}

}  // namespace zermelo::engine
