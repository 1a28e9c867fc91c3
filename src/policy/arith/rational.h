// Exact arithmetic on small numbers, for evaluating goals before Lean is called.
#pragma once

#include <optional>
#include <string>

namespace zermelo::policy {

__extension__ typedef __int128 Wide;  // no ISO type is as wide

/// A fraction in lowest terms with a positive denominator; magnitudes stay below 2^100.
struct Rational {
  Wide numerator = 0;
  Wide denominator = 1;

  bool IsInteger() const { return denominator == 1; }
  bool operator==(const Rational&) const = default;
};

/// Empty if the result is too large or not defined (division by zero).
std::optional<Rational> MakeRational(Wide numerator, Wide denominator);
std::optional<Rational> Add(const Rational& a, const Rational& b);
std::optional<Rational> Subtract(const Rational& a, const Rational& b);
std::optional<Rational> Multiply(const Rational& a, const Rational& b);
std::optional<Rational> Divide(const Rational& a, const Rational& b);
std::optional<Rational> Power(const Rational& base, const Rational& exponent);

bool Less(const Rational& a, const Rational& b);

/// Rounds towards minus infinity for a positive divisor, as Int's division; x / 0 = 0.
Wide FloorDivide(Wide a, Wide b);
/// In 0..|b|-1, as Int's remainder; x % 0 = x.
Wide Remainder(Wide a, Wide b);
Wide Gcd(Wide a, Wide b);

std::string ToString(Wide value);
/// "3", "-3", "5 / 7".
std::string ToString(const Rational& value);

}  // namespace zermelo::policy
