// Reads arithmetic as printed by Lean: numerals, + - * / % ^, relations, connectives, binders,
// casts and applications. This is not a Lean parser: unknown syntax becomes an opaque term with its
// text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zermelo::policy {

struct Term;
using TermPtr = std::shared_ptr<const Term>;

enum class TermKind {
  kNumeral,   // head: the digits
  kName,      // head: the name, dots included
  kApply,     // head: the function's name; args: its arguments. `m.gcd n` is `gcd` of m and n
  kOperator,  // head: "+", "∣", "∧", "→", …; args: one (prefix - and ¬) or two
  kCast,      // ↑x; args: x
  kBinder,    // head: "∀" or "∃"; names, bound; args: the body
  kOpaque,    // anything else
};

struct Term {
  TermKind kind = TermKind::kOpaque;
  std::string head;
  std::vector<TermPtr> args;
  std::vector<std::string> names;  // of a binder
  std::string bound;               // of a binder: ": Nat", "≥ 3", or empty
  std::string text;                // as printed, without parentheses around the whole term

  bool Is(std::string_view op) const { return kind == TermKind::kOperator && head == op; }
  bool IsApply(std::string_view function) const {
    return kind == TermKind::kApply && head == function;
  }
};

/// Never null. Work is linear; nesting deeper than 200 gives an opaque term.
TermPtr ParseTerm(std::string_view text);

/// The value of a numeral or of a negated one; nothing if it does not fit.
std::optional<int64_t> NumeralValue(const Term& term);

/// Calls `visit` on the term and all its parts, outermost first.
void Visit(const Term& term, const std::function<void(const Term&)>& visit);

/// True if `name` occurs as a name, as a function, or as the `x` in `x.den`.
bool Mentions(const Term& term, std::string_view name);

/// True if a part of it is a difference.
bool Subtracts(const Term& term);

/// The text in parentheses unless it is a single word.
std::string Parenthesized(const Term& term);

/// The parts of `A ∧ B ∧ C`.
std::vector<TermPtr> Conjuncts(const TermPtr& term);

/// = ≠ < ≤ > ≥ ∣
bool IsRelation(const Term& term);
/// An operator that makes an element, such as +: no relation and no connective.
bool IsOperation(const Term& term);

}  // namespace zermelo::policy
