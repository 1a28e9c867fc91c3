#include "lean/probe.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "lean/states/state_protocol.h"
#include "lean/states/tactic_runner.h"
#include "syntax/lexer.h"

namespace zermelo::lean {

using core::Result;
using core::Task;

namespace {

constexpr std::string_view kUnsolved = "unsolved goals";
constexpr std::string_view kSentinel = "zend";
constexpr std::string_view kNothing = "fail";  // in place of a candidate that is set aside
constexpr const char* kTooSlow = "slower than the limit for one candidate";

/// The text of a probe, and the line within it on which each case begins (the sentinel's last).
struct ProbeText {
  std::string text;
  std::vector<uint32_t> case_lines;
};

/// Empty lines, too: the text is the key by which a run's record finds the answer.
std::string Indented(const std::string& lines) {
  return core::Indented(lines, 2, core::EmptyLines::kIndented);
}

/// `decide +kernel` and similar tactics leave the work to the kernel. With the kernel off they
/// would "close" false goals, so it is switched on for them.
std::string WithKernelIfNeeded(const std::string& candidate) {
  if (candidate.find("+kernel") == std::string::npos) return candidate;
  return "set_option debug.skipKernelTC false in\n(\n" + Indented(candidate) + "\n)";
}

/// With `grind -verbose`: when grind fails, to print what it knows may take several times as long
/// as the attempt. Not where the word is an attribute.
std::string WithoutDiagnosis(const std::string& candidate) {
  static constexpr std::string_view kGrind = "grind";
  std::string quiet;
  size_t copied = 0;
  std::string_view before;
  for (const syntax::Token& token : syntax::LexCode(candidate)) {
    const std::string_view word = syntax::TextOf(candidate, token);
    const bool is_attribute =
        before == "[" || before == "@[" || before == "local" || before == "scoped";
    before = word;
    if (word != kGrind || is_attribute) continue;
    const auto end = static_cast<size_t>(word.data() - candidate.data()) + word.size();
    quiet += candidate.substr(copied, end - copied) + " -verbose";
    copied = end;
  }
  return quiet + candidate.substr(copied);
}

ProbeText BuildProbe(const std::string& tactics, const std::vector<std::string>& candidates) {
  ProbeText probe{.text = tactics, .case_lines = {}};
  if (!probe.text.empty() && probe.text.back() != '\n') probe.text += '\n';
  std::string binders, holes;
  for (size_t i = 0; i < candidates.size(); ++i) {
    binders += fmt::format("c{} ", i + 1);
    holes += fmt::format(" ?zc{}", i + 1);
  }
  probe.text += fmt::format("refine (fun {{p : Sort _}} ({}cz : p) => cz){} ?{}\n", binders, holes,
                            kSentinel);
  auto line = static_cast<uint32_t>(std::count(probe.text.begin(), probe.text.end(), '\n'));
  for (size_t i = 0; i < candidates.size(); ++i) {
    probe.case_lines.push_back(line);
    probe.text += fmt::format("case zc{} =>\n", i + 1);
    std::string lines = Indented(WithKernelIfNeeded(WithoutDiagnosis(candidates[i])));
    if (!lines.empty() && lines.back() != '\n') lines += '\n';
    line += 1 + static_cast<uint32_t>(std::count(lines.begin(), lines.end(), '\n'));
    probe.text += lines;
  }
  probe.case_lines.push_back(line);
  probe.text += fmt::format("case {} => fail \"{}\"", kSentinel, kSentinel);
  return probe;
}

std::string Suggestion(const std::string& message) {
  constexpr std::string_view kTryThis = "Try this:";
  const size_t at = message.find(kTryThis);
  if (at == std::string::npos) return "";
  std::string_view rest = std::string_view(message).substr(at + kTryThis.size());
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n')) rest.remove_prefix(1);
  if (rest.starts_with("[apply] ")) rest.remove_prefix(8);  // since 4.26 or so
  return std::string(rest.substr(0, rest.find("\n\n")));
}

/// The outcome of one case according to its diagnostics. Lean reports the "unsolved goals" of a
/// case on its first line, and before or after the errors inside, in no fixed order: the message
/// is the first of those inside, if there is any.
ProbeResult Judge(const std::vector<const Diagnostic*>& messages, uint32_t case_line) {
  ProbeResult attempt;
  const Diagnostic* unsolved = nullptr;
  size_t errors = 0;
  for (const Diagnostic* d : messages) {
    if (d->severity == Severity::kInformation && attempt.suggestion.empty()) {
      attempt.suggestion = Suggestion(d->message);
    }
    if (d->severity != Severity::kError) continue;
    ++errors;
    if (d->begin.line == case_line && d->message.starts_with(kUnsolved)) {
      unsolved = d;
    } else if (attempt.message.empty()) {
      attempt.message = d->message;
    }
  }
  if (attempt.message.empty() && unsolved != nullptr) attempt.message = unsolved->message;
  if (errors == 0) {
    attempt.outcome = ProbeResult::Outcome::kClosed;
  } else if (errors == 1 && unsolved != nullptr) {
    attempt.outcome = ProbeResult::Outcome::kOpen;
    attempt.goals = UnsolvedGoals(unsolved->message);
  } else {
    attempt.outcome = ProbeResult::Outcome::kFailed;
  }
  return attempt;
}

/// Groups diagnostics by case; those before the first case are dropped.
std::vector<std::vector<const Diagnostic*>> ByCase(const std::vector<Diagnostic>& diagnostics,
                                                   const std::vector<uint32_t>& case_lines) {
  std::vector<std::vector<const Diagnostic*>> by_case(case_lines.size());
  for (const auto& d : diagnostics) {
    const auto next = std::upper_bound(case_lines.begin(), case_lines.end(), d.begin.line);
    if (next == case_lines.begin()) continue;
    by_case[static_cast<size_t>(next - case_lines.begin()) - 1].push_back(&d);
  }
  return by_case;
}

/// The parts of a probe's document.
Trials TrialsOf(const ProbeText& probe, const syntax::SiteDocument& document) {
  const core::LineIndex lines(document.text);
  const auto begin_of = [&](size_t line) { return lines.LineBegin(document.first_line + line); };
  const auto part = [&](size_t begin, size_t end_line) {
    return document.text.substr(begin, begin_of(end_line) - begin);
  };
  const size_t first_case = probe.case_lines.front();
  Trials trials;
  // The first tactic may follow other code on its line: blanks keep its column.
  if (const size_t split = first_case - 1; split > 0) {
    trials.before =
        std::string(lines.ToCodePoints(document.begin).column, ' ') + part(document.begin, split);
  }
  for (size_t i = 0; i + 1 < probe.case_lines.size(); ++i) {
    trials.candidates.push_back(part(begin_of(probe.case_lines[i] + 1), probe.case_lines[i + 1]));
  }
  trials.after = part(begin_of(first_case), first_case + 1);
  return trials;
}

}  // namespace

bool SearchesLibrary(std::string_view tactic) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"exact?", "apply?", "rw?"},
      [&](std::string_view search) { return tactic.find(search) != std::string_view::npos; });
}

