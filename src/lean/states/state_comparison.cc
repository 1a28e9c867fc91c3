#include "lean/states/state_comparison.h"

#include <algorithm>

#include "lean/probe.h"

namespace zermelo::lean {

namespace {

/// The first error for which `counts`; null if there is none.
template <class Predicate>
const Diagnostic* FirstErrorOf(const std::vector<Diagnostic>& messages, Predicate counts) {
  const Diagnostic* first = nullptr;
  for (const Diagnostic& d : messages) {
    if (d.severity != Severity::kError || !counts(d)) continue;
    if (first == nullptr || d.begin < first->begin) first = &d;
  }
  return first;
}

bool Fails(const TacticStep& step) { return !step.state || HasErrors(step.messages); }

}  // namespace

StateComparison::StateComparison(std::string_view before, std::string_view tactics,
                                 const StateRun& run)
    : run_(run), first_line_(static_cast<uint32_t>(std::ranges::count(before, '\n'))) {
  good_ = static_cast<size_t>(std::ranges::find_if(run.steps, Fails) - run.steps.begin());
  failed_ = good_ < run.steps.size();
  const size_t compared = failed_ ? good_ + 1 : good_;
  const size_t end =
      compared == 0 ? 0 : OffsetOf(core::LineIndex(tactics), run.steps[compared - 1].end);
  request_.text = std::string(before) + std::string(tactics.substr(0, end)) + "\n";
  for (size_t i = 1; i < compared; ++i) {
    request_.goals_at.push_back(InDocument(run.steps[i].begin));
  }
}

Position StateComparison::InDocument(Position at) const {
  return {.line = at.line + first_line_, .character = at.character};
}

std::string StateComparison::Difference(const CheckResult& checked) const {
  for (size_t i = 0; i < checked.goals.size(); ++i) {
    if (checked.goals[i] != run_.steps[i].goals) {
      return "the state after tactic " + std::to_string(i + 1);
    }
  }
  // Goals that are left are reported at the `by`, before the tactics.
  const Diagnostic* theirs = FirstErrorOf(checked.diagnostics, [&](const Diagnostic& d) {
    return (d.begin.line >= first_line_) == failed_;
  });
  if (!failed_) {
    const auto left =
        theirs == nullptr ? std::vector<std::string>() : UnsolvedGoals(theirs->message);
    return left == run_.steps.back().goals ? "" : "the last state";
  }
  const Diagnostic* ours =
      FirstErrorOf(run_.steps[good_].messages, [](const Diagnostic&) { return true; });
  if (ours == nullptr || theirs == nullptr) return "that only one has an error";
  if (InDocument(ours->begin) != theirs->begin) return "the place of the error";
  return ours->message == theirs->message ? "" : "the message of the error";
}

}  // namespace zermelo::lean
