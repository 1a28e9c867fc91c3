#include "eval/attempt_watcher.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "lean/probe.h"
#include "syntax/declarations.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::eval {

namespace {

constexpr size_t kMaxKeptBytes = 20'000;  // of an attempt

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Lines [begin, end) without their common indentation.
std::string Dedented(const std::vector<std::string>& lines, size_t begin, size_t end) {
  size_t indent = std::string::npos;
  for (size_t i = begin; i < std::min(end, lines.size()); ++i) {
    indent = std::min(indent, lines[i].find_first_not_of(' '));
  }
  std::string text;
  for (size_t i = begin; i < std::min(end, lines.size()); ++i) text += lines[i] + '\n';
  return core::Dedented(text, indent);
}

std::string AsComments(const std::string& text) {
  std::string comments;
  for (const std::string& line : LinesOf(text)) comments += "-- " + line + '\n';
  return comments;
}

/// Tactics with the goals that they leave.
std::string Steps(const std::string& before, const std::string& tactic,
                  const std::vector<std::string>& goals) {
  return core::Truncated(
      before + tactic + "sorry\n" + AsComments(fmt::format("{}", fmt::join(goals, "\n\n"))),
      kMaxKeptBytes);
}

}  // namespace

core::Task<core::Result<lean::CheckResult>> AttemptWatcher::Check(lean::CheckRequest request) {
  ++checks_;
  auto kept = request;
  auto result = co_await inner_.Check(std::move(request));
  lean::Count(kept.roles, result ? result->seconds : 0, by_role_);
  if (result) Look(kept, *result);
  if (on_candidates) on_candidates(candidates_);
  co_return result;
}

void AttemptWatcher::Look(const lean::CheckRequest& request, const lean::CheckResult& result) {
  const auto declarations = syntax::FindDeclarations(request.text);
  const auto target = std::ranges::find(declarations, theorem_, &syntax::Declaration::full_name);
  if (target == declarations.end() || target->value.empty()) return;
  const std::string value = request.text.substr(target->value.begin);
  const size_t line = core::LineIndex(request.text).LineOf(target->value.begin);
  const auto* parts = std::get_if<lean::InParts>(&request.extent);
  if (parts != nullptr && parts->first_lines.size() > 1) {
    candidates_ += parts->first_lines.size() - 1;
    return LookAtProbe(value, line, parts->first_lines, result);
  }
  LookAtProof(value.substr(0, target->value.end - target->value.begin), line, result);
}

void AttemptWatcher::LookAtProbe(const std::string& value, size_t value_line,
                                 const std::vector<uint32_t>& case_lines,
                                 const lean::CheckResult& result) {
  const auto lines = LinesOf(value);
  const size_t first_case = case_lines.front() - value_line;
  if (case_lines.front() < value_line + 2 || first_case > lines.size()) return;
  for (size_t i = 0; i + 1 < case_lines.size(); ++i) {
    const uint32_t at = case_lines[i];
    std::vector<std::string> goals;
    size_t errors = 0;
    for (const lean::Diagnostic& d : result.diagnostics) {
      if (d.severity != lean::Severity::kError || d.begin.line < at ||
          d.begin.line >= case_lines[i + 1]) {
        continue;
      }
      ++errors;
      if (d.begin.line == at) goals = lean::UnsolvedGoals(d.message);
    }
    if (errors != 1 || goals.empty()) continue;
    if (!IsBest(goals)) continue;
    // The line above the first case duplicates the goal for the cases.
    steps_ = Steps(Dedented(lines, 1, first_case - 1),
                   Dedented(lines, at - value_line + 1, case_lines[i + 1] - value_line), goals);
  }
}

core::Task<core::Result<std::optional<std::vector<lean::ProbeResult>>>> AttemptWatcher::Try(
    lean::Trials trials) {
  const auto before = LinesOf(trials.before);
  const auto candidates = trials.candidates;
  auto tried = co_await states_->Try(std::move(trials));
  if (!tried || !*tried) co_return tried;
  for (size_t i = 0; i < (*tried)->size(); ++i) {
    const lean::ProbeResult& result = (**tried)[i];
    if (result.outcome == lean::ProbeResult::Outcome::kUnknown) continue;
    ++candidates_;
    if (result.outcome != lean::ProbeResult::Outcome::kOpen || !IsBest(result.goals)) continue;
    const auto lines = LinesOf(candidates[i]);
    steps_ = Steps(Dedented(before, 0, before.size() - 1), Dedented(lines, 0, lines.size() - 1),
                   result.goals);
  }
  if (on_candidates) on_candidates(candidates_);
  co_return tried;
}

/// Whether these are fewer and shorter than what the best attempt left; then they are the best.
bool AttemptWatcher::IsBest(const std::vector<std::string>& goals) {
  size_t bytes = 0;
  for (const std::string& goal : goals) bytes += goal.size();
  if (std::pair(goals.size(), bytes) >= left_) return false;
  left_ = {goals.size(), bytes};
  return true;
}

void AttemptWatcher::LookAtProof(const std::string& value, size_t value_line,
                                 const lean::CheckResult& result) {
  if (syntax::UsesSorry(value)) return;
  const auto lines = LinesOf(value);
  const lean::Diagnostic* first = nullptr;
  for (const lean::Diagnostic& d : result.diagnostics) {
    const bool inside = d.begin.line >= value_line && d.begin.line < value_line + lines.size();
    if (d.severity == lean::Severity::kError && inside) {
      first = &d;
      break;
    }
  }
  // A proof by "skip" only queries the goals.
  if (lines.size() == 2 && lines[1].find("skip") != std::string::npos) return;
  ++candidates_;
  const size_t before = first == nullptr ? lines.size() : first->begin.line - value_line;
  const double share = static_cast<double>(before) / static_cast<double>(lines.size());
  if (share <= share_) return;
  share_ = share;
  whole_ = core::Truncated(Dedented(lines, 1, lines.size()), kMaxKeptBytes);
  if (lines.size() == 1) whole_ = value + "\n";
  if (first != nullptr) {
    whole_ += AsComments(fmt::format("line {}: {}", std::max<size_t>(before, 1), first->message));
  }
}

}  // namespace zermelo::eval
