#include "strategy/sg_mdp/conjecture.h"

#include <algorithm>

#include "syntax/lexer.h"

namespace zermelo::strategy {

namespace {

/// +1 for an opening bracket, -1 for a closing one.
int Nesting(std::string_view word) {
  static constexpr std::string_view kOpen[] = {"(", "[", "{", "⟨", "⦃"};
  static constexpr std::string_view kClose[] = {")", "]", "}", "⟩", "⦄"};
  if (std::ranges::find(kOpen, word) != std::end(kOpen)) return 1;
  return std::ranges::find(kClose, word) != std::end(kClose) ? -1 : 0;
}

}  // namespace

std::optional<Conjecture> ReadConjecture(std::string_view tactic) {
  const auto tokens = syntax::LexCode(tactic);
  if (tokens.size() < 3 || syntax::TextOf(tactic, tokens[0]) != "have") return std::nullopt;
  Conjecture conjecture;
  size_t colon = 0;
  size_t end = tactic.size();
  int depth = 0;
  for (size_t i = 1; i < tokens.size(); ++i) {
    const auto word = syntax::TextOf(tactic, tokens[i]);
    depth += Nesting(word);
    if (depth != 0) continue;
    if (word == ":" && colon == 0) colon = i;
    if (word == "<;>" || word == ";") return std::nullopt;
    if (word == ":=" || word == "|") {
      if (word == "|" || colon == 0) return std::nullopt;
      conjecture.has_proof = true;
      end = tokens[i].begin;
      break;
    }
    // A proof without `:=`, as in Lean 4 before 2023, or a match.
    if (word == "by" || word == "from") return std::nullopt;
  }
  if (colon == 0) return std::nullopt;
  const auto first = syntax::TextOf(tactic, tokens[1]);
  if (colon > 1 && tokens[1].kind != syntax::TokenKind::kWord) return std::nullopt;  // a pattern
  conjecture.name = colon == 1 ? "this" : std::string(first);
  conjecture.head = tactic.substr(0, tactic.find_last_not_of(" \t\r\n", end - 1) + 1);
  if (colon + 1 < tokens.size() && tokens[colon].end < conjecture.head.size()) return conjecture;
  return std::nullopt;
}

bool IsHeuristic(std::string_view tactic) {
  const auto tokens = syntax::LexCode(tactic);
  if (tokens.empty()) return false;
  if (syntax::TextOf(tactic, tokens[0]).ends_with('?')) return true;
  return tokens.size() > 1 && syntax::TextOf(tactic, tokens[1]) == "?" &&
         tokens[0].end == tokens[1].begin;
}

std::vector<ProofStep> Without(const std::vector<ProofStep>& steps, size_t index) {
  size_t end = index + 1;
  if (steps[index].goals_left > 1) {
    // Skip the first goal's proof: the steps that close it and all goals that they leave open.
    for (size_t open = 1; open > 0 && end < steps.size(); ++end) open += steps[end].goals_left - 1;
  }
  std::vector<ProofStep> rest(steps.begin(), steps.begin() + static_cast<long>(index));
  rest.insert(rest.end(), steps.begin() + static_cast<long>(end), steps.end());
  return rest;
}

bool Mentions(const std::vector<ProofStep>& steps, size_t begin, std::string_view name) {
  for (size_t i = begin; i < steps.size(); ++i) {
    const std::string& tactic = steps[i].tactic;
    for (const auto& token : syntax::LexCode(tactic)) {
      const auto word = syntax::TextOf(tactic, token);
      if (word == name || (word.starts_with(name) && word.substr(name.size()).starts_with('.'))) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace zermelo::strategy
