#include "trust/source/source_tokens.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "syntax/lexer.h"

namespace zermelo::trust {

using syntax::Token;
using syntax::TokenKind;

namespace {

constexpr std::string_view kOpenQuote = "«";

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool ContinuesName(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || c == '_' || c == '\'' || c == '!' || c == '?' || static_cast<uint8_t>(c) >= 0x80;
}

/// The trimmed content of a string literal: the token, if the literal declares one. Escapes that
/// cannot stand for a character of a token are left unchanged.
std::string TokenInString(std::string_view literal) {
  const size_t quote = literal.find('"');
  const bool raw = quote > 0;
  literal.remove_prefix(std::min(quote + 1, literal.size()));
  literal = literal.substr(0, literal.rfind('"'));
  std::string token;
  for (size_t i = 0; i < literal.size(); ++i) {
    const size_t digits = raw || literal[i] != '\\'                         ? 0
                          : i + 1 < literal.size() && literal[i + 1] == 'x' ? 2
                          : i + 1 < literal.size() && literal[i + 1] == 'u' ? 4
                                                                            : 0;
    uint32_t code = 0;
    const char* const begin = literal.data() + std::min(i + 2, literal.size());
    const char* const end = literal.data() + std::min(i + 2 + digits, literal.size());
    if (digits > 0 && std::from_chars(begin, end, code, 16).ptr == end && code < 0x80) {
      token += static_cast<char>(code);
      i += 1 + digits;
    } else {
      token += literal[i];
    }
  }
  const size_t first = token.find_first_not_of(' ');
  if (first == token.npos) return "";
  return token.substr(first, token.find_last_not_of(' ') + 1 - first);
}

/// Tokens, declared by the text or by libraries, after which a new word may begin although they end
/// in a name character. Tokens that are names themselves are excluded: Lean reads them as a whole.
std::vector<std::string> TokensThatEndLikeNames(std::string_view text,
                                                std::span<const Token> tokens) {
  std::vector<std::string> found = {"=Q", "~q", "|_"};
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kString) continue;
    std::string own = TokenInString(syntax::TextOf(text, token));
    if (own.empty() || !ContinuesName(own.back())) continue;
    if (!std::all_of(own.begin(), own.end(), ContinuesName)) found.push_back(std::move(own));
  }
  return found;
}

bool IsInterpolated(std::string_view token) {
  return token.size() > 2 && token[1] == '!' && token[2] == '"';
}

/// `throwError "… {x}"`: any syntax may read a plain string as an interpolated one, whose holes can
/// contain quotes.
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

/// Whether a string after this token is a plain one, unless the text itself declares syntax with
/// interpolated strings.
bool TakesPlainStrings(std::string_view text) {
  constexpr std::string_view kBefore[] = {"(", "[", ",", ":=", "=>", "++", "=", "==", "!=", "≠"};
  return std::find(std::begin(kBefore), std::end(kBefore), text) != std::end(kBefore);
}

constexpr std::string_view kBrackets[] = {"(", "[", "{", "⟨", "@[", "#[", ")",
                                          "]", "}", "⟩", ",", ";",  ".",  "`"};

/// Whether the text declares a token such as `(--` or `("`, which Lean prefers to a bracket with a
/// comment or string after it.
bool DeclaresBracketsWithMarks(std::string_view text, std::span<const Token> tokens) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    if (token.kind != TokenKind::kString) return false;
    const std::string own = TokenInString(syntax::TextOf(text, token));
    if (own.find_first_of(" \t\r\n") != own.npos) return false;
    const bool bracket = std::ranges::any_of(
        kBrackets, [&](std::string_view open) { return std::string_view(own).starts_with(open); });
    return bracket && (Contains(own, "--") || Contains(own, "/-") || Contains(own, "\"") ||
                       Contains(own, "'") || Contains(own, kOpenQuote));
  });
}

/// Whether a quote or comment mark after this token cannot belong to a token that the file
/// declares, unless DeclaresBracketsWithMarks.
bool EndsBefore(std::string_view text) {
  return std::find(std::begin(kBrackets), std::end(kBrackets), text) != std::end(kBrackets);
}

/// Lean skips blanks and comments after the token `/--`, too, before it looks for the end.
bool BeginsWithComment(std::string_view doc) {
  doc.remove_prefix(std::min<size_t>(3, doc.size()));
  doc.remove_prefix(std::min(doc.find_first_not_of(" \t\r\n"), doc.size()));
  return doc.starts_with("--") || doc.starts_with("/-");
}

