#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/text.h"
#include "syntax/words.h"

namespace zermelo::syntax {
namespace {

using core::CodePoint;
using core::DecodeUtf8;

// Longest first. Everything else is a symbol of one character.
constexpr auto kSymbols = std::to_array<std::string_view>(
    {"<;>", "<|>", "|>.", "|||", "&&&", "^^^", "<<<", ">>>", ">>=", "<$>",
     "<*>", "<&>", "...", "..<", ":=",  "=>",  "->",  "<-",  "<|",  "|>",
     "||",  "&&",  "::",  "..",  "==",  "!=",  "<=",  ">=",  "++",  "//",
     "/\\", "\\/", ">>",  "<*",  "*>",  "$>",  "@[",  "#[",  "%[",  "''"});

constexpr char32_t kOpenQuote = U'«';
constexpr char32_t kCloseQuote = U'»';
constexpr char32_t kDagger = U'✝';  // follows an inaccessible name

bool InRange(char32_t c, char32_t low, char32_t high) { return c >= low && c <= high; }
bool IsDigit(char32_t c) { return InRange(c, '0', '9'); }
bool IsAsciiLetter(char32_t c) { return InRange(c | 0x20, 'a', 'z'); }
bool IsBlank(char32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0xFEFF; }

// Lean.isLetterLike.
bool IsLetterLike(char32_t c) {
  if (c == U'λ' || c == U'Π' || c == U'Σ' || c == U'×' || c == U'÷') return false;
  return InRange(c, 0xC0, 0x17F) || InRange(c, 0x391, 0x3A9) || InRange(c, 0x3B1, 0x3FB) ||
         InRange(c, 0x1F00, 0x1FFE) || InRange(c, 0x2100, 0x214F) || InRange(c, 0x1D49C, 0x1D59F);
}

// Lean.isSubScriptAlnum.
bool IsSubscript(char32_t c) {
  return InRange(c, 0x2080, 0x2089) || InRange(c, 0x2090, 0x209C) || InRange(c, 0x1D62, 0x1D6A) ||
         c == 0x2C7C;
}

bool IsNameFirst(char32_t c) { return IsAsciiLetter(c) || c == '_' || IsLetterLike(c); }

bool IsNameRest(char32_t c) {
  return IsNameFirst(c) || IsDigit(c) || c == '\'' || c == '!' || c == '?' || IsSubscript(c);
}

class Lexer {
 public:
  /// `printed`: reads the marks of inaccessible names as parts of their words.
  explicit Lexer(std::string_view text, bool printed = false) : text_(text), printed_(printed) {}

  std::vector<Token> Run() {
    while (true) {
      size_t next = at_;
      while (next < text_.size() && IsBlank(Peek(next))) next += Width(next);
      AdvanceTo(next);
      if (at_ >= text_.size()) return std::move(tokens_);
      Token token{.begin = at_, .line = line_, .column = column_};
      unterminated_ = false;
      token.end = Scan(token.kind);
      token.unterminated = unterminated_;
      token.first_on_line = !code_on_line_;
      AdvanceTo(token.end);
      if (!token.IsTrivia()) code_on_line_ = true;
      tokens_.push_back(token);
    }
  }

 private:
  char32_t Peek(size_t i) const { return DecodeUtf8(text_, i).value; }
  size_t Width(size_t i) const { return DecodeUtf8(text_, i).length; }
  // 0 past the end.
  char32_t Byte(size_t i) const {
    return i < text_.size() ? static_cast<unsigned char>(text_[i]) : char32_t{0};
  }
  bool StartsWith(size_t i, std::string_view s) const { return text_.substr(i, s.size()) == s; }

  void AdvanceTo(size_t end) {
    while (at_ < end) {
      const CodePoint c = DecodeUtf8(text_, at_);
      at_ += c.length;
      ++column_;
      if (c.value == '\n') {
        ++line_;
        column_ = 0;
        code_on_line_ = false;
      }
    }
  }

  size_t Unterminated() {
    unterminated_ = true;
    return text_.size();
  }

