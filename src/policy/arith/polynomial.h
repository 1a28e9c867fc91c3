// Polynomials with rational coefficients in the variables of a goal.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/arith/rational.h"
#include "policy/arith/term.h"

namespace zermelo::policy {

/// Positive exponents by variable.
using Monomial = std::map<std::string, int>;
using Polynomial = std::map<Monomial, Rational>;

/// Empty if the term is not a polynomial, has more than 200 monomials, or has too large
/// coefficients. Subtraction of Nat is read as if it were exact: the caller has to exclude it.
std::optional<Polynomial> ReadPolynomial(const Term& term);

/// The left side of a relation minus the right one, read as above.
std::optional<Polynomial> LeftMinusRight(const Term& relation);

std::optional<Polynomial> Add(const Polynomial& a, const Polynomial& b, const Rational& scale);
std::optional<Polynomial> Multiply(const Polynomial& a, const Polynomial& b);
int Degree(const Polynomial& p);

/// In the syntax of Lean, a positive term first: "x ^ 2 + 3 * x * y - 1".
std::string ToString(const Polynomial& p);
/// The same, in parentheses if it has several monomials.
std::string Grouped(const Polynomial& p);

bool MentionsAny(const Polynomial& p, const std::vector<std::string>& names);

/// All monomials in `variables` of degree at most `degree`.
std::vector<Monomial> Monomials(const std::vector<std::string>& variables, int degree);

/// One solution of a system of linear equations, given as rows of coefficients followed by the
/// right side; nothing if there is none or the numbers become too large.
std::optional<std::vector<Rational>> SolveLinear(std::vector<std::vector<Rational>> rows);

}  // namespace zermelo::policy
