#include "syntax/negation.h"

#include <algorithm>
#include <vector>

#include "syntax/declarations.h"
#include "syntax/section_context.h"
#include "syntax/words.h"

namespace zermelo::syntax {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

/// Words in the place of a universe level: after `Type` and `Sort`, and in `.{…}`.
std::vector<std::string> UniversesIn(const LexedCode& code, size_t begin, size_t end) {
  std::vector<std::string> names;
  const auto add = [&](size_t i) {
    const bool is_name = code.tokens[i].kind == TokenKind::kWord && code.Word(i) != "max" &&
                         code.Word(i) != "imax" && code.Word(i) != "_";
    const std::string name(code.Word(i));
    if (is_name && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (size_t i = begin; i + 1 < end; ++i) {
    const std::string_view word = code.Word(i), next = code.Word(i + 1);
    const bool sort = word == "Type" || word == "Sort";
    const bool list = word == "." && next == "{" && code.tokens[i].end == code.tokens[i + 1].begin;
    if (sort && next != "(") add(i + 1);
    if (!list && !(sort && next == "(")) continue;
    const size_t close = code.AfterBracket(i + 1, end);
    for (size_t j = i + 2; j + 1 < close; ++j) add(j);
  }
  return names;
}

/// The parts of a declaration, as tokens.
struct Parts {
  size_t binders = 0, colon = 0, end = 0;
  std::vector<std::string> universes;  // `.{u, v}`
};

std::string Joined(const std::vector<std::string>& words, std::string_view between) {
  std::string joined;
  for (const std::string& word : words) joined.append(joined.empty() ? "" : between).append(word);
  return joined;
}

/// A statement on several lines keeps its columns, since layout may matter.
std::string Quantified(const LexedCode& code, const std::string& variables, const Parts& parts) {
  const std::string_view own = code.Slice(parts.binders, parts.colon);
  std::string_view type = code.Slice(parts.colon + 1, parts.end);
  std::string text = "¬ (";
  if (!variables.empty() || !own.empty()) text.append("∀ ").append(variables).append(own);
  if (text.ends_with(' ')) text.pop_back();
  if (!variables.empty() || !own.empty()) text += ", ";
  if (type.find('\n') == std::string_view::npos) return text.append(type) + ")";
  return text.append("\n").append(code.tokens[parts.colon + 1].column, ' ').append(type) + ")";
}

size_t TokenAt(const LexedCode& code, size_t offset) {
  const auto at =
      std::lower_bound(code.tokens.begin(), code.tokens.end(), offset,
                       [](const Token& token, size_t wanted) { return token.begin < wanted; });
  return static_cast<size_t>(at - code.tokens.begin());
}

/// The `open … in` and `set_option … in` before the keyword, one per line; the other chained
/// commands change the context.
std::string ReadChain(const LexedCode& code, const Declaration& theorem, SectionContext& context) {
  static constexpr WordSet kChained(
      {"include", "omit", "open", "set_option", "universe", "variable"});
  std::string chain;
  const size_t head = TokenAt(code, theorem.signature.begin);
  for (size_t i = TokenAt(code, theorem.range.begin); i < head; ++i) {
    const std::string_view word = code.Word(i);
    if (!kChained.Contains(word)) continue;
    const size_t begin = i;
    while (i < head && code.Word(i) != "in") ++i;
    context.Follow(code, word, begin + 1, i);
    if (word == "open" || word == "set_option") chain.append(code.Slice(begin, i + 1)).append("\n");
  }
  return chain;
}

Parts ReadParts(const LexedCode& code, const Declaration& theorem) {
  Parts parts;
  parts.binders = TokenAt(code, theorem.signature.begin);
  parts.end = TokenAt(code, theorem.signature.end);
  if (code.Word(parts.binders) == "." && code.Word(parts.binders + 1) == "{") {
    const size_t after = code.AfterBracket(parts.binders + 1, parts.end);
    for (size_t i = parts.binders; i < after; ++i) {
      if (code.tokens[i].kind == TokenKind::kWord) parts.universes.emplace_back(code.Word(i));
    }
    parts.binders = after;
  }
  parts.colon = code.Colon(parts.binders, parts.end);
  return parts;
}

/// Adds the universes that Lean would bind automatically.
void AddUniverses(const std::vector<std::string>& names, const SectionContext& context,
                  Parts& parts) {
  auto& known = parts.universes;
  for (const std::string& name : names) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (!is_known && !context.HasUniverse(name)) known.push_back(name);
  }
}

}  // namespace

Result<std::string> NegationOf(std::string_view declaration, std::string_view new_name,
                               std::string_view before) {
  const auto found = FindDeclarations(declaration);
  const auto theorem = std::find_if(found.begin(), found.end(),
                                    [](const auto& d) { return d.IsTheoremOrExample(); });
  if (theorem == found.end()) return Fail(ErrorCode::kInput, "there is no theorem to negate");
  const LexedCode code(declaration);
  SectionContext context(before);
  const std::string chain = ReadChain(code, *theorem, context);
  Parts parts = ReadParts(code, *theorem);
  if (parts.colon + 1 >= parts.end) {
    return Fail(ErrorCode::kInput, "there is no type to negate in `" + theorem->name + "`");
  }
  const std::string variables = context.BindersFor(MentionedIn(code, parts.binders, parts.end));
  const LexedCode bound(variables);
  AddUniverses(UniversesIn(bound, 0, bound.tokens.size()), context, parts);
  AddUniverses(UniversesIn(code, parts.binders, parts.end), context, parts);
  std::string text = chain + "set_option autoImplicit false in\ntheorem " + std::string(new_name);
  if (!parts.universes.empty()) text += ".{" + Joined(parts.universes, ", ") + "}";
  return text + " : " + Quantified(code, variables, parts);
}

}  // namespace zermelo::syntax