  // Returns the end of the token that starts at at_.
  size_t Scan(TokenKind& kind) {
    const size_t i = at_;
    const char32_t c = Peek(i);
    if (StartsWith(i, "--")) {
      kind = TokenKind::kLineComment;
      return LineCommentEnd(i);
    }
    if (StartsWith(i, "/-")) {
      kind = BlockCommentKind(i);
      return BlockCommentEnd(i);
    }
    if (c == '"') {
      kind = TokenKind::kString;
      return StringEnd(i);
    }
    if (const size_t end = RawStringEnd(i); end > i) {
      kind = TokenKind::kString;
      return end;
    }
    if (const size_t end = CharEnd(i); end > i) {
      kind = TokenKind::kChar;
      return end;
    }
    if (IsInterpolation(i)) {
      kind = TokenKind::kString;
      return InterpolationEnd(i);
    }
    if (IsNameFirst(c) || c == kOpenQuote || (printed_ && c == kDagger)) {
      kind = TokenKind::kWord;
      return NameEnd(i);
    }
    if (c == '#' && IsAsciiLetter(Peek(i + 1))) {
      kind = TokenKind::kWord;
      return NameEnd(i + 1);
    }
    if (IsDigit(c)) {
      kind = TokenKind::kNumber;
      return NumberEnd(i);
    }
    kind = TokenKind::kSymbol;
    return SymbolEnd(i);
  }

  size_t LineCommentEnd(size_t i) const {
    const size_t end = std::min(text_.find('\n', i), text_.size());
    return end > i && end < text_.size() && text_[end - 1] == '\r' ? end - 1 : end;
  }

  // `/--/` and `/---/` are plain comments, as in Lean.
  TokenKind BlockCommentKind(size_t i) const {
    if (Byte(i + 2) == '!') return TokenKind::kModuleDoc;
    const bool doc = Byte(i + 2) == '-' && Byte(i + 3) != '/' && !StartsWith(i + 3, "-/");
    return doc ? TokenKind::kDocComment : TokenKind::kBlockComment;
  }

  // Lean looks for the end, and for comments inside, after the character that follows `/-`: in
  // `/-/- -/` there is one comment. Source: src/Lean/Parser/Basic.lean, whitespace. `/--/` is one,
  // or begins a doc comment, depending on Lean's version.
  size_t BlockCommentEnd(size_t i) {
    size_t depth = 1;
    for (i += Byte(i + 2) == '-' ? 2 : 3; i + 1 < text_.size();) {
      if (StartsWith(i, "-/")) {
        i += 2;
        if (--depth == 0) return i;
      } else if (StartsWith(i, "/-")) {
        i += 2;
        ++depth;
      } else {
        ++i;
      }
    }
    return Unterminated();
  }

  size_t StringEnd(size_t i) {
    for (++i; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        return i + 1;
      }
    }
    return Unterminated();
  }

  // r"…" and r##"…"##; returns i if there is none.
  size_t RawStringEnd(size_t i) {
    if (Byte(i) != 'r') return i;
    size_t quote = i + 1;
    while (Byte(quote) == '#') ++quote;
    if (Byte(quote) != '"') return i;
    const size_t hashes = quote - i - 1;
    for (size_t j = quote + 1; j < text_.size(); ++j) {
      if (text_[j] != '"') continue;
      size_t seen = 0;
      while (seen < hashes && Byte(j + 1 + seen) == '#') ++seen;
      if (seen == hashes) return j + 1 + hashes;
      j += seen;
    }
    return Unterminated();
  }

  // 'a', '\n', '\x41', '\u03b1'; returns i if there is none.
  size_t CharEnd(size_t i) const {
    if (Byte(i) != '\'' || Byte(i + 1) == '\'' || i + 1 >= text_.size()) return i;
    if (Byte(i + 1) != '\\') {
      const size_t close = i + 1 + Width(i + 1);
      return Byte(close) == '\'' ? close + 1 : i;
    }
    const size_t digits = Byte(i + 2) == 'x' ? 2 : Byte(i + 2) == 'u' ? 4 : 0;
    const size_t close = i + 3 + digits;
    return Byte(close) == '\'' ? close + 1 : i;
  }

  bool IsInterpolation(size_t i) const {
    const char32_t c = Byte(i);
    return (c == 's' || c == 'm' || c == 'f') && Byte(i + 1) == '!' && Byte(i + 2) == '"';
  }

