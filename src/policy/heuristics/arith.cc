// Hints for linear arithmetic, and claims about natural numbers that are proved over the rationals.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

#include "policy/arith/polynomial.h"
#include "policy/heuristics/heuristics.h"
#include "policy/heuristics/hints.h"

namespace zermelo::policy {
namespace {

void Close(std::string tactic, double cost, Candidates* out) {
  out->push_back({std::move(tactic), cost, true, "arith"});
}

// Proves `a = 42` for a : ℕ from equations over ℚ.
void ProposeRational(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  const Domain domain = DomainOf(target, arith);
  const bool rational_facts =
      std::any_of(arith.facts.begin(), arith.facts.end(),
                  [&](const Fact& fact) { return DomainOf(*fact.prop, arith) == Domain::kRat; });
  if (!rational_facts || domain == Domain::kRat || !IsRelation(target) || target.Is("∣")) return;
  const Term& left = *target.args[0];
  if (left.kind == TermKind::kName) {
    Close(fmt::format("have hq : ({} : Rat) {} {} := by grind\nexact_mod_cast hq", left.head,
                      target.head, target.args[1]->text),
          0.5, out);
  }
  Close("refine Decidable.byContradiction fun hn => ?_\nnorm_cast at *\nfirst | omega | grind", 0.9,
        out);
}

// x * y for x²y²; nothing if the monomial is no square.
std::optional<Monomial> SquareRoot(const Monomial& monomial) {
  Monomial root;
  for (const auto& [variable, exponent] : monomial) {
    if (exponent % 2 != 0) return std::nullopt;
    root[variable] = exponent / 2;
  }
  return root;
}

// Roots of those monomials that are squares and of degree 4 or more.
std::vector<std::string> SquareRoots(const Term& target) {
  std::vector<std::string> roots;
  if (!IsRelation(target)) return roots;
  for (const TermPtr& side : target.args) {
    const auto polynomial = ReadPolynomial(*side);
    if (!polynomial) continue;
    for (const auto& [monomial, coefficient] : *polynomial) {
      const auto root = SquareRoot(monomial);
      if (!root || Degree({{monomial, 1}}) < 4) continue;
      const std::string text = ToString(Polynomial{{*root, 1}});
      if (std::ranges::find(roots, text) == roots.end() && roots.size() < 4) roots.push_back(text);
    }
  }
  return roots;
}

// Like nlinarith: adds squares and products of hypotheses, then calls grind's linear arithmetic.
void ProposeProducts(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  if (!IsRelation(target) && target.head != "False") return;
  std::vector<std::string> names;
  Domain domain = Domain::kOther;
  for (const Variable& variable : arith.variables) {
    if (variable.domain == Domain::kOther) continue;
    const bool used = Mentions(target, variable.name) || target.head == "False";
    if (used && names.size() < 4) names.push_back(variable.name);
    if (used) domain = std::max(domain, variable.domain);
  }
  if (names.empty()) return;
  std::vector<TermPtr> props = {arith.target};
  for (const Fact& fact : arith.facts) props.push_back(fact.prop);
  bool nonlinear = false;
  for (const TermPtr& prop : props) {
    Visit(*prop, [&](const Term& part) {
      nonlinear |= part.Is("^") ||
                   (part.Is("*") && !NumeralValue(*part.args[0]) && !NumeralValue(*part.args[1]));
    });
  }
  if (!nonlinear) return;
  std::vector<std::string> lines;
  if (domain == Domain::kNat || domain == Domain::kInt) {
    for (const std::string& hint : ProductHints(props, FindBounds(props, arith), arith, 12))
      lines.push_back(hint);
  }
  const std::string_view type = domain == Domain::kRat ? "Rat" : "Int";
  auto square = [&](const std::string& term) {
    lines.push_back(
        fmt::format("have := Lean.Grind.OrderedRing.sq_nonneg (a := ({} : {}))", term, type));
  };
  for (size_t i = 0; i < names.size(); ++i) {
    square(names[i]);
    for (size_t j = i + 1; j < names.size(); ++j) {
      square(fmt::format("({0} : {2}) - {1}", names[i], names[j], type));
      square(fmt::format("({0} : {2}) + {1}", names[i], names[j], type));
    }
  }
  for (const std::string& root : SquareRoots(target)) square(root);
  Close(fmt::format("{}\ngrind", fmt::join(lines, "\n")), 1.3, out);
  if (domain == Domain::kRat) {
    std::string products;
    for (const Fact& first : arith.facts) {
      if (!first.prop->Is("<") && !first.prop->Is("≤")) continue;
      for (const Fact& second : arith.facts) {
        if (!second.prop->Is("<") && !second.prop->Is("≤")) continue;
        if (&second < &first || products.size() > 1200) continue;
        products += fmt::format(
            "have := Rat.mul_nonneg (show 0 ≤ {} - {} by grind) (show 0 ≤ {} - {} by grind)\n",
            Parenthesized(*first.prop->args[1]), Parenthesized(*first.prop->args[0]),
            Parenthesized(*second.prop->args[1]), Parenthesized(*second.prop->args[0]));
      }
    }
    if (!products.empty()) Close(products + "grind", 1.4, out);
  }
}

// p = Σ aᵢ * rootᵢ² + rest, aᵢ > 0; the roots are linear, with whole coefficients.
struct Squares {
  std::vector<Polynomial> roots;
  Rational rest;
};

Polynomial WithWholeCoefficients(Polynomial p) {
  Integer scale = 1;
  for (const auto& [monomial, coefficient] : p)
    scale = boost::multiprecision::lcm(scale, Integer(denominator(coefficient)));
  for (auto& [monomial, coefficient] : p) coefficient *= Rational(scale);
  return p;
}

// The variable of the first square.
std::optional<std::string> SquaredVariable(const Polynomial& p) {
  for (const auto& [monomial, coefficient] : p) {
    if (monomial.size() == 1 && monomial.begin()->second == 2) return monomial.begin()->first;
  }
  return std::nullopt;
}

// Lagrange's reduction of a quadratic polynomial: a x² + x L + c = (2 a x + L)² / 4a + c - L² / 4a.
std::optional<Squares> CompleteSquares(Polynomial p) {
  Squares squares;
  if (Degree(p) != 2) return std::nullopt;
  while (const auto x = SquaredVariable(p)) {
    const Rational a = p.at(Monomial{{*x, 2}});
    if (a < 0) return std::nullopt;
    Polynomial factor, others;  // L and c
    for (const auto& [monomial, coefficient] : p) {
      if (!monomial.contains(*x)) {
        others[monomial] = coefficient;
      } else if (monomial.at(*x) == 1) {
        Monomial rest = monomial;
        rest.erase(*x);
        factor[rest] = coefficient;
      }
    }
    const auto square = Multiply(factor, factor);
    const auto next = square ? Add(others, *square, -1 / (4 * a)) : std::nullopt;
    if (!next) return std::nullopt;
    factor[Monomial{{*x, 1}}] = 2 * a;
    squares.roots.push_back(WithWholeCoefficients(std::move(factor)));
    p = *next;
  }
  if (Degree(p) > 0) return std::nullopt;
  squares.rest = p.empty() ? Rational(0) : p.begin()->second;
  return squares;
}

// A monomial as a product of at most two of `parts`, which are named "0", "1", …
std::optional<Monomial> InParts(const Monomial& monomial, const std::vector<Monomial>& parts) {
  if (monomial.empty()) return Monomial();
  std::optional<Monomial> found;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = 0; j <= i && !found; ++j) {
      Monomial product = parts[i];
      for (const auto& [variable, exponent] : parts[j]) product[variable] += exponent;
      if (product != monomial) continue;
      found.emplace();
      ++(*found)[std::to_string(i)];
      ++(*found)[std::to_string(j)];
    }
  }
  const auto single = std::ranges::find(parts, monomial);
  if (!found && single != parts.end()) found = {{std::to_string(single - parts.begin()), 1}};
  return found;
}

