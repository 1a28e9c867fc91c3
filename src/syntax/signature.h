// The signature of a declaration: its binders and its type.
//
// Pure functions; any bytes are accepted; linear in their input.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/lexer.h"
#include "syntax/words.h"

namespace zermelo::syntax {

/// `(x y : A)`, `{x : A}`, `⦃x : A⦄`, `[i : B x]`.
struct Binder {
  BracketKind kind = BracketKind::kRound;
  std::vector<std::string> names;  // none for an instance without a name
  std::string type;                // empty if it is not given; with the default value, if any
  bool operator==(const Binder&) const = default;
};

struct Signature {
  std::vector<Binder> binders;
  std::string type;
  size_t colon = 0;  // byte offset of the `:` before the type
};

/// The binders at the beginning of a text.
std::vector<Binder> ParseBinders(std::string_view text);

/// Reads "(n m : Nat) : n + m = m + n". nullopt if there is no type, or something else before it
/// than binders in brackets.
std::optional<Signature> ParseSignature(std::string_view text);

/// The token after the bracket that opens at token `i`, or `end`.
size_t AfterBracket(std::string_view text, std::span<const Token> tokens, size_t i, size_t end);

/// The first token with this text in [i, end) outside of brackets, or `end`.
size_t FindOutside(std::string_view text, std::span<const Token> tokens, std::string_view wanted,
                   size_t i, size_t end);

/// Code on one line: without comments, and with one blank for each run of blanks and comments.
std::string OnOneLine(std::string_view code);

}  // namespace zermelo::syntax