  // The stack records what encloses the position: '"' a string, '{' an interpolation or braces
  // inside it.
  size_t InterpolationEnd(size_t i) {
    std::vector<char> inside = {'"'};
    bool after_name = false;  // in code, right after part of a name, where s!" or ' begins nothing
    for (i += 3; i < text_.size();) {
      const char c = text_[i];
      if (inside.back() == '"') {
        if (c == '"') {
          inside.pop_back();
          if (inside.empty()) return i + 1;
        } else if (c == '{') {
          inside.push_back(c);
        }
        i += c == '\\' ? 2 : 1;
        after_name = false;
        continue;
      }
      if (!after_name && IsInterpolation(i)) {
        inside.push_back('"');
        i += 3;
        continue;
      }
      if (const size_t end = LeafEnd(i, after_name); end > i) {
        i = end;
        continue;
      }
      if (c == '{') inside.push_back(c);
      if (c == '}') inside.pop_back();
      after_name = IsNameRest(Peek(i));
      i += Width(i);
    }
    return Unterminated();
  }

  // End of a comment, string or character at i, or i.
  size_t LeafEnd(size_t i, bool after_name) {
    if (StartsWith(i, "--")) return LineCommentEnd(i);
    if (StartsWith(i, "/-")) return BlockCommentEnd(i);
    if (Byte(i) == '"') return StringEnd(i);
    if (after_name) return i;
    return std::max(RawStringEnd(i), CharEnd(i));
  }

  size_t NameEnd(size_t i) {
    while (true) {
      if (Peek(i) == kOpenQuote) {
        i = QuotedEnd(i);
      } else {
        while (i < text_.size() && IsNameRest(Peek(i))) i += Width(i);
      }
      if (printed_) i = MarkEnd(i);
      const char32_t next = Byte(i) == '.' ? Peek(i + 1) : 0;
      if (!IsNameFirst(next) && next != kOpenQuote) return i;
      ++i;
    }
  }

  // The end of the mark of an inaccessible name (`✝¹`) at i, or i.
  size_t MarkEnd(size_t i) const {
    if (Peek(i) != kDagger) return i;
    i += Width(i);
    while (i < text_.size() && SuperscriptDigit(Peek(i)) >= 0) i += Width(i);
    return i;
  }

  // A quoted name ends at » and never spans lines; without » it takes the rest of its line.
  size_t QuotedEnd(size_t i) {
    for (size_t j = i; j < text_.size() && text_[j] != '\n'; j += Width(j)) {
      if (Peek(j) == kCloseQuote) return j + Width(j);
    }
    unterminated_ = true;
    return LineCommentEnd(i);
  }

  size_t NumberEnd(size_t i) const {
    const auto skip_digits = [this](size_t j) {
      while (IsDigit(Byte(j)) || (Byte(j) == '_' && IsDigit(Byte(j + 1)))) ++j;
      return j;
    };
    const char32_t base = Byte(i + 1) | 0x20;
    if (Byte(i) == '0' && (base == 'x' || base == 'b' || base == 'o')) {
      // Reads only as far as Lean does: text after `0b1` is a separate token, even a keyword.
      const char32_t last = base == 'b' ? '1' : base == 'o' ? '7' : '9';
      const auto is_digit = [&](char32_t c) {
        return InRange(c, '0', last) || (base == 'x' && InRange(c | 0x20, 'a', 'f'));
      };
      i += 2;
      while (is_digit(Byte(i)) || (Byte(i) == '_' && is_digit(Byte(i + 1)))) ++i;
      return i;
    }
    const bool projection =
        i > 0 && text_[i - 1] == '.' && !tokens_.empty() && tokens_.back().end == i;
    i = skip_digits(i);
    if (projection) return i;  // h.1.2
    if (Byte(i) == '.' && IsDigit(Byte(i + 1))) i = skip_digits(i + 1);
    if ((Byte(i) | 0x20) == 'e') {
      const size_t digits = Byte(i + 1) == '-' || Byte(i + 1) == '+' ? i + 2 : i + 1;
      if (IsDigit(Byte(digits))) i = skip_digits(digits);
    }
    return i;
  }

  size_t SymbolEnd(size_t i) const {
    for (const std::string_view symbol : kSymbols) {
      if (StartsWith(i, symbol)) return i + symbol.size();
    }
    const size_t end = i + Width(i);
    // Mathlib's ⁻¹' and ∑'.
    return Width(i) > 1 && Byte(end) == '\'' ? end + 1 : end;
  }

