#include "policy/arith/rational.h"

namespace zermelo::policy {

std::optional<Rational> Bounded(const Rational& value) {
  static const Integer limit = Integer(1) << 100;
  if (abs(numerator(value)) > limit || denominator(value) > limit) return std::nullopt;
  return value;
}

std::optional<Rational> Power(const Rational& base, const Rational& exponent) {
  constexpr int kMostFactors = 4096;
  if (!IsInteger(exponent) || exponent < 0) return std::nullopt;
  if (exponent > kMostFactors) {
    if (base == 0 || base == 1) return base;
    if (base != -1) return std::nullopt;
    return Rational(numerator(exponent) % 2 == 0 ? 1 : -1);
  }
  std::optional<Rational> power(1);
  for (int i = 0; i < exponent && power; ++i) power = Bounded(*power * base);
  return power;
}

Integer Remainder(const Integer& a, const Integer& b) {
  if (b == 0) return a;
  const Integer r = a % b;
  return r < 0 ? Integer(r + abs(b)) : r;
}

Integer FloorDivide(const Integer& a, const Integer& b) {
  return b == 0 ? Integer(0) : Integer((a - Remainder(a, b)) / b);
}

std::string ToString(const Rational& value) {
  const std::string top = numerator(value).str();
  return IsInteger(value) ? top : top + " / " + denominator(value).str();
}

}  // namespace zermelo::policy
