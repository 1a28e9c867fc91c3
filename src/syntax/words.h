// Sets of words, the brackets of Lean, and other small tables for those who read tokens.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace zermelo::syntax {

/// A constant set of words, sorted at compile time.
template <size_t kSize>
class WordSet {
 public:
  consteval explicit WordSet(const std::string_view (&words)[kSize]) {
    std::copy(words, words + kSize, words_.begin());
    std::sort(words_.begin(), words_.end());
  }

  constexpr bool Contains(std::string_view word) const {
    return std::binary_search(words_.begin(), words_.end(), word);
  }

 private:
  std::array<std::string_view, kSize> words_{};
};

enum class BracketKind { kNone, kRound, kSquare, kCurly, kAngle, kSingle, kStrict };

constexpr BracketKind OpeningBracket(std::string_view word) {
  if (word == "(") return BracketKind::kRound;
  if (word == "[" || word == "@[" || word == "#[" || word == "%[") return BracketKind::kSquare;
  if (word == "{") return BracketKind::kCurly;
  if (word == "⟨") return BracketKind::kAngle;
  if (word == "‹") return BracketKind::kSingle;
  if (word == "⦃") return BracketKind::kStrict;
  return BracketKind::kNone;
}

constexpr BracketKind ClosingBracket(std::string_view word) {
  if (word == ")") return BracketKind::kRound;
  if (word == "]") return BracketKind::kSquare;
  if (word == "}") return BracketKind::kCurly;
  if (word == "⟩") return BracketKind::kAngle;
  if (word == "›") return BracketKind::kSingle;
  if (word == "⦄") return BracketKind::kStrict;
  return BracketKind::kNone;
}

/// 1 for an opening bracket, -1 for a closing one, 0 for other words.
constexpr int Nesting(std::string_view word) {
  if (OpeningBracket(word) != BracketKind::kNone) return 1;
  return ClosingBracket(word) != BracketKind::kNone ? -1 : 0;
}

/// The value of a superscript digit; -1 for other characters.
constexpr int SuperscriptDigit(char32_t c) {
  const size_t at = std::u32string_view(U"⁰¹²³⁴⁵⁶⁷⁸⁹").find(c);
  return at == std::u32string_view::npos ? -1 : static_cast<int>(at);
}

/// `Nat` for `ℕ`, and so on; other words are returned unchanged.
constexpr std::string_view NumberTypeName(std::string_view word) {
  if (word == "ℕ") return "Nat";
  if (word == "ℤ") return "Int";
  if (word == "ℚ") return "Rat";
  if (word == "ℝ") return "Real";
  return word;
}

}  // namespace zermelo::syntax
