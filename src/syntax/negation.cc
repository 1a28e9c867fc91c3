#include "syntax/negation.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "syntax/commands.h"
#include "syntax/declarations.h"
#include "syntax/lexer.h"
#include "syntax/signature.h"
#include "syntax/words.h"

namespace zermelo::syntax {

using core::ErrorCode;
using core::Fail;
using core::Result;

namespace {

/// A piece of text with its tokens.
struct Code {
  explicit Code(std::string_view t) : text(t), tokens(LexCode(t)) {}
  std::string_view Word(size_t i) const { return WordAt(text, tokens, i); }
  std::string_view Slice(size_t begin, size_t end) const {  // tokens
    if (begin >= end) return {};
    return text.substr(tokens[begin].begin, tokens[end - 1].end - tokens[begin].begin);
  }
  size_t AfterBracket(size_t i, size_t end) const {
    return syntax::AfterBracket(text, tokens, i, end);
  }
  /// The first `:` in [i, end) outside of brackets, or `end`.
  size_t Colon(size_t i, size_t end) const { return FindOutside(text, tokens, ":", i, end); }

  std::string_view text;
  std::vector<Token> tokens;
};

using Names = std::set<std::string, std::less<>>;

/// The first parts of dotted names: `n` for `n.succ`.
Names MentionedIn(const Code& code, size_t begin, size_t end) {
  Names names;
  for (size_t i = begin; i < end; ++i) {
    if (code.tokens[i].kind != TokenKind::kWord) continue;
    const auto components = NameComponents(TextOf(code.text, code.tokens[i]));
    if (!components.empty()) names.emplace(components.front());
  }
  return names;
}

/// One binder of a `variable` command: `{x y : A}`, `[B x]`.
struct Variable {
  std::string text;
  bool instance = false;
  Names names;      // bound by it
  Names mentioned;  // all words in it
};

std::vector<Variable> VariablesIn(const Code& code, size_t begin, size_t end) {
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

/// The variables, universes and `include`s in scope at the end of a file.
class Context {
 public:
  explicit Context(std::string_view before) {
    const Code code(before);
    const auto commands = FindCommands(code.text, code.tokens);
    for (size_t c = 0; c < commands.size(); ++c) {
      const size_t end = c + 1 < commands.size() ? commands[c + 1].begin : code.tokens.size();
      const size_t keyword = commands[c].keyword;
      const std::string_view word = code.Word(keyword);
      if (keyword == commands[c].begin && !IsDeclarationKeyword(word)) {
        Follow(code, word, keyword + 1, end);
      }
    }
  }

  /// Applies a command that is not a declaration; [begin, end) are the tokens after its keyword.
  void Follow(const Code& code, std::string_view word, size_t begin, size_t end) {
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

  bool HasUniverse(std::string_view name) const {
    return std::find(universes_.begin(), universes_.end(), name) != universes_.end();
  }

  /// The binders that Lean adds to a theorem that mentions these names; possibly more, which only
  /// makes the negation harder to prove.
  std::string BindersFor(Names mentioned) const {
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

 private:
  struct Mark {
    size_t variables = 0, universes = 0, included = 0;
  };
  Mark Now() const { return {variables_.size(), universes_.size(), included_.size()}; }

  /// Number of scopes that a command opens or closes: two for `namespace A.B`.
  static size_t ScopesIn(const Code& code, std::string_view word, size_t begin, size_t end) {
    const bool named =
        begin < end && code.tokens[begin].kind == TokenKind::kWord && word != "mutual";
    return named ? std::max<size_t>(NameComponents(code.Word(begin)).size(), 1) : 1;
  }

  void Leave() {
    variables_.resize(scopes_.back().variables);
    universes_.resize(scopes_.back().universes);
    included_.resize(scopes_.back().included);
    scopes_.pop_back();
  }

  bool Bound(const std::string& name, size_t before) const {
    return std::any_of(variables_.begin(), variables_.begin() + static_cast<ptrdiff_t>(before),
                       [&](const Variable& v) { return v.names.contains(name); });
  }

  /// An instance is included if all variables that it mentions are.
  bool Wanted(const Variable& variable, const Names& mentioned) const {
    const auto is_mentioned = [&](const std::string& name) { return mentioned.contains(name); };
    if (std::any_of(variable.names.begin(), variable.names.end(), is_mentioned)) return true;
    return variable.instance &&
           std::all_of(variable.mentioned.begin(), variable.mentioned.end(), [&](const auto& name) {
             return is_mentioned(name) || variable.names.contains(name) ||
                    !Bound(name, variables_.size());
           });
  }

  /// `variable {n}` for an existing `n` changes only its binder kind.
  bool IsUpdate(size_t i) const {
    const Variable& variable = variables_[i];
    return !variable.instance && variable.text.find(':') == std::string::npos &&
           std::all_of(variable.names.begin(), variable.names.end(),
                       [&](const auto& name) { return Bound(name, i); });
  }

  std::vector<Variable> variables_;
  std::vector<std::string> universes_;
  std::vector<std::string> included_;
  std::vector<Mark> scopes_;
};

/// Words in the place of a universe level: after `Type` and `Sort`, and in `.{…}`.
std::vector<std::string> UniversesIn(const Code& code, size_t begin, size_t end) {
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
std::string Quantified(const Code& code, const std::string& variables, const Parts& parts) {
  const std::string_view own = code.Slice(parts.binders, parts.colon);
  std::string_view type = code.Slice(parts.colon + 1, parts.end);
  std::string text = "¬ (";
  if (!variables.empty() || !own.empty()) text.append("∀ ").append(variables).append(own);
  if (text.ends_with(' ')) text.pop_back();
  if (!variables.empty() || !own.empty()) text += ", ";
  if (type.find('\n') == std::string_view::npos) return text.append(type) + ")";
  return text.append("\n").append(code.tokens[parts.colon + 1].column, ' ').append(type) + ")";
}

size_t TokenAt(const Code& code, size_t offset) {
  const auto at =
      std::lower_bound(code.tokens.begin(), code.tokens.end(), offset,
                       [](const Token& token, size_t wanted) { return token.begin < wanted; });
  return static_cast<size_t>(at - code.tokens.begin());
}

/// The `open … in` and `set_option … in` before the keyword, one per line; the other chained
/// commands change the context.
std::string ReadChain(const Code& code, const Declaration& theorem, Context& context) {
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

Parts ReadParts(const Code& code, const Declaration& theorem) {
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
void AddUniverses(const std::vector<std::string>& names, const Context& context, Parts& parts) {
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
  const Code code(declaration);
  Context context(before);
  const std::string chain = ReadChain(code, *theorem, context);
  Parts parts = ReadParts(code, *theorem);
  if (parts.colon + 1 >= parts.end) {
    return Fail(ErrorCode::kInput, "there is no type to negate in `" + theorem->name + "`");
  }
  const std::string variables = context.BindersFor(MentionedIn(code, parts.binders, parts.end));
  const Code bound(variables);
  AddUniverses(UniversesIn(bound, 0, bound.tokens.size()), context, parts);
  AddUniverses(UniversesIn(code, parts.binders, parts.end), context, parts);
  std::string text = chain + "set_option autoImplicit false in\ntheorem " + std::string(new_name);
  if (!parts.universes.empty()) text += ".{" + Joined(parts.universes, ", ") + "}";
  return text + " : " + Quantified(code, variables, parts);
}

}  // namespace zermelo::syntax
