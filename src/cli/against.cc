#include "cli/against.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "engine/acceptance.h"

namespace zermelo::cli {

namespace fs = std::filesystem;
using core::Task;
using nlohmann::json;

namespace {

const char* VerdictName(bool accepted) { return accepted ? "accepted" : "rejected"; }

json ToJson(const std::vector<trust::Reason>& reasons) {
  json list = json::array();
  for (const auto& reason : reasons) {
    list.push_back({{"code", trust::Name(reason.code)}, {"message", reason.message}});
  }
  return list;
}

json ToJson(const engine::AcceptanceReport& report, const lean::Toolchain& toolchain) {
  json theorems = json::array();
  for (const auto& target : report.targets) {
    theorems.push_back({{"name", target.name},
                        {"verdict", VerdictName(target.accepted)},
                        {"reasons", ToJson(target.reasons)},
                        {"axioms", target.axioms}});
  }
  return {{"verdict", VerdictName(report.accepted)},
          {"reasons", ToJson(report.reasons)},
          {"theorems", std::move(theorems)},
          {"lean",
           {{"version", toolchain.version},
            {"kind", Name(toolchain.kind)},
            {"warnings", lean::KnownProblems(toolchain.version)}}},
          {"library",
           {{"modules", report.library_modules}, {"fingerprint", report.library_fingerprint}}},
          {"seconds", {{"lean", report.lean_seconds}, {"trust", report.judge_seconds}}}};
}

void PrintReport(const engine::AcceptanceReport& report, const lean::Toolchain& toolchain,
                 Progress& progress) {
  for (const auto& reason : report.reasons) {
    progress.Print(fmt::format("✗ {} ({})", reason.message, trust::Name(reason.code)));
  }
  for (const auto& target : report.targets) {
    std::string line = fmt::format("{} {}", target.accepted ? "✓" : "✗", target.name);
    if (target.accepted && !target.axioms.empty()) {
      line += fmt::format("  (axioms: {})", fmt::join(target.axioms, ", "));
    }
    progress.Print(line);
    for (const auto& reason : target.reasons) {
      progress.Print(fmt::format("    {} ({})", reason.message, trust::Name(reason.code)));
    }
  }
  if (report.targets.empty()) progress.Print("the original has no theorem with a sorry");
  progress.Print(fmt::format("{} with Lean {} ({})", VerdictName(report.accepted),
                             toolchain.version, Name(toolchain.kind)));
  if (!report.library_fingerprint.empty()) {
    progress.Print(fmt::format("{} imported modules trusted as shipped ({})",
                               report.library_modules, report.library_fingerprint));
  }
  for (const std::string& problem : lean::KnownProblems(toolchain.version)) {
    progress.Print(fmt::format("warning: Lean {}: {}", toolchain.version, problem));
  }
}

}  // namespace

Task<int> RunAgainst(AgainstOptions options) {
  auto original = core::ReadTextFile(options.original);
  if (!original) co_return Report(original.error());
  auto candidate = core::ReadTextFile(options.candidate);
  if (!candidate) co_return Report(candidate.error());
  const auto toolchain =
      co_await FindLean(options.lean, fs::absolute(options.original).parent_path());
  if (!toolchain) co_return Report(toolchain.error());
  const auto executor = co_await boost::asio::this_coro::executor;
  Progress progress(Progress::ModeFor(options.quiet));
  progress.Show("compiling both files …");
  auto acceptance = engine::Acceptance::Start(executor, *toolchain, std::move(*original));
  if (!acceptance) co_return Report(acceptance.error());
  engine::AcceptanceOptions limits;
  limits.allow_more_imports = options.allow_more_imports;
  limits.deadline = core::Deadline::After(core::FromSeconds(options.seconds));
  const auto report =
      co_await (*acceptance)->Judge(std::move(*candidate), std::nullopt, std::move(limits));
  progress.Clear();
  if (!report) co_return Report(report.error());
  PrintReport(*report, *toolchain, progress);
  if (options.as_json) fmt::print("{}\n", ToJson(*report, *toolchain).dump());
  co_return report->accepted ? 0 : 1;
}

}  // namespace zermelo::cli
