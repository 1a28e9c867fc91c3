#include "engine/source_tokens.h"

#include <algorithm>

#include "lean/lexer.h"

namespace zermelo::engine {

using lean::Token;
using lean::TokenKind;

namespace {

constexpr std::string_view kOpenQuote = "«", kCloseQuote = "»";

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool IsInterpolated(std::string_view token) {
  return token.size() > 2 && token[1] == '!' && token[2] == '"';
}

// `throwError "… {x}"`: any syntax may read a plain string as an interpolated one, whose holes can
// have quotes of their own.
bool HasHole(std::string_view string) {
  if (!string.starts_with('"')) return false;
  for (size_t i = 1; i < string.size(); ++i) {
    if (string[i] == '\\') {
      ++i;
    } else if (string[i] == '{') {
      return true;
    }
  }
  return false;
}

// After these a quote or comment cannot be part of a token that the file has made up.
bool EndsBefore(std::string_view text) {
  constexpr std::string_view kBrackets[] = {"(", "[", "{", "⟨", "@[", "#[", ")",
                                            "]", "}", "⟩", ",", ";",  ".",  "`"};
  return std::find(std::begin(kBrackets), std::end(kBrackets), text) != std::end(kBrackets);
}

// Whether Lean could see another beginning or end of this token than we do.
bool IsDoubtful(std::string_view text, std::span<const Token> tokens, size_t i) {
  const Token& token = tokens[i];
  const std::string_view own = lean::TextOf(text, token);
  if (token.unterminated) return true;
  const bool glued = i > 0 && tokens[i - 1].end == token.begin && !tokens[i - 1].IsTrivia() &&
                     !EndsBefore(lean::TextOf(text, tokens[i - 1]));
  switch (token.kind) {
    case TokenKind::kChar:  // f'"' may be a char or the name f' and a string
      return Contains(own, "\"") || Contains(own, kOpenQuote);
    case TokenKind::kString:
      return glued || HasHole(own);
    case TokenKind::kLineComment:
      return glued;
    case TokenKind::kDocComment:
    case TokenKind::kModuleDoc:
    case TokenKind::kBlockComment:  // whether these are doc comments depends on Lean's version
      return glued || own.starts_with("/--/") || own.starts_with("/---/");
    case TokenKind::kWord:
      // Parsers of Lean's own can read raw text.
      return (glued && own.starts_with(kOpenQuote)) || Contains(own, "commentBody") ||
             Contains(own, "rawCh") || Contains(own, "rawFn");
    default:
      return false;
  }
}

}  // namespace

bool CouldHideCode(std::string_view text) {
  const std::vector<Token> tokens = lean::Lex(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (IsDoubtful(text, tokens, i)) return true;
  }
  return false;
}

SourceTokens::SourceTokens(std::string_view text, bool everything) : code_(text) {
  const auto open = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const bool comment =
          (code_[i] == '-' && i + 1 < end && (code_[i + 1] == '-' || code_[i + 1] == '/')) ||
          (code_[i] == '/' && i + 1 < end && code_[i + 1] == '-');
      if (code_[i] == '"' || code_[i] == '\'' || comment) code_[i] = ' ';
    }
  };
  for (const Token& token : lean::Lex(text)) {
    if (IsInterpolated(lean::TextOf(text, token))) open(token.begin, token.end);
  }
  if (everything) {
    open(0, code_.size());
    for (const std::string_view quote : {kOpenQuote, kCloseQuote}) {
      for (size_t at; (at = code_.find(quote)) != code_.npos;) code_.erase(at, quote.size());
    }
  }
  for (const Token& token : lean::LexCode(code_)) {
    using Kind = trust::SourceToken::Kind;
    const Kind kind = token.kind == TokenKind::kWord     ? Kind::kWord
                      : token.kind == TokenKind::kSymbol ? Kind::kSymbol
                                                         : Kind::kOther;
    tokens_.push_back({.kind = kind, .text = lean::TextOf(code_, token), .line = token.line});
  }
}

}  // namespace zermelo::engine
