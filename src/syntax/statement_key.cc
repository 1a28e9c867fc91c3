#include "syntax/statement_key.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <vector>

#include "syntax/lexer.h"
#include "syntax/signature.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool Binds(std::string_view word) {
  return IsOneOf(word, {"∀", "∃", "∃!", "fun", "λ", "Σ", "Π", "∑", "∏", "⨆", "⨅", "⋃", "⋂", "∫"});
}

/// Words that mean the same.
std::string_view Canonical(std::string_view word) {
  if (word == "λ") return "fun";
  if (word == "↦") return "=>";
  return NumberTypeName(word);
}

/// Writes terms with numbers in place of bound names. A bracket is a scope: what it binds is
/// forgotten at its end.
class Writer {
 public:
  enum class Text : uint8_t { kSource, kPrinted };
  /// Of printed text, only the last components of constants are written, and no universe levels.
  explicit Writer(Text text) : printed_(text == Text::kPrinted) {}

  void Declare(std::string_view name) { scopes_.back()[std::string(name)] = next_++; }
  /// For a hypothesis without a name.
  void DeclareAnonymous() { ++next_; }

  void Write(std::string_view code) {
    const auto tokens = syntax::LexCode(code);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view word = TextOf(code, tokens[i]);
      if (Nesting(word) > 0) scopes_.emplace_back();
      if (Binds(word)) DeclareFrom(code, tokens, i + 1);
      if (word == "{") DeclareElement(code, tokens, i + 1);
      Emit(tokens[i].kind, word);
      if (Nesting(word) < 0 && scopes_.size() > 1) scopes_.pop_back();
      if (printed_ && IsOneOf(word, {"Type", "Sort"})) i = LastOfLevel(code, tokens, i);
    }
  }

  void Mark(std::string_view mark) { key_ += mark; }
  std::string Key() && { return std::move(key_); }

 private:
  /// The last token of the universe level after token `i`; `i` if there is none.
  static size_t LastOfLevel(std::string_view code, const std::vector<Token>& tokens, size_t i) {
    if (i + 1 == tokens.size()) return i;
    if (tokens[i + 1].kind == TokenKind::kWord) return i + 1;
    if (TextOf(code, tokens[i + 1]) != "(") return i;
    return syntax::AfterBracket(code, tokens, i + 1, tokens.size()) - 1;
  }

  /// The names after a quantifier, up to its comma or arrow. Types in brackets are passed over.
  void DeclareFrom(std::string_view code, const std::vector<Token>& tokens, size_t i) {
    bool in_type = false;
    size_t depth = 0;
    for (; i < tokens.size(); ++i) {
      const std::string_view word = TextOf(code, tokens[i]);
      if (Nesting(word) > 0) {
        ++depth;
      } else if (Nesting(word) < 0) {
        if (depth == 0) return;
        if (--depth == 0) in_type = false;
      } else if (depth == 0 && !IsOneOf(word, {"_"}) && tokens[i].kind != TokenKind::kWord) {
        return;
      } else if (word == ":") {
        in_type = true;
      } else if (!in_type && tokens[i].kind == TokenKind::kWord) {
        Declare(word);
      }
    }
  }

  /// `{x | p x}`, `{x : A | p x}`, `{x ∈ s | p x}`.
  void DeclareElement(std::string_view code, const std::vector<Token>& tokens, size_t i) {
    if (i + 1 >= tokens.size() || tokens[i].kind != TokenKind::kWord) return;
    const std::string_view after = TextOf(code, tokens[i + 1]);
    if (IsOneOf(after, {"|", ":", "∈", "//"})) Declare(TextOf(code, tokens[i]));
  }

  std::optional<size_t> NumberOf(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->find(name);
      if (found != scope->end()) return found->second;
    }
    return std::nullopt;
  }

  void Emit(TokenKind kind, std::string_view word) {
    key_ += ' ';
    if (kind == TokenKind::kWord) {
      const size_t dot = std::min(word.find('.'), word.size());
      if (const auto number = NumberOf(word.substr(0, dot))) {
        key_ += fmt::format("#{}{}", *number, word.substr(dot));
        return;
      }
      if (printed_) word = NameComponents(word).back();
    }
    key_ += Canonical(word);
  }

  const bool printed_;

  std::vector<std::map<std::string, size_t, std::less<>>> scopes_{1};
  size_t next_ = 0;
  std::string key_;
};