// A polynomial that is quadratic in products of variables, those whose squares it has:
// (a d - b c)² for a² d² + b² c² - 2 a b c d.
std::optional<Squares> CompleteSquaresOfProducts(const Polynomial& p) {
  constexpr size_t kMostParts = 8;
  std::vector<Monomial> parts;
  for (const auto& [monomial, coefficient] : p) {
    auto root = SquareRoot(monomial);
    if (coefficient > 0 && root && !root->empty()) parts.push_back(*std::move(root));
  }
  if (parts.size() > kMostParts) return std::nullopt;
  Polynomial in_parts;
  for (const auto& [monomial, coefficient] : p) {
    const auto product = InParts(monomial, parts);
    if (!product) return std::nullopt;
    in_parts[*product] += coefficient;
  }
  auto squares = CompleteSquares(std::move(in_parts));
  if (!squares) return std::nullopt;
  for (Polynomial& root : squares->roots) {
    Polynomial written;
    for (const auto& [monomial, coefficient] : root) {
      written[monomial.empty() ? monomial : parts[std::stoul(monomial.begin()->first)]] =
          coefficient;
    }
    root = std::move(written);
  }
  return squares;
}

// The larger side minus the smaller one, or the left minus the right one of an equation.
std::optional<Polynomial> Difference(const Term& relation) {
  if (!IsRelation(relation) || relation.Is("∣") || relation.Is("≠")) return std::nullopt;
  const auto difference = LeftMinusRight(relation);
  const bool right_is_larger = relation.Is("<") || relation.Is("≤");
  return difference && right_is_larger ? Add({}, *difference, -1) : difference;
}