  std::string_view text_;
  const bool printed_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t line_ = 0;
  size_t column_ = 0;
  bool code_on_line_ = false;
  bool unterminated_ = false;
};

std::vector<Token> WithoutTrivia(std::vector<Token> tokens) {
  std::erase_if(tokens, [](const Token& token) { return token.IsTrivia(); });
  return tokens;
}

}  // namespace

std::vector<Token> Lex(std::string_view text) { return Lexer(text).Run(); }

std::vector<Token> LexCode(std::string_view text) { return WithoutTrivia(Lex(text)); }

std::vector<Token> LexPrinted(std::string_view text) {
  return WithoutTrivia(Lexer(text, /*printed=*/true).Run());
}

std::string_view WordAt(std::string_view text, std::span<const Token> tokens, size_t i) {
  if (i >= tokens.size()) return {};
  const TokenKind kind = tokens[i].kind;
  const bool word = kind == TokenKind::kWord || kind == TokenKind::kSymbol;
  return word ? TextOf(text, tokens[i]) : std::string_view();
}

std::vector<std::string_view> WordsOf(std::string_view code) {
  std::vector<std::string_view> words;
  for (const Token& token : LexCode(code)) words.push_back(TextOf(code, token));
  return words;
}

std::string WithoutComments(std::string_view code) {
  std::string out;
  size_t at = 0;
  for (const Token& token : Lex(code)) {
    if (!token.IsTrivia()) continue;
    out += code.substr(at, token.begin - at);
    at = token.end;
  }
  out += code.substr(at);
  const size_t begin = std::min(out.find_first_not_of(" \t\r\n"), out.size());
  return out.substr(begin, out.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::string TokenKey(std::string_view code) {
  std::string key;
  for (const Token& token : LexCode(code)) {
    key.append(key.empty() ? "" : " ").append(TextOf(code, token));
  }
  return key;
}

std::vector<std::string_view> NameComponents(std::string_view name) {
  std::vector<std::string_view> components;
  size_t begin = 0;
  bool quoted = false;
  for (size_t i = 0; i < name.size();) {
    const CodePoint c = DecodeUtf8(name, i);
    if (c.value == kOpenQuote) quoted = true;
    if (c.value == kCloseQuote) quoted = false;
    if (c.value == '.' && !quoted) {
      components.push_back(name.substr(begin, i - begin));
      begin = i + 1;
    }
    i += c.length;
  }
  if (begin < name.size()) components.push_back(name.substr(begin));
  return components;
}

std::string_view LastComponent(std::string_view name) {
  const auto components = NameComponents(name);
  return components.empty() ? name : components.back();
}

std::string_view WithoutRoot(std::string_view name) {
  constexpr std::string_view kRoot = "_root_.";
  if (name.starts_with(kRoot)) name.remove_prefix(kRoot.size());
  return name;
}

std::string_view NamespaceOf(std::string_view name) {
  const auto last = static_cast<size_t>(LastComponent(name).data() - name.data());
  return name.substr(0, last == 0 ? 0 : last - 1);
}

bool HasComponent(std::string_view name, std::initializer_list<std::string_view> components) {
  const auto own = NameComponents(name);
  return std::find_first_of(own.begin(), own.end(), components.begin(), components.end()) !=
         own.end();
}

bool HasWordWith(std::string_view code, const std::function<bool(std::string_view)>& holds) {
  for (const Token& token : LexCode(code)) {
    if (token.kind != TokenKind::kWord) continue;
    for (const auto part : NameComponents(TextOf(code, token))) {
      if (holds(part)) return true;
    }
  }
  return false;
}

std::string Unquoted(std::string_view text) {
  std::string plain(text);
  for (const std::string_view mark : {"«", "»"}) {
    for (size_t at; (at = plain.find(mark)) != std::string::npos;) plain.erase(at, mark.size());
  }
  return plain;
}

std::string AsNamePart(std::string_view name) {
  constexpr unsigned char kAscii = 0x80;
  std::string part;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= kAscii || std::isalnum(byte) != 0 || c == '_' || c == '\'';
    part += plain ? c : '_';
  }
  return part;
}

}  // namespace zermelo::syntax