/// The end of what stands before the first arrow of `type`, if that is a hypothesis.
std::optional<size_t> HypothesisEnd(std::string_view type) {
  const auto tokens = syntax::LexCode(type);
  int depth = 0;
  for (const Token& token : tokens) {
    const std::string_view word = TextOf(type, token);
    depth = std::max(0, depth + Nesting(word));
    if (depth > 0) continue;
    if (word == "→") return token.begin;
    if (Binds(word) || IsOneOf(word, {"↔", "<|", "$", ",", "if", "let", "have"})) break;
  }
  return std::nullopt;
}

/// The end of the binders of a type that begins with `∀`, which is at its comma.
std::optional<size_t> ForallEnd(std::string_view type, const std::vector<Token>& tokens) {
  if (tokens.empty() || TextOf(type, tokens.front()) != "∀") return std::nullopt;
  const size_t comma = syntax::FindOutside(type, tokens, ",", 1, tokens.size());
  if (comma == tokens.size()) return std::nullopt;
  return tokens[comma].begin;
}

/// `x y : A` as it stands after `∀`, or binders in brackets; nullopt for `x ∈ s` and the like.
std::optional<std::vector<syntax::Binder>> BindersOf(std::string_view code) {
  const auto tokens = syntax::LexCode(code);
  if (tokens.empty()) return std::nullopt;
  if (Nesting(TextOf(code, tokens.front())) > 0) {
    auto parsed = syntax::ParseSignature(fmt::format("{} : p", code));
    if (!parsed || parsed->type != "p") return std::nullopt;
    return std::move(parsed->binders);
  }
  const auto names_end = std::ranges::find_if(
      tokens, [](const Token& token) { return token.kind != TokenKind::kWord; });
  if (names_end != tokens.end() && TextOf(code, *names_end) != ":") return std::nullopt;
  return syntax::ParseBinders(fmt::format("({})", code));
}

void WriteBinder(const syntax::Binder& binder, Writer& writer) {
  const size_t count = std::max<size_t>(binder.names.size(), 1);
  for (size_t i = 0; i < count; ++i) {
    writer.Mark(" [");
    writer.Write(binder.type);
    writer.Mark(" ]");
    if (binder.names.empty()) {
      writer.DeclareAnonymous();
    } else {
      writer.Declare(binder.names[i]);
    }
  }
}

/// Takes the quantifiers and hypotheses at the beginning of the type as binders.
void WriteType(std::string_view type, Writer& writer) {
  for (;;) {
    const auto tokens = syntax::LexCode(type);
    if (const auto comma = ForallEnd(type, tokens)) {
      const size_t begin = tokens.front().end;
      const auto binders = BindersOf(type.substr(begin, *comma - begin));
      if (!binders) break;
      for (const auto& binder : *binders) WriteBinder(binder, writer);
      type.remove_prefix(*comma + 1);
    } else if (const auto arrow = HypothesisEnd(type)) {
      WriteBinder({.names = {}, .type = std::string(type.substr(0, *arrow))}, writer);
      type.remove_prefix(*arrow + std::string_view("→").size());
    } else {
      break;
    }
  }
  writer.Mark(" :");
  writer.Write(type);
}

/// Inaccessible names as words: `inst✝¹` becomes `inst_1`.
std::string WithoutDaggers(std::string_view printed) {
  return RenameInaccessible(printed, [](const InaccessibleName& name) {
    return fmt::format("{}_{}", name.base, name.index == 0 ? "" : std::to_string(name.index));
  });
}

}  // namespace

std::string StatementKey(std::string_view signature) {
  const auto parsed = syntax::ParseSignature(signature);
  if (!parsed) return syntax::TokenKey(signature);
  Writer writer(Writer::Text::kSource);
  for (const auto& binder : parsed->binders) WriteBinder(binder, writer);
  WriteType(parsed->type, writer);
  return std::move(writer).Key();
}

std::string GoalKey(const Goal& goal) {
  Writer writer(Writer::Text::kPrinted);
  for (const Hypothesis& hypothesis : goal.hypotheses) {
    Binder binder;
    for (const std::string& name : hypothesis.names) binder.names.push_back(WithoutDaggers(name));
    binder.type = WithoutDaggers(hypothesis.type);
    if (!hypothesis.value.empty()) binder.type += " := " + WithoutDaggers(hypothesis.value);
    WriteBinder(binder, writer);
  }
  const std::string target = WithoutDaggers(goal.target);
  WriteType(target, writer);
  return std::move(writer).Key();
}

}  // namespace zermelo::syntax