std::string SquareLines(const Squares& squares, std::string_view type) {
  std::string lines;
  for (const Polynomial& root : squares.roots) {
    lines += fmt::format("have := Lean.Grind.OrderedRing.sq_nonneg (a := ({} : {}))\n",
                         ToString(root), type);
  }
  return lines;
}

// An inequality between polynomials that differ by a sum of squares.
void ProposeSumOfSquares(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  const Domain domain = DomainOf(target, arith);
  if (domain == Domain::kOther || target.Is("=")) return;
  const auto difference = Difference(target);
  if (!difference) return;
  const auto squares = Degree(*difference) <= 2 ? CompleteSquares(*difference)
                                                : CompleteSquaresOfProducts(*difference);
  if (!squares || squares->rest < 0) return;
  Close(SquareLines(*squares, domain == Domain::kRat ? "Rat" : "Int") + "grind", 0.4, out);
}

// A sum of squares that a hypothesis says is zero, or not positive: each of them is zero.
void ProposeZeroSquares(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  for (const Fact& fact : arith.facts) {
    const Domain domain = DomainOf(*fact.prop, arith);
    if (domain != Domain::kInt && domain != Domain::kNat) continue;
    const auto difference = Difference(*fact.prop);
    if (!difference) continue;
    for (const int sign : {1, -1}) {
      if (sign == 1 && !fact.prop->Is("=")) continue;
      const auto squares = CompleteSquares(*Multiply(*difference, {{Monomial{}, sign}}));
      if (!squares || squares->rest < 0) continue;
      std::string tactic = SquareLines(*squares, "Int");
      if (squares->rest == 0) {
        for (const Polynomial& root : squares->roots) {
          tactic += fmt::format(
              "have := (Int.mul_eq_zero.mp (Int.le_antisymm "
              "(show ({0} : Int) * ({0}) ≤ 0 by grind) (by grind))).elim id id\n",
              ToString(root));
        }
      }
      Close(tactic + "first | omega | grind", 0.45, out);
    }
  }
}

// p(x), by Horner's rule; coefficients by exponent.
Rational ValueAt(const std::vector<Rational>& coefficients, const Rational& x) {
  Rational value = 0;
  for (size_t i = coefficients.size(); i-- > 0;) value = value * x + coefficients[i];
  return value;
}

// p / (x - root), which divides it.
std::vector<Rational> WithoutRoot(const std::vector<Rational>& coefficients, const Rational& root) {
  std::vector<Rational> quotient(coefficients.size() - 1);
  Rational carry = 0;
  for (size_t i = coefficients.size(); i-- > 1;)
    quotient[i - 1] = carry = carry * root + coefficients[i];
  return quotient;
}

Polynomial InVariable(const std::vector<Rational>& coefficients, const std::string& x) {
  Polynomial p;
  for (size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] == 0) continue;
    p[i == 0 ? Monomial{} : Monomial{{x, static_cast<int>(i)}}] = coefficients[i];
  }
  return p;
}

