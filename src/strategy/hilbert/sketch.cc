#include "strategy/hilbert/sketch.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/text.h"
#include "syntax/declarations.h"
#include "syntax/goal/goal.h"
#include "syntax/lexer.h"
#include "syntax/proof/proof_text.h"
#include "syntax/words.h"

namespace zermelo::strategy {

namespace {

using syntax::Token;

/// The offset after `:=` of a `have` or `obtain` with a statement; kNowhere if there is none.
size_t ProofOfHave(std::string_view code) {
  const auto tokens = syntax::LexCode(code);
  const auto first = syntax::WordAt(code, tokens, 0);
  if (first != "have" && first != "obtain") return syntax::kNowhere;
  bool has_type = false;
  int depth = 0;
  for (const Token& token : tokens) {
    const auto word = syntax::TextOf(code, token);
    depth += syntax::Nesting(word);
    if (depth != 0) continue;
    has_type |= word == ":";
    if (word == ":=") return has_type ? token.end : syntax::kNowhere;
  }
  return syntax::kNowhere;
}

/// Whether the tactic shares no line with another one.
bool StandsAlone(std::string_view text, const syntax::TacticSegment& segment) {
  const size_t before = text.find_last_of('\n', segment.code_begin);
  const size_t line = before == std::string_view::npos || segment.code_begin == 0 ? 0 : before + 1;
  const size_t end = text.find_first_not_of(" \t", segment.end);
  return line == segment.code_begin &&
         (end == std::string_view::npos || text[end] == '\n' || text.substr(end).starts_with("--"));
}

/// The holes of the tactics in a document, in order.
std::vector<syntax::Hole> HolesIn(const syntax::SiteDocument& document) {
  auto tokens = syntax::LexCode(document.text);
  std::erase_if(tokens, [&](const Token& token) {
    return token.begin < document.begin || token.end > document.end;
  });
  return syntax::AnalyzeTactics(document.text, tokens).holes;
}

/// Replaces inaccessible names by accessible ones everywhere: `n✝` becomes `n_1`.
std::string WithNames(std::string_view goal) {
  return syntax::RenameInaccessible(goal, [](const syntax::InaccessibleName& name) {
    return fmt::format("{}_{}", name.base, name.index + 1);
  });
}

/// Replaces the universe in `Type u_1`, which is not declared, by `_`.
std::string WithoutUniverseNames(std::string_view type) {
  const auto tokens = syntax::LexCode(type);
  std::string out;
  size_t at = 0;
  for (size_t i = 1; i < tokens.size(); ++i) {
    const auto sort = syntax::TextOf(type, tokens[i - 1]), level = syntax::TextOf(type, tokens[i]);
    if ((sort != "Type" && sort != "Sort") || !level.starts_with('u')) continue;
    out += type.substr(at, tokens[i].begin - at);
    out += '_';
    at = tokens[i].end;
  }
  out += type.substr(at);
  return out;
}

}  // namespace

std::string WithSorries(std::string_view tactics) {
  std::string out(tactics);
  auto segments = syntax::SplitTactics(tactics);
  for (auto it = segments.rbegin(); it != segments.rend(); ++it) {
    if (!StandsAlone(tactics, *it)) continue;
    const auto code = tactics.substr(it->code_begin, it->end - it->code_begin);
    const size_t proof = ProofOfHave(code);
    if (proof == syntax::kNowhere) continue;
    out.replace(it->code_begin + proof, it->end - it->code_begin - proof, " by\n  sorry");
  }
  return out;
}

Sketch SketchOf(std::string tactics, const syntax::SiteDocument& document,
                const lean::CheckResult& checked) {
  Sketch sketch;
  sketch.tactics = std::move(tactics);
  const core::LineIndex lines(document.text);
  std::map<size_t, std::string> goals;  // by place
  for (const lean::SorryGoals& sorry : checked.sorries) {
    if (sorry.goals.empty()) continue;
    goals[OffsetOf(lines, sorry.at)] = sorry.goals.front();
  }
  std::set<std::string> names;
  for (const syntax::Hole& hole : HolesIn(document)) {
    const std::string base = hole.label.empty() ? "step" : hole.label;
    std::string name = base;
    for (size_t n = 2; !names.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
    sketch.holes.push_back({.name = std::move(name), .goal = goals[hole.begin]});
  }
  return sketch;
}

std::vector<Statement> TheoremsIn(std::string_view code) {
  std::vector<Statement> theorems;
  for (const syntax::Declaration& declaration : syntax::FindDeclarations(code)) {
    if (!declaration.IsTheorem()) continue;
    const auto parts = syntax::NameComponents(declaration.name);
    if (parts.empty()) continue;
    const std::string signature = syntax::WithoutComments(code.substr(
        declaration.signature.begin, declaration.signature.end - declaration.signature.begin));
    theorems.push_back({.name = std::string(parts.back()), .signature = signature});
  }
  return theorems;
}

std::optional<StateTheorem> TheoremOfState(std::string_view goal) {
  const auto state = syntax::ParseProofState(WithNames(goal));
  if (state.goals.empty() || state.goals.front().target.empty()) return std::nullopt;
  StateTheorem theorem;
  for (const syntax::Hypothesis& hypothesis : state.goals.front().hypotheses) {
    const std::string type = WithoutUniverseNames(hypothesis.type);
    for (const std::string& name : hypothesis.names) {
      if (name.starts_with("inst_")) {
        theorem.signature += fmt::format("[{}] ", type);
        continue;
      }
      theorem.signature += fmt::format("({} : {}) ", name, type);
      theorem.arguments += " " + name;
      if (hypothesis.value.empty()) continue;
      theorem.signature += fmt::format("({0}_eq : {0} = {1}) ", name, hypothesis.value);
      theorem.arguments += " rfl";
    }
  }
  theorem.signature += ": " + WithoutUniverseNames(state.goals.front().target);
  return theorem;
}

std::string Assembled(const Sketch& sketch, const std::vector<Statement>& theorems) {
  std::string tactics = sketch.tactics;
  const auto holes = syntax::AnalyzeTactics(tactics, syntax::LexCode(tactics)).holes;
  for (size_t i = holes.size(); i-- > 0;) {
    if (i >= theorems.size() || i >= sketch.holes.size()) continue;
    const std::string& name = theorems[i].name;
    const auto state = TheoremOfState(sketch.holes[i].goal);
    const bool as_printed =
        state && syntax::TokenKey(state->signature) == syntax::TokenKey(theorems[i].signature);
    const std::string tactic =
        as_printed ? fmt::format("exact {}{}", name, state->arguments)
                   : fmt::format("first | exact {0} | (apply {0} <;> assumption)", name);
    tactics = syntax::SpliceProof(tactics, holes[i], tactic).text;
  }
  return tactics;
}

size_t CountLines(std::string_view tactics) {
  size_t lines = 0;
  size_t last = syntax::kNowhere;
  for (const Token& token : syntax::LexCode(tactics)) {
    if (token.line != last) ++lines;
    last = token.line;
  }
  return lines;
}

std::vector<std::string> UnknownNames(const std::vector<lean::Diagnostic>& diagnostics) {
  std::vector<std::string> names;
  for (const lean::Diagnostic& d : diagnostics) {
    if (d.severity != lean::Severity::kError) continue;
    const std::string_view message(d.message);
    for (const std::string_view what :
         {"unknown identifier", "Unknown identifier", "unknown constant", "Unknown constant",
          "unknown free variable", "Unknown free variable", "invalid field", "Invalid field"}) {
      const size_t at = message.find(what);
      if (at == std::string_view::npos) continue;
      const size_t open = message.find_first_of("`'", at);
      if (open == std::string_view::npos) continue;
      const size_t close = message.find_first_of("`'", open + 1);
      if (close == std::string_view::npos) continue;
      std::string name(message.substr(open + 1, close - open - 1));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace zermelo::strategy
