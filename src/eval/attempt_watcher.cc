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

/// The lines without their common indentation, each ended.
std::string Dedented(std::string_view text) {
  size_t indent = std::string::npos;
  std::string lines;
  for (const std::string& line :
       LinesOf(std::string(text.substr(0, text.find_last_not_of('\n') + 1)))) {
    indent = std::min(indent, line.find_first_not_of(' '));
    lines += line + '\n';
  }
  return text.empty() ? "" : core::Dedented(lines, indent);
}

std::string AsComments(const std::string& text) {
  std::string comments;
  for (const std::string& line : LinesOf(text)) comments += "-- " + line + '\n';
  return comments;
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
  const auto* parts = std::get_if<lean::InParts>(&request.extent);
  if (parts != nullptr && !parts->candidates.empty()) {
    const auto results = lean::ResultsOf(result, parts->first_lines);
    candidates_ += results.size();
    for (size_t i = 0; i < std::min(results.size(), parts->candidates.size()); ++i) {
      LookAtTried(parts->before, parts->candidates[i], results[i]);
    }
    return;
  }
  const size_t line = core::LineIndex(request.text).LineOf(target->value.begin);
  LookAtProof(request.text.substr(target->value.begin, target->value.end - target->value.begin),
              line, result);
}

/// Keeps the tactics with the goals that they leave, if those are the best so far.
void AttemptWatcher::LookAtTried(std::string_view before, const std::string& candidate,
                                 const lean::ProbeResult& result) {
  if (result.outcome != lean::ProbeResult::Outcome::kOpen || !IsBest(result.goals)) return;
  steps_ = core::Truncated(Dedented(before) + Dedented(candidate) + "sorry\n" +
                               AsComments(fmt::format("{}", fmt::join(result.goals, "\n\n"))),
                           kMaxKeptBytes);
}

core::Task<core::Result<std::optional<std::vector<lean::ProbeResult>>>> AttemptWatcher::Try(
    lean::Trials trials) {
  const auto before = trials.before;
  const auto candidates = trials.candidates;
  auto tried = co_await states_->Try(std::move(trials));
  if (!tried || !*tried) co_return tried;
  for (size_t i = 0; i < (*tried)->size(); ++i) {
    const lean::ProbeResult& result = (**tried)[i];
    if (result.outcome == lean::ProbeResult::Outcome::kUnknown) continue;
    ++candidates_;
    LookAtTried(before, candidates[i], result);
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
  const size_t second = std::min(value.find('\n'), value.size() - 1) + 1;
  whole_ = core::Truncated(lines.size() == 1 ? value + "\n" : Dedented(value.substr(second)),
                           kMaxKeptBytes);
  if (first != nullptr) {
    whole_ += AsComments(fmt::format("line {}: {}", std::max<size_t>(before, 1), first->message));
  }
}

}  // namespace zermelo::eval