StateHole HoleAt(const syntax::ProofSite& site) {
  syntax::SiteDocument document = site.ForSearch("sorry");
  return {.text = std::move(document.text), .byte = document.begin};
}

std::vector<ProbeResult> ResultsOf(const CheckResult& checked,
                                   const std::vector<uint32_t>& first_lines) {
  const auto by_case = ByCase(checked.diagnostics, first_lines);
  std::vector<ProbeResult> results;
  for (size_t i = 0; i + 1 < by_case.size(); ++i) {
    results.push_back(Judge(by_case[i], first_lines[i]));
  }
  return results;
}

ProbeResult ResultOf(const StateRun& run) {
  ProbeResult result;
  if (run.cut()) {
    result.outcome = ProbeResult::Outcome::kSlow;
    result.message = kTooSlow;
    return result;
  }
  std::vector<const Diagnostic*> messages;
  for (const Diagnostic& d : run.syntax_errors) messages.push_back(&d);
  for (const TacticStep& step : run.steps) {
    for (const Diagnostic& d : step.messages) messages.push_back(&d);
  }
  const bool failed = !run.steps.empty() && !run.steps.back().state;
  constexpr uint32_t kCaseLine = UINT32_MAX;
  Diagnostic left{.severity = Severity::kError, .begin = {.line = kCaseLine}};
  left.message = UnsolvedMessage(run.goals);
  if (!run.goals.empty() && !failed) messages.push_back(&left);
  result = Judge(messages, kCaseLine);
  // A tactic may give up without an error of its own.
  if (failed && result.outcome == ProbeResult::Outcome::kClosed) {
    result.outcome = ProbeResult::Outcome::kFailed;
  }
  return result;
}

Task<Result<std::optional<std::vector<ProbeResult>>>> Probe(TacticRunner& runner,
                                                            const syntax::ProofSite& site,
                                                            std::string tactics,
                                                            std::vector<std::string> candidates,
                                                            ProbeLimits limits) {
  const ProbeText probe = BuildProbe(tactics, candidates);
  Trials trials = TrialsOf(probe, site.ForSearch(probe.text));
  trials.hole = HoleAt(site);
  trials.limits = limits;
  co_return co_await runner.Try(std::move(trials));
}

std::string JoinedGoals(const std::vector<std::string>& goals) {
  return fmt::format("{}", fmt::join(goals, "\n\n"));
}

std::string UnsolvedMessage(const std::vector<std::string>& goals) {
  return fmt::format("{}\n{}", kUnsolved, JoinedGoals(goals));
}

