#include "strategy/step_states.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hash/hash.h"
#include "core/text.h"
#include "syntax/goal/goal.h"
#include "syntax/goal/metavariables.h"
#include "syntax/lexer.h"

namespace zermelo::strategy {

using lean::ProbeResult;

namespace {

/// Equal for equal goals.
uint64_t GoalHash(const std::string& goal) {
  return core::Hash64(syntax::WithoutHypothesisNames(syntax::WithoutCase(goal)));
}

}  // namespace

bool IsHeuristic(std::string_view tactic) {
  const auto tokens = syntax::LexCode(tactic);
  if (tokens.empty() || tactic.find('\n') != std::string_view::npos) return false;
  const auto text = [&](size_t i) { return syntax::TextOf(tactic, tokens[i]); };
  const bool is_one_word = text(0).ends_with('?');
  const bool is_two = tokens.size() > 1 && text(1) == "?" && tokens[0].end == tokens[1].begin;
  if (!is_one_word && !is_two) return false;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (text(i).find(';') != std::string_view::npos || text(i) == "<|>") return false;
  }
  return true;
}

std::optional<Successor> Apply(const std::vector<std::string>& goals,
                               const policy::Candidate& candidate, const ProbeResult& attempt) {
  if (attempt.outcome != ProbeResult::Outcome::kClosed &&
      attempt.outcome != ProbeResult::Outcome::kOpen) {
    return std::nullopt;
  }
  // Lines before it may name hypotheses.
  const std::string& tactic = candidate.tactic;
  const size_t line = tactic.rfind('\n') + 1;
  const bool replaced = attempt.outcome == ProbeResult::Outcome::kClosed &&
                        !attempt.suggestion.empty() && IsHeuristic(tactic.substr(line));
  Successor next;
  next.step.tactic = replaced ? tactic.substr(0, line) + attempt.suggestion : tactic;
  next.step.goals_left = attempt.goals.size();
  next.goals = attempt.goals;
  next.goals.insert(next.goals.end(), goals.begin() + 1, goals.end());
  return next;
}

std::vector<bool> LaterGoalsLeft(const std::vector<std::string>& before,
                                 const std::vector<std::string>& after) {
  std::vector<bool> left(before.size(), false);
  const auto plain = [](const std::string& goal) {
    return core::WithSingleBlanks(syntax::WithoutCase(goal));
  };
  size_t end = after.size();
  for (size_t i = before.size(); i-- > 1 && end > 0;) {  // a tactic keeps their order
    left[i] = syntax::MayHaveBecome(plain(before[i]), plain(after[end - 1]));
    end -= left[i] ? 1 : 0;
  }
  return left;
}

StepStates::StepStates(const std::vector<std::string>& goals) { Add(0, {}, "", goals); }

StateId StepStates::Add(StateId parent, const ProofStep& step, const std::string& origin,
                        const std::vector<std::string>& goals) {
  State state;
  state.parent = parent;
  state.tactic = Intern(step.tactic);
  state.origin = Intern(origin);
  state.goals_left = static_cast<uint32_t>(step.goals_left);
  state.depth = states_.empty() ? 0 : states_[parent].depth + 1;
  for (const std::string& goal : goals) state.goals.push_back(InternGoal(goal));
  const auto id = static_cast<StateId>(states_.size());
  first_with_.try_emplace(KeysOf(state.goals), id);
  states_.push_back(std::move(state));
  return id;
}

std::optional<StateId> StepStates::Find(const std::vector<std::string>& goals) const {
  std::vector<Key> keys;
  for (const std::string& goal : goals) keys.push_back(GoalHash(goal));
  const auto found = first_with_.find(keys);
  if (found == first_with_.end()) return std::nullopt;
  return found->second;
}

bool StepStates::HasKnownRest(StateId state) const {
  const auto keys = KeysOf(states_[state].goals);
  for (size_t first = 1; first < keys.size(); ++first) {
    if (first_with_.contains({keys.begin() + static_cast<long>(first), keys.end()})) return true;
  }
  return false;
}

std::vector<std::string> StepStates::Goals(StateId state) const {
  std::vector<std::string> goals;
  for (const TextId goal : states_[state].goals) goals.push_back(*texts_[goal]);
  return goals;
}

std::vector<ProofStep> StepStates::Steps(StateId state) const {
  std::vector<ProofStep> steps;
  for (; state != 0; state = states_[state].parent) {
    steps.push_back({*texts_[states_[state].tactic], states_[state].goals_left});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::vector<std::string> StepStates::Origins(StateId state) const {
  std::vector<std::string> origins;
  for (; state != 0; state = states_[state].parent)
    origins.push_back(*texts_[states_[state].origin]);
  std::reverse(origins.begin(), origins.end());
  return origins;
}

std::vector<ProofMove> StepStates::MovesTo(StateId state, const ProofStep& last,
                                           const std::string& origin) const {
  const auto move = [&](StateId from, const std::string& tactic, size_t goals_left,
                        const std::string& by) {
    const auto& goals = states_[from].goals;
    return ProofMove{goals.empty() ? "" : syntax::WithoutCase(*texts_[goals.front()]), tactic,
                     goals_left == 0, by};
  };
  std::vector<ProofMove> moves{move(state, last.tactic, last.goals_left, origin)};
  for (; state != 0; state = states_[state].parent) {
    const State& next = states_[state];
    moves.push_back(move(next.parent, *texts_[next.tactic], next.goals_left, *texts_[next.origin]));
  }
  std::reverse(moves.begin(), moves.end());
  return moves;
}

policy::StepContext StepStates::ContextOf(const Problem& problem, StateId state) const {
  policy::StepContext context = problem.context;
  context.depth = static_cast<int>(depth(state));
  context.printed = fmt::format("{}", fmt::join(Goals(state), "\n\n"));
  context.prefix = IndentedText(Steps(state));
  context.state = syntax::ParseProofState(context.printed);
  return context;
}

StepStates::TextId StepStates::Intern(const std::string& text) {
  if (const auto known = text_ids_.find(text); known != text_ids_.end()) return known->second;
  const auto id = static_cast<TextId>(texts_.size());
  texts_.push_back(&text_ids_.emplace(text, id).first->first);
  return id;
}

StepStates::TextId StepStates::InternGoal(const std::string& goal) {
  const TextId id = Intern(goal);
  if (!keys_.contains(id)) keys_.emplace(id, GoalHash(goal));
  return id;
}

std::vector<StepStates::Key> StepStates::KeysOf(const std::vector<TextId>& goals) const {
  std::vector<Key> keys;
  for (const TextId goal : goals) keys.push_back(keys_.at(goal));
  return keys;
}

void RecordTrials(const Limits& limits, const StepStates& states, StateId state,
                  const std::vector<policy::Candidate>& tactics,
                  const std::vector<ProbeResult>& attempts) {
  if (!limits.records_tactics()) return;
  std::vector<std::string> passed, failed;
  for (size_t i = 0; i < attempts.size(); ++i) {
    const auto outcome = attempts[i].outcome;
    if (outcome == ProbeResult::Outcome::kFailed) failed.push_back(tactics[i].tactic);
    if (outcome == ProbeResult::Outcome::kClosed || outcome == ProbeResult::Outcome::kOpen) {
      passed.push_back(tactics[i].tactic);
    }
  }
  const auto goals = fmt::format("{}", fmt::join(states.Goals(state), "\n\n"));
  limits.Append(event::kAttempted, {{"node", state},
                                    {"prefix", FlatText(states.Steps(state))},
                                    {"state", goals},
                                    {"passed", passed},
                                    {"failed", failed}});
}

}  // namespace zermelo::strategy
