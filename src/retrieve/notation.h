// The notations of Lean's core library and Mathlib that everybody reads.
#pragma once

#include <cstdint>
#include <string_view>

namespace zermelo::retrieve {

enum class Fixity : uint8_t {
  kInfix,         // a op b
  kInfixFlipped,  // its last argument comes first: Membership.mem s x is x ∈ s
  kPrefix,        // op a
  kPostfix,       // a op
  kCoercion,      // ↑a
};

struct Notation {
  std::string_view constant;
  std::string_view symbol;
  Fixity fixity = Fixity::kInfix;
  // Precedences as in Lean's Prelude and Notation: of the whole, and the least of each side.
  int precedence = 0;
  int left = 0;
  int right = 0;
  std::string_view word = {};  // what names of theorems call it: "add"; empty: nothing
};

/// nullptr if the constant has none.
const Notation* FindNotation(std::string_view constant);
/// The usual one of the constants that are written with a symbol; `prefix`: it stands before its
/// only argument. nullptr if there is none.
const Notation* FindSymbol(std::string_view symbol, bool prefix);

}  // namespace zermelo::retrieve
