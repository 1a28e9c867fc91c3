#include "eval/statement_check.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "engine/acceptance/file_errors.h"
#include "lean/import_errors.h"

namespace zermelo::eval {

using core::ErrorCode;
using core::Task;

namespace {

constexpr size_t kMessageBytes = 400;

uint32_t FirstLine(const Problem& problem) {
  return static_cast<uint32_t>(std::ranges::count(problem.header, '\n'));
}
uint32_t LastLine(const Problem& problem) {
  return FirstLine(problem) + static_cast<uint32_t>(std::ranges::count(problem.statement, '\n'));
}

/// The first error up to the end of the statement; later errors do not concern it.
const lean::Diagnostic* FirstError(const Problem& problem,
                                   const std::vector<lean::Diagnostic>& diagnostics) {
  const uint32_t last = LastLine(problem);
  const auto first = std::ranges::find_if(diagnostics, [&](const lean::Diagnostic& d) {
    return d.severity == lean::Severity::kError && d.begin.line <= last &&
           !engine::IsCodeGenerationError(d) && !engine::IsMissingLibraryCode(d);
  });
  return first == diagnostics.end() ? nullptr : &*first;
}

bool UsesSorry(const Problem& problem, const std::vector<lean::Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics, [&](const lean::Diagnostic& d) {
    return SaysSorry(d) && d.begin.line >= FirstLine(problem) && d.begin.line <= LastLine(problem);
  });
}

}  // namespace

Task<core::Result<StatementCheck>> CheckStatement(lean::Pool& pool, const Problem& problem,
                                                  core::Duration limit) {
  lean::CheckRequest request;
  request.text = problem.Text();
  // `limit` bounds the elaboration; the deadline includes waiting for a worker.
  request.deadline = core::Deadline::After(std::chrono::hours(24));
  request.limit = limit;
  const auto checked = co_await pool.Check(std::move(request));
  StatementCheck result;
  if (!checked) {
    const core::Error& error = checked.error();
    if (error.code == ErrorCode::kEnvironment || error.code == ErrorCode::kCancelled) {
      co_return core::Fail(error);
    }
    result.crashed = error.code == ErrorCode::kCrashed;
    result.why = error.code == ErrorCode::kTimeout
                     ? fmt::format("Lean took longer than {:.0f} s", core::Seconds(limit))
                     : error.message;
    co_return result;
  }
  result.seconds = checked->seconds;
  if (const lean::Diagnostic* error = FirstError(problem, checked->diagnostics)) {
    result.why = fmt::format("line {}: {}", error->begin.line + 1,
                             core::Truncated(error->message, kMessageBytes));
    const std::string hint = lean::ImportHint(*error, pool.toolchain());
    if (!hint.empty()) result.why += "\n" + hint;
  } else if (!UsesSorry(problem, checked->diagnostics)) {
    result.why = "Lean reports no sorry in the theorem; is it in a comment or hidden by a macro?";
  } else {
    result.elaborates = true;
  }
  co_return result;
}

}  // namespace zermelo::eval
