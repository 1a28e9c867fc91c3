#include "syntax/section_context.h"

#include <algorithm>

#include "syntax/declarations.h"

namespace zermelo::syntax {

std::set<std::string, std::less<>> MentionedIn(const LexedCode& code, size_t begin, size_t end) {
  std::set<std::string, std::less<>> names;
  for (size_t i = begin; i < end; ++i) {
    if (code.tokens[i].kind != TokenKind::kWord) continue;
    const auto components = NameComponents(TextOf(code.text, code.tokens[i]));
    if (!components.empty()) names.emplace(components.front());
  }
  return names;
}

SectionContext::SectionContext(std::string_view before) {
  const LexedCode code(before);
  const auto commands = FindCommands(code.text, code.tokens);
  for (size_t c = 0; c < commands.size(); ++c) {
    const size_t end = c + 1 < commands.size() ? commands[c + 1].begin : code.tokens.size();
    Follow(code, commands[c], end);
  }
}

void SectionContext::Follow(const LexedCode& code, const Command& command, size_t end) {
  const std::string_view word = code.Word(command.keyword);
  if (command.keyword != command.begin && word != "section") return;  // `noncomputable section`
  if (!IsDeclarationKeyword(word)) Follow(code, word, command.keyword + 1, end);
}

void SectionContext::Follow(const LexedCode& code, std::string_view word, size_t begin,
                            size_t end) {
  if (word == "section" || word == "namespace" || word == "mutual") {
    for (size_t n = ScopesIn(code, word, begin, end); n > 0; --n) scopes_.push_back(Now());
  } else if (word == "end") {
    for (size_t n = ScopesIn(code, word, begin, end); n > 0 && !scopes_.empty(); --n) Leave();
  } else if (word == "variable") {
    for (Variable& variable : VariablesIn(code, begin, end))
      variables_.push_back(std::move(variable));
  } else if (word == "universe" || word == "universes") {
    for (size_t i = begin; i < end; ++i) universes_.emplace_back(code.Word(i));
  } else if (word == "include") {
    for (size_t i = begin; i < end; ++i) included_.emplace_back(code.Word(i));
  }
}

bool SectionContext::HasUniverse(std::string_view name) const {
  return std::find(universes_.begin(), universes_.end(), name) != universes_.end();
}

std::string SectionContext::BindersFor(Names mentioned) const {
  mentioned.insert(included_.begin(), included_.end());
  std::vector<bool> taken(variables_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (taken[i] || !Wanted(variables_[i], mentioned)) continue;
      taken[i] = changed = true;
      mentioned.insert(variables_[i].mentioned.begin(), variables_[i].mentioned.end());
    }
  }
  std::string binders;
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (taken[i] && !IsUpdate(i)) binders += variables_[i].text + " ";
  }
  return binders;
}

std::vector<SectionContext::Variable> SectionContext::VariablesIn(const LexedCode& code,
                                                                  size_t begin, size_t end) {
  std::vector<Variable> variables;
  for (size_t i = begin; i < end;) {
    const std::string_view word = code.Word(i);
    const bool bracket = OpeningBracket(word) != BracketKind::kNone;
    const size_t next = bracket ? code.AfterBracket(i, end) : i + 1;
    Variable variable;
    variable.text = code.Slice(i, next);
    variable.instance = word == "[";
    variable.mentioned = MentionedIn(code, i, next);
    const size_t colon = bracket ? code.Colon(i + 1, next) : next;
    if (!variable.instance || colon < next) variable.names = MentionedIn(code, i, colon);
    variables.push_back(std::move(variable));
    i = next;
  }
  return variables;
}

/// Number of scopes that a command opens or closes: two for `namespace A.B`.
size_t SectionContext::ScopesIn(const LexedCode& code, std::string_view word, size_t begin,
                                size_t end) {
  const bool named = begin < end && code.tokens[begin].kind == TokenKind::kWord && word != "mutual";
  return named ? std::max<size_t>(NameComponents(code.Word(begin)).size(), 1) : 1;
}

void SectionContext::Leave() {
  variables_.resize(scopes_.back().variables);
  universes_.resize(scopes_.back().universes);
  included_.resize(scopes_.back().included);
  scopes_.pop_back();
}

bool SectionContext::Bound(const std::string& name, size_t before) const {
  return std::any_of(variables_.begin(), variables_.begin() + static_cast<ptrdiff_t>(before),
                     [&](const Variable& v) { return v.names.contains(name); });
}

/// An instance is included if all variables that it mentions are.
bool SectionContext::Wanted(const Variable& variable, const Names& mentioned) const {
  const auto is_mentioned = [&](const std::string& name) { return mentioned.contains(name); };
  if (std::any_of(variable.names.begin(), variable.names.end(), is_mentioned)) return true;
  return variable.instance &&
         std::all_of(variable.mentioned.begin(), variable.mentioned.end(), [&](const auto& name) {
           return is_mentioned(name) || variable.names.contains(name) ||
                  !Bound(name, variables_.size());
         });
}

/// `variable {n}` for an existing `n` changes only its binder kind.
bool SectionContext::IsUpdate(size_t i) const {
  const Variable& variable = variables_[i];
  return !variable.instance && variable.text.find(':') == std::string::npos &&
         std::all_of(variable.names.begin(), variable.names.end(),
                     [&](const auto& name) { return Bound(name, i); });
}

}  // namespace zermelo::syntax
