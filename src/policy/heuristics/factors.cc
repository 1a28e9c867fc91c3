// Equations in two integers whose quadratic polynomial is a product of linear ones up to a number:
// x * y = 3 * x + 2 * y is (x - 2) * (y - 3) = 6, and x ^ 2 - y ^ 2 = 51 is (x - y) * (x + y) = 51.
// Each factor divides that number, which leaves a few linear systems.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "policy/arith/polynomial.h"
#include "policy/heuristics/divisor_table.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr int64_t kMaxFactored = 20'000;
constexpr int64_t kMaxDecided = 60;  // more take `decide` too deep
constexpr size_t kMaxDivisors = 24;
constexpr size_t kMaxEquations = 3;

struct Linear {
  Integer x, y, constant;  // coefficients
};

// left * right = number
struct FactoredEquation {
  Linear left, right;
  Integer number;
};

// a x² + b x y + c y² + d x + e y + f
struct Quadratic {
  Integer a, b, c, d, e, f;
};

std::optional<Integer> Root(const Integer& square) {
  if (square < 0) return std::nullopt;
  const Integer root = boost::multiprecision::sqrt(square);
  if (root * root != square) return std::nullopt;
  return root;
}

Linear Primitive(const Integer& x, const Integer& y) {
  const Integer shared = boost::multiprecision::gcd(x, y);
  return {x / shared, y / shared, 0};
}

// The leading form a x² + b x y + c y² as a multiple of two linear forms that are not parallel.
std::optional<std::pair<Linear, Linear>> FactorForm(const Quadratic& q) {
  const auto root = Root(q.b * q.b - 4 * q.a * q.c);
  if (!root || *root == 0) return std::nullopt;
  if (q.a == 0) return std::pair(Primitive(q.b, q.c), Linear{0, 1, 0});
  return std::pair(Primitive(2 * q.a, q.b - *root), Primitive(2 * q.a, q.b + *root));
}

// Adds constants to the factors of the leading form so that their product has the linear terms.
std::optional<FactoredEquation> FactorUpToANumber(const Quadratic& q) {
  const auto forms = FactorForm(q);
  if (!forms) return std::nullopt;
  auto [left, right] = *forms;
  const Rational content = q.a != 0   ? Rational(q.a, left.x * right.x)
                           : q.c != 0 ? Rational(q.c, left.y * right.y)
                                      : Rational(q.b, left.x * right.y + left.y * right.x);
  const Rational d = q.d / content, e = q.e / content;
  const Rational determinant(left.x * right.y - right.x * left.y);
  const Rational of_right = (d * right.y - e * right.x) / determinant;
  const Rational of_left = (e * left.x - d * left.y) / determinant;
  const auto scaled = [](const Linear& form, const Rational& constant) {
    const Integer by(denominator(constant));
    return Linear{form.x * by, form.y * by, Integer(numerator(constant))};
  };
  const Rational number = (of_left * of_right - q.f / content) * Rational(denominator(of_left)) *
                          Rational(denominator(of_right));
  if (!IsInteger(number)) return std::nullopt;
  return FactoredEquation{scaled(left, of_left), scaled(right, of_right),
                          Integer(numerator(number))};
}

struct QuadraticEquation {
  const Fact& fact;
  std::string x, y;
  Domain domain;
  Quadratic quadratic;
};

std::optional<QuadraticEquation> ReadEquation(const Fact& fact, const ArithmeticGoal& arith) {
  if (!fact.prop->Is("=")) return std::nullopt;
  const Domain domain = DomainOf(*fact.prop, arith);
  const bool is_nat = domain == Domain::kNat;
  if (domain != Domain::kInt && !(is_nat && !Subtracts(*fact.prop))) return std::nullopt;
  const auto difference = LeftMinusRight(*fact.prop);
  if (!difference || Degree(*difference) != 2) return std::nullopt;
  const auto variables = IntegerVariables(*fact.prop, arith);
  if (variables.size() != 2) return std::nullopt;
  QuadraticEquation equation{fact, variables[0], variables[1], domain, {}};
  const auto& [x, y] = std::tie(equation.x, equation.y);
  Quadratic& q = equation.quadratic;
  const std::pair<Monomial, Integer*> places[] = {{{{x, 2}}, &q.a}, {{{x, 1}, {y, 1}}, &q.b},
                                                  {{{y, 2}}, &q.c}, {{{x, 1}}, &q.d},
                                                  {{{y, 1}}, &q.e}, {{}, &q.f}};
  size_t found = 0;
  for (const auto& [monomial, place] : places) {
    const auto at = difference->find(monomial);
    if (at == difference->end()) continue;
    if (!IsInteger(at->second)) return std::nullopt;
    *place = Integer(numerator(at->second));
    ++found;
  }
  if (found != difference->size()) return std::nullopt;
  return equation;
}

