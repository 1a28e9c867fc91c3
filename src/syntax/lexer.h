// A tolerant Lean 4 tokenizer.
//
// Lean's real token table grows with every `notation`; this one knows the core table, which is
// enough to distinguish code from comments, strings, characters and names, and to follow brackets
// and layout. Accepts any bytes (invalid UTF-8 and tabs too), in linear time and without recursion.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::syntax {

/// Stands for "no such index or offset".
inline constexpr size_t kNowhere = static_cast<size_t>(-1);

enum class TokenKind {
  kWord,          // identifier or keyword, dotted (`Nat.succ`, `h₁'`, `«a b».c`), and `#eval`
  kNumber,        // 12, 0xFF, 1.5e3
  kString,        // "…", r"…", r#"…"#, s!"…{…}…": one token each
  kChar,          // 'a', '\n'
  kSymbol,        // longest match of a known symbol, else one character
  kDocComment,    // /-- … -/
  kModuleDoc,     // /-! … -/, a command of its own
  kLineComment,   // -- …, without the line break
  kBlockComment,  // /- … -/, nested
};

struct Token {
  TokenKind kind = TokenKind::kSymbol;
  size_t begin = 0;  // bytes
  size_t end = 0;
  size_t line = 0;    // of `begin`, 0-based
  size_t column = 0;  // of `begin`, code points
  /// No other non-trivia token begins or ends before this one on its line.
  bool first_on_line = false;
  /// The text ended inside this comment, string or «name».
  bool unterminated = false;

  /// Whether this is a comment without meaning to Lean; doc comments are not trivia.
  bool IsTrivia() const {
    return kind == TokenKind::kLineComment || kind == TokenKind::kBlockComment;
  }
};

/// All tokens, comments included, in order and without overlap; the bytes between them are
/// whitespace.
std::vector<Token> Lex(std::string_view text);

/// All tokens except trivia.
std::vector<Token> LexCode(std::string_view text);

inline std::string_view TextOf(std::string_view text, const Token& token) {
  return text.substr(token.begin, token.end - token.begin);
}

/// Text of token `i` if it is a word or symbol; otherwise, or without such a token, empty.
std::string_view WordAt(std::string_view text, std::span<const Token> tokens, size_t i);

/// As LexCode, of a goal as Lean prints it: the marks of an inaccessible name belong to its word
/// (`n✝¹`, `x✝.den`).
std::vector<Token> LexPrinted(std::string_view text);

/// The texts of all tokens of `code` except trivia, as views into it.
std::vector<std::string_view> WordsOf(std::string_view code);

/// The code trimmed and without comments, which could comment out text appended to it.
std::string WithoutComments(std::string_view code);

/// The tokens of `code` except trivia, with a blank between them: equal for code that differs only
/// in blanks and comments.
std::string TokenKey(std::string_view code);

/// Splits a dotted name at the dots outside «…».
std::vector<std::string_view> NameComponents(std::string_view name);

/// The part of a dotted name after the last such dot.
std::string_view LastComponent(std::string_view name);

/// `A.b` for `_root_.A.b`; other names as they are. A view into `name`.
std::string_view WithoutRoot(std::string_view name);

/// The part of a dotted name before the last such dot; empty without one.
std::string_view NamespaceOf(std::string_view name);

/// Whether one of the components of a dotted name is in `components`.
bool HasComponent(std::string_view name, std::initializer_list<std::string_view> components);

/// Whether a word of the code, comments apart, has a component for which `holds` is true.
bool HasWordWith(std::string_view code, const std::function<bool(std::string_view)>& holds);

/// The text without « and », which change nothing: `«debug».x` is `debug.x`.
std::string Unquoted(std::string_view text);

/// A name as a part of another name: characters that only a «quoted» name can have become `_`.
std::string AsNamePart(std::string_view name);

}  // namespace zermelo::syntax