std::vector<std::string> UnsolvedGoals(const std::string& message) {
  if (!message.starts_with(kUnsolved)) return {};
  std::vector<std::string> goals;
  std::string_view rest = std::string_view(message).substr(kUnsolved.size());
  while (!rest.empty()) {
    while (rest.starts_with('\n')) rest.remove_prefix(1);
    const size_t end = std::min(rest.find("\n\n"), rest.size());
    if (end > 0) goals.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return goals;
}

Task<Result<HoleGoals>> GoalsAt(Checker& checker, const syntax::ProofSite& site,
                                core::Deadline deadline, core::Cancellation* cancellation) {
  const syntax::SiteDocument document = site.ForSearch("skip");
  CheckRequest request;
  request.text = document.text;
  request.deadline = deadline;
  request.cancellation = cancellation;
  const auto checked = co_await checker.Check(std::move(request));
  if (!checked) co_return core::Fail(checked.error());
  HoleGoals found;
  found.message = "Lean reports no goal at this sorry";
  for (const Diagnostic& d : checked->diagnostics) {
    if (d.severity != Severity::kError || !document.InDeclaration(d.begin)) continue;
    found.goals = UnsolvedGoals(d.message);
    if (!found.goals.empty()) break;
    found.message = d.message;
  }
  co_return found;
}

Task<Result<std::vector<ProbeResult>>> Probe(Checker& checker, const syntax::ProofSite& site,
                                             std::string tactics,
                                             std::vector<std::string> candidates,
                                             ProbeLimits limits) {
  std::vector<ProbeResult> attempts(candidates.size());
  // Each round decides at least one more candidate or is the last. A candidate that kills Lean may
  // be decided before those above it.
  for (size_t settled = 0; settled < candidates.size();) {
    const ProbeText probe = BuildProbe(tactics, candidates);
    const syntax::SiteDocument document = site.ForSearch(probe.text, limits.heartbeats);
    std::vector<uint32_t> case_lines = probe.case_lines;
    for (uint32_t& line : case_lines) line += document.first_line;
    CheckRequest request;
    request.text = document.text;
    request.deadline = limits.deadline;
    request.cancellation = limits.cancellation;
    InParts parts;
    parts.first_lines = case_lines;
    parts.limit = limits.per_candidate;
    parts.before = tactics;
    parts.candidates = candidates;
    request.extent = std::move(parts);
    const auto checked = co_await checker.Check(std::move(request));
    if (!checked) {
      if (checked.error().code == core::ErrorCode::kTimeout) break;
      co_return core::Fail(checked.error());
    }
    const auto by_case = ByCase(checked->diagnostics, case_lines);
    const auto judge_until = [&](size_t end) {
      for (; settled < end; ++settled) {
        if (attempts[settled].outcome != ProbeResult::Outcome::kUnknown) continue;
        attempts[settled] = Judge(by_case[settled], case_lines[settled]);
      }
    };
    const auto set_aside = [&](size_t index, ProbeResult::Outcome outcome, std::string message) {
      attempts[index] = ProbeResult{};
      attempts[index].outcome = outcome;
      attempts[index].message = std::move(message);
      candidates[index] = kNothing;
    };
    if (checked->crashed) {  // what Lean had to say of the others may be lost
      const size_t culprit = *checked->stalled_part;
      if (culprit >= candidates.size() || candidates[culprit] == kNothing) {
        co_return core::Fail(core::ErrorCode::kCrashed, "Lean crashed twice on a probe");
      }
      set_aside(culprit, ProbeResult::Outcome::kFailed, "Lean crashes");
      attempts[culprit].crashed = true;
      continue;
    }
    if (checked->stalled_part) {
      size_t slow = std::min(*checked->stalled_part, candidates.size());
      if (slow == candidates.size()) {  // the sentinel takes no time
        const bool is_silent = by_case[slow - 1].empty() && candidates[slow - 1] != kNothing;
        if (is_silent) --slow;  // Lean is still printing what is wrong with the last candidate
      }
      judge_until(slow);
      if (slow == candidates.size()) break;
      set_aside(slow, ProbeResult::Outcome::kSlow, kTooSlow);
      settled = slow + 1;
      continue;
    }
    const auto& last = by_case.back();
    const bool reached_the_end = std::any_of(last.begin(), last.end(), [](const Diagnostic* d) {
      return d->severity == Severity::kError && d->message.find(kSentinel) != std::string::npos;
    });
    if (reached_the_end) {
      judge_until(candidates.size());
      break;
    }
    // Lean stopped early, usually at a syntax error: the culprit is the last case with any
    // diagnostic.
    size_t culprit = candidates.size();
    for (size_t i = settled; i < candidates.size(); ++i) {
      if (!by_case[i].empty() && candidates[i] != kNothing) culprit = i;
    }
    if (culprit == candidates.size()) break;  // the tactics before the cases failed
    judge_until(culprit);
    set_aside(culprit, ProbeResult::Outcome::kFailed, by_case[culprit].front()->message);
    settled = culprit + 1;
  }
  co_return attempts;
}

}  // namespace zermelo::lean
