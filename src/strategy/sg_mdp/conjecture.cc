#include "strategy/sg_mdp/conjecture.h"

#include <algorithm>

#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::strategy {

namespace {

std::optional<Conjecture::Kind> KindOf(std::string_view word) {
  if (word == "have") return Conjecture::Kind::kHave;
  if (word == "suffices") return Conjecture::Kind::kSuffices;
  if (word == "obtain") return Conjecture::Kind::kObtain;
  return std::nullopt;
}

/// What ends the statement: `:=` before a proof, or `from` and `by` after `suffices`.
bool EndsStatement(Conjecture::Kind kind, std::string_view word) {
  if (kind == Conjecture::Kind::kSuffices) return word == "from" || word == "by";
  return word == ":=";
}

/// What no conjecture has outside brackets: several tactics, or a proof in an older form or a
/// match.
bool IsForeign(std::string_view word) {
  static constexpr std::string_view kForeign[] = {"<;>", ";", "|", ":=", "by", "from"};
  return std::ranges::find(kForeign, word) != std::end(kForeign);
}

/// Whether there is code in column 0 after the first line.
bool HasSeveralTactics(std::string_view tactic) {
  for (size_t at = tactic.find('\n'); at != std::string_view::npos;
       at = tactic.find('\n', at + 1)) {
    if (at + 1 < tactic.size() && tactic.find_first_of(" \t\r\n", at + 1) != at + 1) return true;
  }
  return false;
}

std::string_view WithoutBlanksAfter(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

std::string Conjecture::Push() const {
  switch (kind) {
    case Kind::kHave:
      return head + " := ?_";
    case Kind::kSuffices:
      return "have" + head.substr(std::string_view("suffices").size()) + " := ?_";
    case Kind::kObtain:
      return head;
  }
  return head;
}

std::optional<Conjecture> ReadConjecture(std::string_view tactic) {
  const auto tokens = syntax::LexCode(tactic);
  if (tokens.size() < 3) return std::nullopt;
  const auto kind = KindOf(syntax::TextOf(tactic, tokens[0]));
  if (!kind) return std::nullopt;
  if (*kind != Conjecture::Kind::kHave && HasSeveralTactics(tactic)) return std::nullopt;
  Conjecture conjecture{.kind = *kind, .names = {}, .head = {}};
  size_t colon = 0;
  size_t end = tactic.size();
  int depth = 0;
  for (size_t i = 1; i < tokens.size(); ++i) {
    const auto word = syntax::TextOf(tactic, tokens[i]);
    depth += syntax::Nesting(word);
    const bool binds = colon == 0 && (*kind == Conjecture::Kind::kObtain || i == 1);
    if (binds && word != ":" && tokens[i].kind == syntax::TokenKind::kWord) {
      conjecture.names.emplace_back(word);
    }
    if (depth != 0) continue;
    if (word == ":" && colon == 0) {
      colon = i;
    } else if (colon != 0 && EndsStatement(*kind, word)) {
      conjecture.has_proof = true;
      end = tokens[i].begin;
      break;
    } else if (IsForeign(word)) {
      return std::nullopt;
    }
  }
  if (colon == 0 || colon + 1 >= tokens.size()) return std::nullopt;
  if (*kind == Conjecture::Kind::kObtain) {
    if (conjecture.names.empty()) return std::nullopt;
  } else if (colon == 1) {
    conjecture.names = {"this"};
  } else if (tokens[1].kind != syntax::TokenKind::kWord) {
    return std::nullopt;  // a pattern
  }
  conjecture.head = WithoutBlanksAfter(tactic.substr(0, end));
  if (tokens[colon].end >= conjecture.head.size()) return std::nullopt;
  return conjecture;
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

bool Mentions(const std::vector<ProofStep>& steps, size_t begin,
              const std::vector<std::string>& names) {
  for (size_t i = begin; i < steps.size(); ++i) {
    const std::string& tactic = steps[i].tactic;
    for (const auto& token : syntax::LexCode(tactic)) {
      const auto word = syntax::TextOf(tactic, token);
      const bool found = std::ranges::any_of(names, [&](const std::string& name) {
        return word == name ||
               (word.starts_with(name) && word.substr(name.size()).starts_with('.'));
      });
      if (found) return true;
    }
  }
  return false;
}

}  // namespace zermelo::strategy
