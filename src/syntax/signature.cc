#include "syntax/signature.h"

#include <algorithm>

#include "core/text.h"

namespace zermelo::syntax {

namespace {

/// The text of the tokens [begin, end).
std::string_view TextBetween(std::string_view text, std::span<const Token> tokens, size_t begin,
                             size_t end) {
  if (begin >= end) return {};
  return text.substr(tokens[begin].begin, tokens[end - 1].end - tokens[begin].begin);
}

/// The binder in the tokens [begin, end), brackets included.
Binder ReadBinder(std::string_view text, std::span<const Token> tokens, size_t begin, size_t end) {
  Binder binder;
  binder.kind = OpeningBracket(WordAt(text, tokens, begin));
  const size_t inside = end - 1;
  const size_t colon = FindOutside(text, tokens, ":", begin + 1, inside);
  if (binder.kind == BracketKind::kSquare && colon == inside) {
    binder.type = TextBetween(text, tokens, begin + 1, inside);
    return binder;
  }
  for (size_t i = begin + 1; i < colon; ++i) binder.names.emplace_back(TextOf(text, tokens[i]));
  binder.type = TextBetween(text, tokens, colon + 1, inside);
  return binder;
}

/// Reads the binders from the first token on; returns the token after them.
size_t ReadBinders(std::string_view text, std::span<const Token> tokens,
                   std::vector<Binder>& binders) {
  size_t i = 0;
  while (i < tokens.size()) {
    const BracketKind opens = OpeningBracket(WordAt(text, tokens, i));
    const size_t next = AfterBracket(text, tokens, i, tokens.size());
    if (opens == BracketKind::kNone || next == i + 1) break;
    if (ClosingBracket(WordAt(text, tokens, next - 1)) != opens) break;
    binders.push_back(ReadBinder(text, tokens, i, next));
    i = next;
  }
  return i;
}

}  // namespace

std::vector<Binder> ParseBinders(std::string_view text) {
  std::vector<Binder> binders;
  ReadBinders(text, LexCode(text), binders);
  return binders;
}

std::optional<Signature> ParseSignature(std::string_view text) {
  const auto tokens = LexCode(text);
  Signature signature;
  const size_t colon = ReadBinders(text, tokens, signature.binders);
  if (WordAt(text, tokens, colon) != ":") return std::nullopt;
  signature.colon = tokens[colon].begin;
  signature.type = core::Trim(text.substr(tokens[colon].end));
  return signature;
}

size_t AfterBracket(std::string_view text, std::span<const Token> tokens, size_t i, size_t end) {
  size_t depth = 0;
  for (; i < end; ++i) {
    const int nesting = Nesting(WordAt(text, tokens, i));
    if (nesting > 0) ++depth;
    if (nesting < 0 && depth > 0 && --depth == 0) return i + 1;
  }
  return end;
}

size_t FindOutside(std::string_view text, std::span<const Token> tokens, std::string_view wanted,
                   size_t i, size_t end) {
  while (i < end && WordAt(text, tokens, i) != wanted) {
    i = Nesting(WordAt(text, tokens, i)) > 0 ? AfterBracket(text, tokens, i, end) : i + 1;
  }
  return std::min(i, end);
}

std::string OnOneLine(std::string_view code) {
  std::string line;
  size_t end = 0;
  for (const Token& token : Lex(code)) {
    if (token.IsTrivia() || token.kind == TokenKind::kDocComment) continue;
    if (!line.empty() && token.begin > end) line += ' ';
    line += TextOf(code, token);
    end = token.end;
  }
  return line;
}

}  // namespace zermelo::syntax
