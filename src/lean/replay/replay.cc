#include "lean/replay/replay.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/files/file.h"
#include "core/json.h"
#include "core/process/limited_run.h"
#include "core/text.h"
#include "lean/replay/replay.lean.h"

namespace zermelo::lean {

using core::ErrorCode;
using core::Fail;
using core::Result;
using core::Task;
using nlohmann::json;

namespace {

constexpr size_t kMaxReason = 300;
constexpr int kReplayAttempts = 2;

ReplayAnswer Declined(std::string reason) {
  ReplayAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

core::SubprocessOptions ReplayCommand(const Toolchain& toolchain,
                                      const std::filesystem::path& program) {
  core::SubprocessOptions command = ProgramCommand(toolchain, program);
  // A term that Lean cannot represent must not become another one.
  command.environment["LEAN_ABORT_ON_PANIC"] = "1";
  return command;
}

/// Before it, Lean may have warned of something in the program.
std::string_view LastLineOf(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const size_t before = text.rfind('\n');
  return before == text.npos ? text : text.substr(before + 1);
}

std::string OneLine(std::string text) {
  text = core::Truncated(core::ReplaceInvalidUtf8(std::move(text)), kMaxReason);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return std::string(core::Trim(text));
}

bool Died(const core::LimitedRun& run) {
  if (!run.limit.empty()) return run.hung;
  return run.status.signal != 0 ||
         (run.status.code != 0 && !ParseReplayAnswer(LastLineOf(run.out)));
}

ReplayAnswer AnswerOf(const core::LimitedRun& run) {
  if (!run.limit.empty()) return Declined(run.limit);
  auto answer = ParseReplayAnswer(LastLineOf(run.out));
  // The exit code of the embedded Lean's `--run` is no particular number.
  if (run.status.signal == 0 && answer) return *std::move(answer);
  const std::string said = OneLine(run.err.empty() ? run.out : run.err);
  return Declined(fmt::format("Lean gave no verdict ({}){}{}", run.status.ToString(),
                              said.empty() ? "" : ": ", said));
}

}  // namespace

std::optional<ReplayAnswer> ParseReplayAnswer(std::string_view line) {
  const auto parsed = core::ParseJson(line);
  if (!parsed) return std::nullopt;
  try {
    ReplayAnswer answer;
    const auto verdict = parsed->at("verdict").get<std::string>();
    if (verdict == "accepted") {
      answer.outcome = ReplayOutcome::kAccepted;
      answer.constants = parsed->at("constants").get<size_t>();
      return answer;
    }
    if (verdict == "rejected") {
      answer.outcome = ReplayOutcome::kRejected;
    } else if (verdict != "declined") {
      return std::nullopt;
    }
    const json& declaration = parsed->at("declaration");
    if (!declaration.is_null()) answer.declaration = declaration.get<std::string>();
    answer.reason = OneLine(parsed->at("reason").get<std::string>());
    return answer;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Task<Result<ReplayAnswer>> Replay(const Toolchain& toolchain, std::string_view exported,
                                  ReplayLimits limits, core::Cancellation* cancellation) {
  const auto folder = core::TemporaryFolder::Create("zermelo-replay-");
  if (!folder) co_return Fail(folder.error());
  const std::filesystem::path program = folder->path() / "replay.lean";
  if (auto written = core::WriteFileAtomically(program, kReplayProgram); !written)
    co_return Fail(written.error());
  core::RunLimits run_limits;
  run_limits.time = limits.time;
  run_limits.bytes = limits.bytes;
  run_limits.standstill = limits.standstill;
  for (int attempt = 1;; ++attempt) {
    auto run = co_await core::RunLimited(ReplayCommand(toolchain, program), exported, run_limits,
                                         cancellation);
    if (!run) co_return Fail(run.error());
    if (cancellation != nullptr && cancellation->requested())
      co_return Fail(ErrorCode::kCancelled, "the replay was cancelled");
    if (attempt == kReplayAttempts || !Died(*run)) co_return AnswerOf(*run);
  }
}

}  // namespace zermelo::lean