/// Whether Lean could put the beginning or end of this token elsewhere than our lexer does.
bool IsDoubtful(std::string_view text, std::span<const Token> tokens, size_t i,
                bool brackets_have_marks) {
  const Token& token = tokens[i];
  const std::string_view own = syntax::TextOf(text, token);
  if (token.unterminated) return true;
  const std::string_view before = i > 0 ? syntax::TextOf(text, tokens[i - 1]) : std::string_view();
  const bool glued = i > 0 && tokens[i - 1].end == token.begin && !tokens[i - 1].IsTrivia() &&
                     (brackets_have_marks || !EndsBefore(before));
  switch (token.kind) {
    case TokenKind::kChar:  // f'"' may be a char or the name f' and a string
      return glued && (Contains(own, "\"") || Contains(own, kOpenQuote));
    case TokenKind::kString:
      return glued || (HasHole(own) && !TakesPlainStrings(before));
    case TokenKind::kLineComment:
      return glued;
    case TokenKind::kDocComment:
    case TokenKind::kModuleDoc:
    case TokenKind::kBlockComment:  // whether these are doc comments depends on Lean's version
      return glued || own.starts_with("/--/") || own.starts_with("/---/") ||
             (token.kind != TokenKind::kBlockComment && BeginsWithComment(own));
    case TokenKind::kWord:
      // Names of Lean's built-in parsers that read raw text.
      return (glued && own.starts_with(kOpenQuote)) || Contains(own, "interpolatedStr") ||
             Contains(own, "commentBody") || Contains(own, "rawCh") || Contains(own, "rawFn");
    default:
      return false;
  }
}

}  // namespace

bool CouldHideCode(std::string_view text) {
  const std::vector<Token> tokens = syntax::Lex(text);
  const bool brackets_have_marks = DeclaresBracketsWithMarks(text, tokens);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (IsDoubtful(text, tokens, i, brackets_have_marks)) return true;
  }
  return false;
}

std::optional<std::string> Objection(std::string_view code) {
  const SourceTokens source(code);
  for (SourceFinding& finding : CheckSource({}, source.tokens())) {
    const ReasonCode broken = finding.reason.code;
    if (broken == ReasonCode::kSorryAdded || broken == ReasonCode::kImportAdded) continue;
    return std::move(finding.reason.message);
  }
  return std::nullopt;
}

SourceTokens::SourceTokens(std::string_view text, Part part) : code_(text) {
  const auto open = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const bool comment =
          (code_[i] == '-' && i + 1 < end && (code_[i + 1] == '-' || code_[i + 1] == '/')) ||
          (code_[i] == '/' && i + 1 < end && code_[i + 1] == '-');
      if (code_[i] == '"' || code_[i] == '\'' || comment) code_[i] = ' ';
    }
  };
  for (const Token& token : syntax::Lex(text)) {
    if (IsInterpolated(syntax::TextOf(text, token))) open(token.begin, token.end);
  }
  if (part == Part::kEverything) {
    open(0, code_.size());
    code_ = syntax::Unquoted(code_);
  }
  const std::vector<Token> code = syntax::LexCode(code_);
  const std::vector<std::string> own = TokensThatEndLikeNames(text, syntax::LexCode(text));
  for (const Token& token : code) {
    using Kind = SourceToken::Kind;
    const Kind kind = token.kind == TokenKind::kWord     ? Kind::kWord
                      : token.kind == TokenKind::kSymbol ? Kind::kSymbol
                                                         : Kind::kOther;
    tokens_.push_back({.kind = kind, .text = syntax::TextOf(code_, token), .line = token.line});
    if (kind != Kind::kWord) continue;
    for (size_t at = token.begin + 1; at < token.end; ++at) {
      const std::string_view before = std::string_view(code_).substr(0, at);
      const auto ends_here = [&](const std::string& one) {
        return before.ends_with(one) && at - one.size() <= token.begin;
      };
      if (std::none_of(own.begin(), own.end(), ends_here)) continue;
      const std::string_view rest = std::string_view(code_).substr(at, token.end - at);
      tokens_.push_back({.kind = kind, .text = rest, .line = token.line});
    }
  }
}

}  // namespace zermelo::trust