// An equation p(x) = 0 over Int whose whole roots leave a constant or a quadratic without zeros.
void ProposeRoots(const HeuristicInput& input, Candidates* out) {
  constexpr int kFarthestRoot = 1000;
  constexpr int kMostDegree = 6;
  const ArithmeticGoal& arith = input.arith;
  for (const Fact& fact : arith.facts) {
    if (!fact.prop->Is("=") || DomainOf(*fact.prop, arith) != Domain::kInt) continue;
    const auto p = Difference(*fact.prop);
    if (!p || Degree(*p) < 2 || Degree(*p) > kMostDegree) continue;
    std::vector<Rational> rest(static_cast<size_t>(Degree(*p)) + 1);
    std::set<std::string> variables;
    for (const auto& [monomial, coefficient] : *p) {
      for (const auto& [name, exponent] : monomial) variables.insert(name);
      if (monomial.size() <= 1)
        rest[monomial.empty() ? 0 : static_cast<size_t>(monomial.begin()->second)] = coefficient;
    }
    if (variables.size() != 1) continue;
    const std::string& x = *variables.begin();
    std::string product, cases;
    for (int i = 0; i <= 2 * kFarthestRoot && rest.size() > 1; ++i) {
      const int root = i % 2 == 0 ? -i / 2 : i / 2 + 1;
      while (rest.size() > 1 && ValueAt(rest, root) == 0) {
        rest = WithoutRoot(rest, root);
        product += fmt::format("({} {} {}) * (", x, root < 0 ? '+' : '-', std::abs(root));
        cases += "rcases Int.mul_eq_zero.mp hf with hr | hf\n· first | omega | grind\n";
      }
    }
    if (product.empty()) continue;
    const Polynomial last = InVariable(rest, x);
    std::string end = "omega";
    if (rest.size() > 1) {
      auto squares = CompleteSquares(last);
      if (!squares) squares = CompleteSquares(*Multiply(last, {{Monomial{}, -1}}));
      if (!squares || squares->rest <= 0) continue;
      end = SquareLines(*squares, "Int") + "grind";
    }
    const std::string closing(std::ranges::count(product, '*'), ')');
    Close(fmt::format("have hf : {}{}{} = 0 := by grind\n{}{}", product, ToString(last), closing,
                      cases, end),
          0.4, out);
  }
}

// One of several equations: the product of their differences is zero.
void ProposeEquations(const HeuristicInput& input, Candidates* out) {
  constexpr size_t kMostEquations = 4;
  std::vector<TermPtr> equations = {input.arith.target};
  while (equations.back()->Is("∨")) {
    const TermPtr either = equations.back();
    equations.back() = either->args[0];
    equations.push_back(either->args[1]);
  }
  std::vector<std::string> differences;
  for (const TermPtr& equation : equations) {
    if (!equation->Is("=")) return;
    differences.push_back(fmt::format("({} - {})", Parenthesized(*equation->args[0]),
                                      Parenthesized(*equation->args[1])));
  }
  const Domain domain = DomainOf(*equations.back(), input.arith);
  const bool has_factors = domain == Domain::kInt || domain == Domain::kRat;
  if (!has_factors || differences.size() < 2 || differences.size() > kMostEquations) return;
  std::string tactic =
      fmt::format("have hf : {}{} = 0 := by grind\n", fmt::join(differences, " * ("),
                  std::string(differences.size() - 1, ')'));
  for (size_t i = 1; i < differences.size(); ++i) {
    tactic += fmt::format("rcases {}.mul_eq_zero.mp hf with hr | hf\n· first | omega | grind\n",
                          TypeName(domain));
  }
  Close(tactic + "first | omega | grind", 0.42, out);
}

// The signs of two factors and of their product.
void ProposeSigns(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  std::set<std::pair<std::string, std::string>> products;
  const auto look = [&](const Term& part) {
    if (!part.Is("*") || part.args[0]->kind != TermKind::kName ||
        part.args[1]->kind != TermKind::kName || DomainOf(part, arith) != Domain::kInt ||
        part.args[0]->head == part.args[1]->head) {
      return;
    }
    products.emplace(part.args[0]->head, part.args[1]->head);
  };
  Visit(*arith.target, look);
  for (const Fact& fact : arith.facts) {
    if (IsRelation(*fact.prop)) Visit(*fact.prop, look);
  }
  if (products.size() != 1) return;
  const auto& [a, b] = *products.begin();
  const std::string ha = arith.Fresh("ha"), hb = arith.Fresh("hb");
  std::string tactic = fmt::format(
      "rcases Int.lt_trichotomy {0} 0 with {2} | {2} | {2} <;>\n"
      "rcases Int.lt_trichotomy {1} 0 with {3} | {3} | {3} <;>\nfirst\n| omega",
      a, b, ha, hb);
  for (const char* rule : {"Int.mul_pos", "Int.mul_pos_of_neg_of_neg", "Int.mul_neg_of_neg_of_pos",
                           "Int.mul_neg_of_pos_of_neg"}) {
    tactic += fmt::format("\n| (have := {} {} {}; omega)", rule, ha, hb);
  }
  Close(tactic + "\n| (simp_all; done)\n| grind", 1.1, out);
}