// The values of x and y where the factors have these values; nullopt if they are not integers.
std::optional<std::pair<Integer, Integer>> ValuesAt(const FactoredEquation& product,
                                                    const Integer& left) {
  const Integer of_left = left - product.left.constant;
  const Integer of_right = product.number / left - product.right.constant;
  const Integer determinant = product.left.x * product.right.y - product.right.x * product.left.y;
  const Integer x = of_left * product.right.y - of_right * product.left.y;
  const Integer y = of_right * product.left.x - of_left * product.right.x;
  if (x % determinant != 0 || y % determinant != 0) return std::nullopt;
  return std::pair(Integer(x / determinant), Integer(y / determinant));
}

std::string TextOf(const Linear& form, const QuadraticEquation& equation) {
  const auto name = [&](const std::string& variable) {
    return equation.domain == Domain::kNat ? "(" + variable + " : Int)" : variable;
  };
  Polynomial polynomial;
  const auto add = [&](Monomial monomial, const Integer& coefficient) {
    if (coefficient != 0) polynomial[std::move(monomial)] = Rational(coefficient);
  };
  add({{name(equation.x), 1}}, form.x);
  add({{name(equation.y), 1}}, form.y);
  add({}, form.constant);
  return ToString(polynomial);
}

constexpr std::string_view kClosers = "first | decide | (simp_all; done) | grind";

// Lines with `hm : (LEFT).natAbs ∈ [1, 3, …]`, the divisors, by hprod.
std::string AbsoluteValueText(const std::string& left, const std::string& right,
                              const Divisors& divisors) {
  const std::string product =
      "(Int.natAbs_mul _ _).symm.trans (congrArg Int.natAbs hprod)";  // natAbs * natAbs = number
  if (divisors.number > kMaxDecided) {
    return AllDivisors(divisors) +
           fmt::format("have hm := hdiv ({}).natAbs ({}).natAbs\n  ({})\n", left, right, product);
  }
  return fmt::format(
      "have hdiv : ({0}).natAbs ∣ {1} :=\n  ⟨_, ({2}).symm⟩\n"
      "have hm := (show ∀ d ≤ {1}, d ∣ {1} → d ∈ [{3}] by decide) _\n"
      "  (Nat.le_of_dvd (by decide) hdiv) hdiv\n",
      left, divisors.number, product, fmt::join(divisors.all, ", "));
}

std::string CasesText(const ArithmeticGoal& arith, const QuadraticEquation& equation,
                      const FactoredEquation& product, const Divisors& divisors) {
  const std::string left = TextOf(product.left, equation);
  const std::string right = TextOf(product.right, equation);
  const bool is_nat = equation.domain == Domain::kNat;
  std::string text;
  if (is_nat) {
    text += fmt::format("have hcast := congrArg (Nat.cast (R := Int)) ({})\n", equation.fact.proof);
  }
  text +=
      fmt::format("have hprod : ({}) * ({}) = {} := by grind\n", left, right, product.number.str());
  if (is_nat) text += "clear hcast\n";
  text += AbsoluteValueText(left, right, divisors);
  text += fmt::format(
      "have hv := Int.natAbs_eq ({0})\n"
      "generalize ({0}).natAbs = {1} at hm hv\n"
      "clear hdiv\n"
      "simp only [List.mem_cons, List.not_mem_nil, or_false] at hm\n"
      "rcases hm with {2} <;> rcases hv with hv | hv <;> rw [hv] at hprod\n",
      left, arith.Fresh("d"), Repeated("rfl", divisors.all.size()));
  for (const std::string& divisor : divisors.all) {
    for (const Integer& value : {Integer(divisor), -Integer(divisor)}) {
      const auto solution = ValuesAt(product, value);
      const bool exists = solution && (!is_nat || (solution->first >= 0 && solution->second >= 0));
      text += exists ? fmt::format(
                           "· first | omega | (obtain ⟨rfl, rfl⟩ : {} = {} ∧ {} = {} := "
                           "by omega; {})\n",
                           equation.x, solution->first.str(), equation.y, solution->second.str(),
                           kClosers)
                     : "· omega\n";
    }
  }
  text.pop_back();
  return text;
}

}  // namespace

void ProposeFactors(const ArithmeticGoal& arith, Candidates* out) {
  size_t proposed = 0;
  for (const Fact& fact : arith.facts) {
    if (proposed == kMaxEquations) break;
    const auto equation = ReadEquation(fact, arith);
    const auto product = equation ? FactorUpToANumber(equation->quadratic) : std::nullopt;
    if (!product || product->number == 0 || abs(product->number) > kMaxFactored) continue;
    const Divisors divisors = DivisorsOf(static_cast<int64_t>(abs(product->number)));
    if (divisors.all.size() > kMaxDivisors) continue;
    out->push_back({CasesText(arith, *equation, *product, divisors), 0.8, true, "factors"});
    ++proposed;
  }
}

}  // namespace zermelo::policy
