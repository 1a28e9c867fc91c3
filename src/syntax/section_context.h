// What the section around a declaration adds to it: variables, universes, `include`s.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/commands.h"
#include "syntax/lexer.h"
#include "syntax/signature.h"
#include "syntax/words.h"

namespace zermelo::syntax {

/// A piece of text with its tokens.
struct LexedCode {
  explicit LexedCode(std::string_view t) : LexedCode(t, LexCode(t)) {}
  LexedCode(std::string_view t, std::vector<Token> of_text) : text(t), tokens(std::move(of_text)) {}
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

/// The first parts of the dotted names in tokens [begin, end): `n` for `n.succ`.
std::set<std::string, std::less<>> MentionedIn(const LexedCode& code, size_t begin, size_t end);

/// What is in scope after some commands of a file.
class SectionContext {
 public:
  using Names = std::set<std::string, std::less<>>;

  SectionContext() = default;
  /// At the end of a file.
  explicit SectionContext(std::string_view before);

  /// Applies a command, unless it is a declaration or only for the next one (`open A in …`). `end`:
  /// of its tokens.
  void Follow(const LexedCode& code, const Command& command, size_t end);
  /// Applies a command that is not a declaration; [begin, end) are the tokens after its keyword.
  void Follow(const LexedCode& code, std::string_view word, size_t begin, size_t end);

  bool HasUniverse(std::string_view name) const;
  bool has_variables() const { return !variables_.empty(); }

  /// The binders that Lean adds to a theorem that mentions these names, each with a blank after it;
  /// possibly more, which only makes a negation harder to prove.
  std::string BindersFor(Names mentioned) const;

 private:
  /// One binder of a `variable` command: `{x y : A}`, `[B x]`.
  struct Variable {
    std::string text;
    bool instance = false;
    Names names;      // bound by it
    Names mentioned;  // all words in it
  };
  struct Mark {
    size_t variables = 0, universes = 0, included = 0;
  };

  static std::vector<Variable> VariablesIn(const LexedCode& code, size_t begin, size_t end);
  static size_t ScopesIn(const LexedCode& code, std::string_view word, size_t begin, size_t end);
  Mark Now() const { return {variables_.size(), universes_.size(), included_.size()}; }
  void Leave();
  bool Bound(const std::string& name, size_t before) const;
  bool Wanted(const Variable& variable, const Names& mentioned) const;
  bool IsUpdate(size_t i) const;

  std::vector<Variable> variables_;
  std::vector<std::string> universes_;
  std::vector<std::string> included_;
  std::vector<Mark> scopes_;
};

}  // namespace zermelo::syntax
