// Common notations of Lean's core library and Mathlib.
#pragma once

#include <cstdint>
#include <string_view>

namespace zermelo::retrieve {

enum class Fixity : uint8_t {
  kInfix,         // a op b
  kInfixFlipped,  // the last argument is written first: Membership.mem s x is x ∈ s
  kPrefix,        // op a
  kPostfix,       // a op
  kCoercion,      // ↑a
};

struct Notation {
  std::string_view constant;
  std::string_view symbol;
  Fixity fixity = Fixity::kInfix;
  // Precedences as in Lean's Prelude and Notation: of the whole, and the minimum of each side.
  int precedence = 0;
  int left = 0;
  int right = 0;
  std::string_view word = {};  // its word in theorem names, e.g. "add"; may be empty
};

/// The notation of a constant, or nullptr.
const Notation* FindNotation(std::string_view constant);
enum class SymbolPlace : uint8_t { kPrefix, kOther };  // kPrefix: it precedes its only argument
/// The notation most commonly meant by `symbol`, or nullptr. `preferred`: for a symbol with both
/// uses.
const Notation* FindSymbol(std::string_view symbol, SymbolPlace preferred = SymbolPlace::kOther);

}  // namespace zermelo::retrieve
