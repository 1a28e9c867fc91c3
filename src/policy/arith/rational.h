// Exact arithmetic for evaluating goals before Lean is called.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <string>

namespace zermelo::policy {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;
using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend,
                                               boost::multiprecision::et_off>;

inline bool IsInteger(const Rational& value) { return denominator(value) == 1; }

/// The value; empty if its numerator or denominator exceeds 2^100, which keeps evaluation cheap.
std::optional<Rational> Bounded(const Rational& value);

/// Empty if the exponent is not a natural number or the result is too large.
std::optional<Rational> Power(const Rational& base, const Rational& exponent);

/// Rounds towards minus infinity for a positive divisor, as Int's division; x / 0 = 0.
Integer FloorDivide(const Integer& a, const Integer& b);
/// In 0..|b|-1, as Int's remainder; x % 0 = x.
Integer Remainder(const Integer& a, const Integer& b);

/// "3", "-3", "5 / 7".
std::string ToString(const Rational& value);

}  // namespace zermelo::policy
