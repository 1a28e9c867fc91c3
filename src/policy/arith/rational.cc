#include "policy/arith/rational.h"

#include <algorithm>

namespace zermelo::policy {
namespace {

constexpr Wide kLimit = static_cast<Wide>(1) << 100;

std::optional<Wide> Times(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<Wide> Plus(Wide a, Wide b) {
  Wide sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace

Wide Gcd(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    const Wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

Wide Remainder(Wide a, Wide b) {
  if (b == 0) return a;
  const Wide r = a % b;
  return r < 0 ? r + (b < 0 ? -b : b) : r;
}

Wide FloorDivide(Wide a, Wide b) { return b == 0 ? 0 : (a - Remainder(a, b)) / b; }

std::optional<Rational> MakeRational(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  const Wide gcd = Gcd(numerator, denominator) * (denominator < 0 ? -1 : 1);
  const Rational value{numerator / gcd, denominator / gcd};
  if (value.numerator > kLimit || value.numerator < -kLimit || value.denominator > kLimit) {
    return std::nullopt;
  }
  return value;
}

std::optional<Rational> Add(const Rational& a, const Rational& b) {
  const auto left = Times(a.numerator, b.denominator);
  const auto right = Times(b.numerator, a.denominator);
  const auto denominator = Times(a.denominator, b.denominator);
  if (!left || !right || !denominator) return std::nullopt;
  const auto numerator = Plus(*left, *right);
  return numerator ? MakeRational(*numerator, *denominator) : std::nullopt;
}

std::optional<Rational> Subtract(const Rational& a, const Rational& b) {
  return Add(a, {-b.numerator, b.denominator});
}

std::optional<Rational> Multiply(const Rational& a, const Rational& b) {
  const auto numerator = Times(a.numerator, b.numerator);
  const auto denominator = Times(a.denominator, b.denominator);
  if (!numerator || !denominator) return std::nullopt;
  return MakeRational(*numerator, *denominator);
}

std::optional<Rational> Divide(const Rational& a, const Rational& b) {
  if (b.numerator == 0) return std::nullopt;
  return Multiply(a, b.numerator < 0 ? Rational{-b.denominator, -b.numerator}
                                     : Rational{b.denominator, b.numerator});
}

std::optional<Rational> Power(const Rational& base, const Rational& exponent) {
  if (!exponent.IsInteger() || exponent.numerator < 0) return std::nullopt;
  if (exponent.numerator > 4096) {
    const bool small = base.IsInteger() && base.numerator >= -1 && base.numerator <= 1;
    if (!small) return std::nullopt;
    if (base.numerator >= 0) return base;
    return Rational{exponent.numerator % 2 == 0 ? 1 : -1, 1};
  }
  std::optional<Rational> power = Rational{1, 1};
  for (Wide i = 0; i < exponent.numerator && power; ++i) power = Multiply(*power, base);
  return power;
}

bool Less(const Rational& a, const Rational& b) {
  const auto difference = Subtract(a, b);
  return difference && difference->numerator < 0;
}

std::string ToString(Wide value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  for (; value != 0; value /= 10) {
    const int digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string ToString(const Rational& value) {
  if (value.IsInteger()) return ToString(value.numerator);
  return ToString(value.numerator) + " / " + ToString(value.denominator);
}

}  // namespace zermelo::policy