// x = y for natural numbers of which equal powers are known: neither is less.
void ProposeEqualPowers(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  if (!target.Is("=") || DomainOf(target, arith) != Domain::kNat) return;
  std::set<std::string> exponents;
  bool is_nonlinear = false;
  for (const Fact& fact : arith.facts) {
    Visit(*fact.prop, [&](const Term& part) {
      is_nonlinear |= part.Is("*") && !NumeralValue(*part.args[0]) && !NumeralValue(*part.args[1]);
      const auto exponent = part.Is("^") ? NumeralValue(*part.args[1]) : std::nullopt;
      if (exponent && *exponent > 1 && exponents.size() < 3)
        exponents.insert(std::to_string(*exponent));
    });
  }
  if (exponents.empty() && !is_nonlinear) return;
  const auto branch = [&](const std::string& less) {
    std::string text = fmt::format("\n· have := Nat.mul_self_lt_mul_self {}", less);
    for (const std::string& exponent : exponents) {
      text +=
          fmt::format("\n  have := Nat.pow_lt_pow_left {} (show {} ≠ 0 by decide)", less, exponent);
    }
    return text + "\n  first | omega | grind";
  };
  const std::string less = arith.Fresh("hlt"), greater = arith.Fresh("hgt"),
                    equal = arith.Fresh("heq");
  Close(fmt::format("rcases Nat.lt_trichotomy {} {} with {} | {} | {}{}\n· exact {}{}",
                    Parenthesized(*target.args[0]), Parenthesized(*target.args[1]), less, equal,
                    greater, branch(less), equal, branch(greater)),
        0.7, out);
}

// What division by something that is no number means: a = b (a / b) + a % b and a % b < b.
void ProposeDivisions(const HeuristicInput& input, Candidates* out) {
  constexpr size_t kMostDivisions = 3;
  const ArithmeticGoal& arith = input.arith;
  std::set<std::pair<std::string, std::string>> seen;
  std::string lines;
  const auto look = [&](const Term& part) {
    if ((!part.Is("/") && !part.Is("%")) || NumeralValue(*part.args[1])) return;
    const Domain domain = DomainOf(part, arith);
    if (domain != Domain::kNat && domain != Domain::kInt) return;
    const std::string a = Parenthesized(*part.args[0]), b = Parenthesized(*part.args[1]);
    if (seen.size() == kMostDivisions || !seen.emplace(a, b).second) return;
    const std::string_view by = "by first | omega | grind";
    if (domain == Domain::kNat) {
      lines += fmt::format(
          "try have := Nat.div_add_mod {0} {1}\ntry have := Nat.mod_lt {0} (show 0 < {1} {2})\n", a,
          b, by);
    } else {
      lines += fmt::format(
          "try have := Int.mul_ediv_add_emod {0} {1}\n"
          "try have := Int.emod_nonneg {0} (show {1} ≠ (0 : Int) {2})\n"
          "try have := Int.emod_lt_of_pos {0} (show (0 : Int) < {1} {2})\n",
          a, b, by);
    }
  };
  if (arith.target->kind != TermKind::kBinder) Visit(*arith.target, look);
  for (const Fact& fact : arith.facts) {
    if (fact.prop->kind != TermKind::kBinder) Visit(*fact.prop, look);
  }
  if (!lines.empty()) Close(lines + "first | omega | grind", 0.57, out);
}

}  // namespace

void ProposeArithmetic(const HeuristicInput& input, Candidates* out) {
  ProposeRational(input, out);
  ProposeSumOfSquares(input, out);
  ProposeZeroSquares(input, out);
  ProposeRoots(input, out);
  ProposeEquations(input, out);
  ProposeSigns(input, out);
  ProposeDivisions(input, out);
  ProposeEqualPowers(input, out);
  ProposeProducts(input, out);
}

}  // namespace zermelo::policy
