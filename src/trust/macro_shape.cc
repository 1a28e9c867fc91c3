#include "trust/macro_shape.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "syntax/commands.h"

namespace zermelo::trust {

namespace {

using Kind = SourceToken::Kind;

// What may follow a macro at the beginning of a line; anything else could continue its right side.
// Not derived from syntax/commands.h: what is added there must not widen what is trusted here.
// clang-format off
constexpr std::string_view kCommands[] = {
    "#guard_msgs", "abbrev", "add_decl_doc",
    "attribute", "axiom", "binder_predicate", "class", "coinductive", "declare_syntax_cat", "def",
    "deriving", "elab", "elab_rules", "end", "example", "export", "include", "inductive", "infix",
    "infixl", "infixr", "initialize", "instance", "lemma", "local", "macro", "macro_rules",
    "mutual", "namespace", "noncomputable", "nonrec", "notation", "notation3", "omit", "opaque",
    "open", "partial", "postfix", "prefix", "private", "protected", "public", "run_cmd", "scoped",
    "section", "set_option", "simproc", "structure", "syntax", "theorem", "unif_hint", "universe",
    "unsafe", "variable"};
// clang-format on

class MacroReader {
 public:
  MacroReader(std::span<const SourceToken> tokens, size_t at) : tokens_(tokens), at_(at) {}

  bool Run() {
    const std::string_view command = Text(at_++);
    if (command != "macro_rules") return ReadLeft(command == "binder_predicate") && ReadRight();
    SkipTo("|");
    do {
      ++at_;
      if (!ReadPattern() || !ReadRight()) return false;
    } while (Text(at_) == "|");
    return true;
  }

 private:
  std::string_view Text(size_t at) const {
    return at < tokens_.size() ? tokens_[at].text : std::string_view();
  }
  bool IsWord(size_t at) const { return at < tokens_.size() && tokens_[at].kind == Kind::kWord; }

  void SkipTo(std::string_view symbol) {
    while (at_ < tokens_.size() && Text(at_) != symbol) ++at_;
  }

  // `"token" x:term ys:tactic,* : category =>`; in a binder predicate also `x "token"`.
  bool ReadLeft(bool binder) {
    variables_.clear();
    for (; at_ < tokens_.size() && Text(at_) != "=>"; ++at_) {
      if (!IsWord(at_) || Text(at_ - 1) == ":") continue;
      const bool before_token =
          binder && at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == Kind::kOther;
      if (Text(at_ + 1) == ":" || before_token) variables_.insert(Text(at_));
    }
    return at_ < tokens_.size();
  }

  // `(… $x … $(ys),* … $[$z]? …) =>`. Only parentheses count, here and in ReadRight, since a
  // quotation ends at one whatever other brackets it holds (IsBracketToken).
  bool ReadPattern() {
    variables_.clear();
    for (size_t depth = 0; at_ < tokens_.size(); ++at_) {
      const std::string_view text = Text(at_);
      if (text == "=>" && depth == 0) return true;
      if (text == "(") ++depth;
      if (text == ")" && depth > 0) --depth;
      if (text != "$") continue;
      const size_t name = Text(at_ + 1) == "(" ? at_ + 2 : at_ + 1;
      if (IsWord(name)) variables_.insert(Text(name));
    }
    return false;
  }

  bool ReadRight() {
    ++at_;  // =>
    if (IsWord(at_) && Text(at_).ends_with("throwUnsupported")) {
      ++at_;
      return EndsHere();
    }
    if (Text(at_) != "`" || Text(at_ + 1) != "(") return false;
    size_t depth = 0;
    for (++at_; at_ < tokens_.size(); ++at_) {
      const std::string_view text = Text(at_);
      if (text == "`" && Text(at_ + 1) == "(") return false;  // $x means something else in there
      if (text == "$" && !IsVariable()) return false;
      if (text == "(") ++depth;
      if (text == ")" && --depth == 0) {
        ++at_;
        return EndsHere();
      }
    }
    return false;
  }

  // After a `$`: x, (x) or […].
  bool IsVariable() const {
    if (Text(at_ + 1) == "[") return true;
    const bool bracketed = Text(at_ + 1) == "(";
    const size_t name = bracketed ? at_ + 2 : at_ + 1;
    return IsWord(name) && variables_.contains(Text(name)) && (!bracketed || Text(name + 1) == ")");
  }

  bool EndsHere() const {
    if (at_ >= tokens_.size() || Text(at_) == "|") return true;
    if (tokens_[at_].line == tokens_[at_ - 1].line) return false;
    return BeginsCommand(tokens_[at_]) || IsOwnCommand(Text(at_));
  }

  // Whether a word begins exactly one syntax of this file and occurs in no other.
  bool IsOwnCommand(std::string_view word) const {
    size_t begins = 0, stands = 0;
    for (size_t at = 1; at < tokens_.size(); ++at) {
      std::string_view token = Text(at);
      if (tokens_[at].kind != Kind::kOther || !token.starts_with('"')) continue;
      token = token.substr(1, token.size() - 2);
      token = token.substr(0, token.find_last_not_of(' ') + 1);
      if (token != word) continue;
      ++stands;
      const std::string_view before = Text(at - 1);
      if (before == "macro" || before == "syntax" || before == ")") ++begins;
    }
    return begins == 1 && stands == 1;
  }

  std::span<const SourceToken> tokens_;
  size_t at_;
  std::unordered_set<std::string_view> variables_;
};

// Whether a string may declare a token whose brackets are not what they look like. A file that
// declares such a token may use it, and then brackets do not show where a quotation ends. `(`, `)`
// and `f(` are harmless, since they count as the brackets that they contain.
bool IsBracketToken(const SourceToken& token) {
  const auto has = [&](std::string_view part) { return token.text.find(part) != token.text.npos; };
  if (token.kind != Kind::kOther || token.text.find('"') == token.text.npos) return false;
  if (has("`") || has("\\x") || has("\\u")) return true;
  std::string_view text = token.text.substr(token.text.find('"') + 1);
  text = text.substr(0, text.rfind('"'));
  const size_t first = std::min(text.find_first_not_of(' '), text.size());
  text = text.substr(first, text.find_last_not_of(' ') + 1 - first);
  if (text == ")") return false;
  const size_t bracket = text.find_first_of("()");
  return bracket != text.npos && (text[bracket] == ')' || bracket + 1 != text.size());
}

}  // namespace

bool BeginsCommand(const SourceToken& token) {
  return token.text == "@[" || token.text.starts_with("/-") || syntax::IsQuery(token.text) ||
         std::find(std::begin(kCommands), std::end(kCommands), token.text) != std::end(kCommands);
}

bool IsQuotation(std::span<const SourceToken> tokens, size_t at) {
  return std::none_of(tokens.begin(), tokens.end(), IsBracketToken) &&
         MacroReader(tokens, at).Run();
}

}  // namespace zermelo::trust
