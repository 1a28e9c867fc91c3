#include "trust/kernels/imports_check.h"

#include <algorithm>
#include <iterator>

#include "core/deadline.h"
#include "kernel/files/check_file.h"

namespace zermelo::trust {

namespace {

constexpr size_t kBytesEach = size_t{2} << 30U;  // of one declaration's terms and caches

kernel::FileCheckRequest OnlyImports(const ImportsRequest& request) {
  kernel::FileCheckRequest files;
  files.files.push_back({"", request.module});
  files.search_path = request.search_path;
  files.imports_only = true;
  files.limits.time = request.time;
  files.limits.bytes = kBytesEach;
  files.threads = request.threads;
  files.keep_going = true;  // to count, and because something declined must not hide what is wrong
  files.stop = request.stop;
  files.on_progress = request.on_progress;
  return files;
}

core::Error NotTheSame() {
  return {core::ErrorCode::kEnvironment, "the imported modules changed while they were checked",
          "judge it again when nothing writes to the library"};
}

}  // namespace

core::Result<ImportsVerdict> JudgeImports(const ImportsRequest& request) {
  const auto begun = core::Clock::now();
  auto report = kernel::CheckFiles(OnlyImports(request));
  if (!report) return core::Fail(report.error());
  const bool stopped = request.stop != nullptr && *request.stop;
  if (stopped) return core::Fail(core::ErrorCode::kCancelled, "the check was stopped");
  const bool same = report->modules == request.modules &&
                    (report->modules == 0 || report->imports_sha256 == request.fingerprint);
  if (!same) return core::Fail(NotTheSame());
  ImportsVerdict verdict;
  verdict.outcome = report->verdict.outcome;
  verdict.declaration = report->verdict.declaration;
  verdict.reason = report->verdict.reason;
  verdict.refused = report->refused.size();
  verdict.hidden = report->stripped.size();
  std::ranges::set_difference(report->axioms, report->stripped, std::back_inserter(verdict.axioms));
  const size_t safe = report->declarations - report->unsafe_declarations;
  verdict.checked = safe - std::min(safe, verdict.refused + verdict.hidden);
  if (const auto& rejected = report->rejected_for_good) {
    verdict.declaration = rejected->declaration;
    verdict.reason = rejected->reason;
  } else if (verdict.hidden > 0 || report->public_modules > 0) {
    verdict.outcome = Decision::kDeclined;
    if (verdict.reason.empty()) verdict.reason = "the library has only its public parts";
  }
  verdict.seconds = core::Seconds(core::Clock::now() - begun);
  return verdict;
}

std::string Summary(const ImportsVerdict& imports) {
  if (imports.outcome == Decision::kAccepted)
    return "accepted all " + std::to_string(imports.checked) + " declarations";
  std::string summary = "accepted " + std::to_string(imports.checked) + " declarations";
  if (imports.hidden > 0) {
    summary +=
        "; proofs and definitions that are missing because the library has only its public "
        "parts: " +
        std::to_string(imports.hidden);
  }
  if (imports.refused > 0) {
    summary += "; not accepted: " + std::to_string(imports.refused) + ", first ";
    if (!imports.declaration.empty()) summary += "`" + imports.declaration + "`: ";
  }
  if (imports.refused > 0 || imports.hidden == 0)
    summary += (imports.refused > 0 ? "" : "; ") + imports.reason;
  return summary;
}

}  // namespace zermelo::trust
