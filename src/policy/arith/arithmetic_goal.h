// The arithmetic of a goal: its variables and their domains, its facts, and its target.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/arith/rational.h"
#include "policy/arith/term.h"
#include "syntax/goal/goal.h"

namespace zermelo::policy {

enum class Domain { kOther, kNat, kInt, kRat };

struct Variable {
  std::string name;
  std::string type;
  Domain domain = Domain::kOther;
};

/// A proposition and a term that proves it: "h₀", or "h₀.2" for a part of a conjunction.
struct Fact {
  std::string proof;
  TermPtr prop;
  std::string hypothesis;  // that it comes from
};

struct ArithmeticGoal {
  std::vector<Variable> variables;  // hypotheses whose type does not look like a proposition
  std::vector<Fact> facts;          // conjunctions are taken apart
  TermPtr target;
  std::vector<std::string> names;  // all names in use

  const Variable* Find(std::string_view name) const;
  /// A name that is not in use: `base`, or `base` with a number.
  std::string Fresh(std::string_view base) const;
};

ArithmeticGoal ReadGoal(const syntax::Goal& goal);

/// The domain of "Nat", "ℕ", "Int", …; kOther for any other type.
Domain DomainOfType(std::string_view type);

/// The domain of the numbers in a term; kOther if the type of none is known. A cast of a natural
/// number alone does not determine it: Int is assumed unless there is a rational variable or a
/// division.
Domain DomainOf(const Term& term, const ArithmeticGoal& arith);

/// The name of kNat, kInt or kRat in Lean: "Nat", …
std::string_view TypeName(Domain domain);

/// The variables of domain Nat or Int in a term, without duplicates.
std::vector<std::string> IntegerVariables(const Term& term, const ArithmeticGoal& arith);

/// True if a term consists only of numerals, Nat and Int variables, arithmetic, relations and
/// propositional connectives, so that `decide` can evaluate it at given numbers.
bool IsComputable(const Term& term, const ArithmeticGoal& arith);

/// Values of variables, and of functions applied to numbers.
struct Assignment {
  std::map<std::string, Rational, std::less<>> values;
  std::map<std::pair<std::string, int64_t>, Rational> applications;
};

/// The value of an arithmetic term as Lean computes it in `domain` (truncated subtraction on Nat,
/// x / 0 = 0); empty if it has an unknown part or becomes too large.
std::optional<Rational> Evaluate(const Term& term, const Assignment& assignment, Domain domain);

/// The same for a proposition.
std::optional<bool> Holds(const Term& term, const Assignment& assignment,
                          const ArithmeticGoal& arith);

}  // namespace zermelo::policy
