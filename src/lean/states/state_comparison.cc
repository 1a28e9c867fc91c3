#include "lean/states/state_comparison.h"

#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>

#include "lean/probe.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_cuts.h"

namespace zermelo::lean {

namespace {

bool Fails(const TacticStep& step) { return !step.state || HasErrors(step.messages); }

/// Place and message of each error for which `counts`, in order.
template <class Predicate>
std::vector<std::pair<Position, std::string>> ErrorsOf(const std::vector<Diagnostic>& messages,
                                                       Predicate counts) {
  std::vector<std::pair<Position, std::string>> errors;
  for (const Diagnostic& d : messages) {
    if (d.severity == Severity::kError && counts(d)) {
      errors.emplace_back(d.begin, Normalized(d.message));
    }
  }
  std::ranges::sort(errors);
  return errors;
}

}  // namespace

std::string Normalized(std::string_view text) {
  constexpr std::string_view kPrivate = "_private.", kNumber = ".0.";
  std::string normalized;
  for (size_t i = 0; i < text.size();) {
    const std::string_view mark = text.substr(i, 3);
    if (mark == "?m." || mark == "?u.") {
      normalized += mark.substr(0, 2);
      i += mark.size();
      while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0) ++i;
    } else if (mark == "\n  ") {
      normalized += ' ';
      i = std::min(text.find_first_not_of(' ', i + 1), text.size());
    } else if (text.substr(i).starts_with(kPrivate) && text.find(kNumber, i) != text.npos) {
      normalized += kPrivate;
      i = text.find(kNumber, i) + kNumber.size();
    } else {
      normalized += text[i++];
    }
  }
  return normalized;
}

std::vector<size_t> GoalPlaces(std::string_view tactics) {
  std::vector<size_t> places;
  for (const syntax::CutPoint& cut : syntax::CutPoints(tactics)) {
    if (cut.next != syntax::kNowhere) places.push_back(cut.next);
  }
  return places;
}

StateComparison::StateComparison(std::string_view before, std::string_view tactics,
                                 const StateRun& run)
    : run_(run), first_line_(static_cast<uint32_t>(std::ranges::count(before, '\n'))) {
  const auto code = syntax::LexCode(before);
  if (!code.empty()) by_ = syntax::PositionAt(core::LineIndex(before), code.back().begin);
  const core::LineIndex lines(tactics);
  good_ = static_cast<size_t>(std::ranges::find_if(run.steps, Fails) - run.steps.begin());
  failed_ = good_ < run.steps.size();
  const size_t steps = failed_ ? good_ + 1 : good_;
  const size_t end = steps == 0 ? 0 : OffsetOf(lines, run.steps[steps - 1].end);
  request_.text = std::string(before) + std::string(tactics.substr(0, end)) + "\n";
  const Diagnostic* error = run.FirstError();
  const size_t wrong = error == nullptr ? end : std::min(end, OffsetOf(lines, error->begin));
  const std::vector<size_t> places = GoalPlaces(tactics);
  for (size_t i = 0; i < std::min(places.size(), run.goals_at.size()); ++i) {
    if (places[i] >= wrong) continue;
    compared_.push_back(i);
    request_.goals_at.push_back(InDocument(syntax::PositionAt(lines, places[i])));
  }
}

Position StateComparison::InDocument(Position at) const {
  return {.line = at.line + first_line_, .character = at.character};
}

std::string StateComparison::Difference(const CheckResult& checked) const {
  const auto same = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::ranges::equal(a, b, {}, Normalized, Normalized);
  };
  for (size_t i = 0; i < checked.goals.size(); ++i) {
    const auto& ours = run_.goals_at[compared_[i]];
    if (!same(checked.goals[i], ours.value_or(std::vector<std::string>()))) {
      return fmt::format("the goals at {}:{}, {} here, {} there", request_.goals_at[i].line + 1,
                         request_.goals_at[i].character, ours.value_or(std::vector<std::string>()),
                         checked.goals[i]);
    }
  }
  // Goals that are left are reported at the `by`.
  const auto theirs = ErrorsOf(checked.diagnostics, [&](const Diagnostic& d) {
    return failed_ ? d.begin.line >= first_line_ : d.begin == by_;
  });
  if (!failed_) {
    const auto left =
        theirs.empty() ? std::vector<std::string>() : UnsolvedGoals(theirs.front().second);
    return same(left, run_.steps.empty() ? run_.goals : run_.steps.back().goals) ? ""
                                                                                 : "the last state";
  }
  auto ours = ErrorsOf(run_.steps[good_].messages, [](const Diagnostic&) { return true; });
  for (auto& [place, message] : ours) place = InDocument(place);
  if (ours == theirs) return "";
  std::string difference = "the errors:";
  for (const auto& [place, message] : ours)
    difference += fmt::format("\n{}:{}: {}", place.line + 1, place.character, message);
  return difference;
}

}  // namespace zermelo::lean
