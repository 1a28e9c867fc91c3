// Divisibility: cofactors by linear algebra, gcds of linear terms, the divisors of a number.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/arith/polynomial.h"
#include "policy/heuristics/divisor_table.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr int kMaxDegree = 6;
constexpr size_t kMaxUnknowns = 90;
constexpr int64_t kMaxNumber = 100'000;
constexpr size_t kMaxSmallDivisors = 20;

// A hypothesis that is an equation, or one that `line` makes from a divisibility: the polynomial
// that is zero, and the degree that counts for its multiples.
struct ZeroFact {
  Polynomial zero;
  int degree = 0;
  std::string line, name;  // of the cofactor that it introduces
};

std::optional<ZeroFact> ReadZero(const Fact& fact, const std::string& name) {
  if (fact.prop->Is("=")) {
    const auto difference = LeftMinusRight(*fact.prop);
    if (!difference) return std::nullopt;
    return ZeroFact{*difference, Degree(*difference), "", ""};
  }
  const auto left = ReadPolynomial(*fact.prop->args[0]);
  const auto right = ReadPolynomial(*fact.prop->args[1]);
  if (!left || !right) return std::nullopt;
  const auto multiple = Multiply(*left, {{Monomial{{name, 1}}, 1}});
  auto difference = multiple ? Add(*right, *multiple, {-1, 1}) : std::nullopt;
  if (!difference) return std::nullopt;
  return ZeroFact{*difference, Degree(*right),
                  fmt::format("obtain ⟨{0}, h{0}⟩ := {1}\n", name, fact.proof), name};
}

// The facts of a domain that are equations and, if `opens`, divisibilities.
std::vector<ZeroFact> ZeroFacts(const ArithmeticGoal& arith, Domain domain, bool opens) {
  std::vector<ZeroFact> zeros;
  for (const Fact& fact : arith.facts) {
    const bool is_read = fact.prop->Is("=") || (opens && fact.prop->Is("∣"));
    if (!is_read || DomainOf(*fact.prop, arith) != domain) continue;
    if (auto zero = ReadZero(fact, arith.Fresh(fmt::format("k{}", zeros.size() + 1))))
      zeros.push_back(std::move(*zero));
  }
  return zeros;
}

// Proves d ∣ p by p = d * k + Σ cᵢ * zᵢ, where zᵢ = 0 are hypotheses, lᵢ = rᵢ as lᵢ - rᵢ, and
// lᵢ ∣ rᵢ, if `opens`, as rᵢ - lᵢ * kᵢ with a new variable: the coefficients of k and the cᵢ (of
// bounded degrees) are the unknowns of a linear system.
void ProposeCofactor(const HeuristicInput& input, bool opens, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  if (!target.Is("∣")) return;
  const Domain domain = DomainOf(target, arith);
  const bool is_nat = domain == Domain::kNat;
  if (domain != Domain::kInt && !(is_nat && opens && !Subtracts(target))) return;
  const auto divisor = ReadPolynomial(*target.args[0]);
  const auto dividend = ReadPolynomial(*target.args[1]);
  if (!divisor || !dividend || divisor->empty()) return;
  const int degree = Degree(*dividend);
  if (degree > kMaxDegree || degree < Degree(*divisor)) return;
  std::vector<std::string> variables = IntegerVariables(target, arith);
  std::vector<ZeroFact> zeros = ZeroFacts(arith, domain, opens);
  std::erase_if(zeros, [&](const ZeroFact& zero) { return zero.degree > degree; });
  std::string lines;
  for (const ZeroFact& zero : zeros) {
    lines += zero.line;
    if (!zero.name.empty()) variables.push_back(zero.name);
  }
  if (opens == lines.empty()) return;

  std::vector<Polynomial> columns;  // the polynomials that the unknowns multiply
  const std::vector<Monomial> cofactor =
      Monomials(variables, degree - Degree(*divisor) + (opens ? 1 : 0));
  auto add_columns = [&](const Polynomial& p, const std::vector<Monomial>& monomials) {
    for (const Monomial& monomial : monomials) {
      if (const auto product = Multiply(p, {{monomial, 1}})) columns.push_back(*product);
    }
  };
  add_columns(*divisor, cofactor);
  if (columns.size() != cofactor.size()) return;
  for (const ZeroFact& zero : zeros)
    add_columns(zero.zero, Monomials(variables, degree - zero.degree));
  if (columns.size() > kMaxUnknowns) return;

  std::set<Monomial> monomials;
  for (const Polynomial& column : columns) {
    for (const auto& [monomial, coefficient] : column) monomials.insert(monomial);
  }
  for (const auto& [monomial, coefficient] : *dividend) monomials.insert(monomial);
  std::vector<std::vector<Rational>> rows;
  for (const Monomial& monomial : monomials) {
    std::vector<Rational> row;
    auto coefficient = [&](const Polynomial& p) {
      const auto found = p.find(monomial);
      return found == p.end() ? Rational{} : found->second;
    };
    for (const Polynomial& column : columns) row.push_back(coefficient(column));
    row.push_back(coefficient(*dividend));
    rows.push_back(std::move(row));
  }
  const auto solution = SolveLinear(std::move(rows));
  if (!solution) return;
  Polynomial k;
  for (size_t i = 0; i < cofactor.size(); ++i) {
    const Rational& coefficient = (*solution)[i];
    if (!IsInteger(coefficient) || (is_nat && coefficient < 0)) return;
    if (coefficient != 0) k[cofactor[i]] = coefficient;
  }
  out->push_back(
      {fmt::format("{}exact ⟨{}, by grind⟩", lines, ToString(k)), 0.5, true, "divisors/cofactor"});
}

// A linear term of natural numbers, and the proof that something divides it.
struct Multiple {
  const Term& term;
  std::string proof;
};

struct Elimination {
  std::string lines;  // "have hg := Nat.dvd_sub …", so that hg says what divides `rest`
  Integer rest;       // positive
};

// What divides both divides the constant that is left after eliminating the variables.
std::optional<Elimination> Eliminate(const Multiple& first, const Multiple& second) {
  const auto a = ReadPolynomial(first.term), b = ReadPolynomial(second.term);
  if (!a || !b || Degree(*a) != 1 || Degree(*b) != 1) return std::nullopt;
  const auto linear =
      std::ranges::find_if(*a, [](const auto& part) { return !part.first.empty(); });
  const auto other = b->find(linear->first);
  if (other == b->end() || linear->second <= 0 || other->second <= 0) return std::nullopt;
  const Integer of_a(numerator(linear->second)), of_b(numerator(other->second));
  const Integer shared = boost::multiprecision::gcd(of_a, of_b);
  const Integer left = of_b / shared, right = of_a / shared;
  const auto scaled = Multiply(*a, {{{}, Rational(left)}});
  const auto difference = scaled ? Add(*scaled, *b, Rational(-right)) : std::nullopt;
  if (!difference || difference->empty() || Degree(*difference) > 0) return std::nullopt;
  const Integer rest(numerator(difference->begin()->second));
  const auto times = [](const Integer& factor, const Multiple& one) {
    return std::pair(fmt::format("{} * ({})", factor.str(), one.term.text),
                     fmt::format("Nat.dvd_mul_left_of_dvd ({}) {}", one.proof, factor.str()));
  };
  auto greater = times(left, first), smaller = times(right, second);
  if (rest < 0) std::swap(greater, smaller);
  const Integer size = abs(rest);
  return Elimination{
      fmt::format("have hg := Nat.dvd_sub ({}) ({})\n"
                  "rw [show {} - {} = {} by omega] at hg\n",
                  greater.second, smaller.second, greater.first, smaller.first, size.str()),
      size};
}

constexpr std::string_view kFromDifference =
    "have hle := Nat.le_of_dvd (by decide) hg\n"
    "first\n"
    "| exact Nat.dvd_one.mp hg\n"
    "| exact hle\n"
    "| exact hg\n"
    "| omega\n"
    "| grind";

void ProposeLinearGcd(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term* gcd = nullptr;
  Visit(*arith.target, [&](const Term& part) {
    if ((part.IsApply("gcd") || part.IsApply("Coprime")) && part.args.size() == 2) gcd = &part;
  });
  if (gcd == nullptr || DomainOf(*gcd->args[0], arith) != Domain::kNat) return;
  const Term &first = *gcd->args[0], &second = *gcd->args[1];
  const auto divides = [&](std::string_view side) {
    return fmt::format("Nat.gcd_dvd_{} ({}) ({})", side, first.text, second.text);
  };
  const auto difference = Eliminate({first, divides("left")}, {second, divides("right")});
  if (!difference) return;
  out->push_back({difference->lines + std::string(kFromDifference), 0.5, true, "divisors/gcd"});
}

// What a gcd divides, under the name that a hypothesis gives to it, or a new one.
void ProposeDividedByGcd(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  if (!arith.target->Is("∣")) return;
  const Term* gcd = nullptr;
  const auto look = [&](const Term& part) {
    if (part.IsApply("gcd") && part.args.size() == 2) gcd = &part;
  };
  Visit(*arith.target, look);
  for (const Fact& fact : arith.facts) Visit(*fact.prop, look);
  if (gcd == nullptr || DomainOf(*gcd->args[0], arith) != Domain::kNat) return;
  std::string named;
  for (const Fact& fact : arith.facts) {
    if (!fact.prop->Is("=")) continue;
    if (fact.prop->args[0]->text == gcd->text) named = fact.proof;
    if (fact.prop->args[1]->text == gcd->text) named = "← " + fact.proof;
  }
  const std::string left = arith.Fresh("hl"), right = arith.Fresh("hr");
  const std::string arguments = Parenthesized(*gcd->args[0]) + " " + Parenthesized(*gcd->args[1]);
  const std::string rename =
      named.empty() ? fmt::format("generalize Nat.gcd {} = {} at *", arguments, arith.Fresh("g"))
                    : fmt::format("simp only [{}] at {} {}", named, left, right);
  out->push_back(
      {fmt::format("have {0} := Nat.gcd_dvd_left {2}\nhave {1} := Nat.gcd_dvd_right {2}\n{3}", left,
                   right, arguments, rename),
       0.9, false, "divisors/gcd"});
}

// `variable` divides `number`; `proof` is a term.
struct DivisorChoice {
  std::string variable;
  int64_t number = 0;
  std::string proof;
  std::string cofactor;  // the name of the other factor, a natural number; empty: it has none
};

// One of two factors of a number is at most its square root, so there are few divisors to check,
// and each determines the other factor.
std::string DivisorCases(const ArithmeticGoal& arith, const DivisorChoice& choice) {
  const auto [number, root, small, all] = DivisorsOf(choice.number);
  if (small.size() > kMaxSmallDivisors) return "";
  const std::string& x = choice.variable;
  const bool named = !choice.cofactor.empty();
  const std::string y = named ? choice.cofactor : arith.Fresh("w");
  std::string text;
  if (named) {
    text += fmt::format("have hprod : {} * {} = {} := by first | exact {} | grind\n", x, y,
                        choice.number, choice.proof);
  } else {
    text += fmt::format("obtain ⟨{}, hprod⟩ : {} ∣ {} := {}\nreplace hprod := hprod.symm\n", y, x,
                        choice.number, choice.proof);
  }
  text += fmt::format(
      "have hsmall : ∀ d ≤ {0}, d ∣ {1} → d ∈ [{2}] := by decide\n"
      "have hroot : {3} ≤ {0} ∨ {4} ≤ {0} := by\n"
      "  refine Decidable.byContradiction fun hn => ?_\n"
      "  have := Nat.mul_le_mul (show {5} ≤ {3} by omega) (show {5} ≤ {4} by omega)\n"
      "  omega\n"
      "rcases hroot with hroot | hroot\n",
      root, choice.number, fmt::join(small, ", "), x, y, root + 1);
  for (int side = 0; side < 2; ++side) {
    const std::string& factor = side == 0 ? x : y;
    const std::string& other = side == 0 ? y : x;
    text += fmt::format("· have hm := hsmall {} hroot ⟨{}, by grind⟩\n", factor, other);
    text +=
        "  clear hsmall hroot\n  simp only [List.mem_cons, List.not_mem_nil, or_false] at hm\n  "
        "rcases hm with ";
    std::string branches;
    for (size_t i = 0; i < small.size(); ++i) {
      text += i == 0 ? "rfl" : " | rfl";
      branches += fmt::format(
          "  · obtain rfl : {} = {} := by omega\n"
          "    first | omega | (simp_all; done) | (simp_all; omega) | grind\n",
          other, choice.number / std::stoll(small[i]));
    }
    text += "\n" + branches;
  }
  text.pop_back();
  return text;
}

// From x * y = c, x ∣ c or lcm x 40 = c: x is one of the divisors of c. `facts` hold after
// `prefix`.
void ProposeDivisorCases(const ArithmeticGoal& arith, const std::vector<Fact>& facts,
                         const std::string& prefix, Candidates* out) {
  std::vector<DivisorChoice> choices;
  auto is_natural = [&](const Term& term) {
    const Variable* found = term.kind == TermKind::kName ? arith.Find(term.head) : nullptr;
    return found != nullptr && found->domain == Domain::kNat;
  };
  auto add = [&](const Term& variable, int64_t number, std::string proof, std::string cofactor) {
    if (!is_natural(variable) || number < 1 || number > kMaxNumber) return;
    choices.push_back({variable.head, number, std::move(proof), std::move(cofactor)});
  };
  for (const Fact& fact : facts) {
    const Term& prop = *fact.prop;
    if (prop.args.size() != 2) continue;
    if (prop.Is("=") && prop.args[0]->Is("%") && prop.args[1]->Is("%") &&
        prop.args[0]->args[1]->text == prop.args[1]->args[1]->text) {
      const auto a = NumeralValue(*prop.args[0]->args[0]);
      const auto b = NumeralValue(*prop.args[1]->args[0]);
      if (a && b && *a > *b) {
        add(*prop.args[0]->args[1], *a - *b,
            fmt::format("Nat.dvd_of_mod_eq_zero (Nat.sub_mod_eq_zero_of_mod_eq {})", fact.proof),
            "");
      }
    }
    const auto number = NumeralValue(*prop.args[1]);
    if (!number) continue;
    const Term& left = *prop.args[0];
    if (prop.Is("∣")) add(left, *number, fact.proof, "");
    if (!prop.Is("=") || left.args.size() != 2) continue;
    for (int side = 0; side < 2; ++side) {
      const Term& other = *left.args[1 - side];
      if (left.Is("*") && is_natural(other)) {
        if (other.head != left.args[side]->head)
          add(*left.args[side], *number, fact.proof, other.head);
      } else if (left.Is("*")) {
        add(*left.args[side], *number, fmt::format("⟨{}, by grind⟩", other.text), "");
      } else if (left.IsApply("lcm") && NumeralValue(other)) {
        add(*left.args[side], *number,
            fmt::format("{} ▸ Nat.dvd_lcm_{} {} {}", fact.proof, side == 0 ? "left" : "right",
                        Parenthesized(*left.args[0]), Parenthesized(*left.args[1])),
            "");
      }
    }
  }
  if (choices.size() > 2) choices.resize(2);
  for (const DivisorChoice& choice : choices) {
    const std::string text = DivisorCases(arith, choice);
    if (!text.empty()) out->push_back({prefix + text, 0.9, true, "divisors/cases"});
  }
}

// From d ∣ 2 * n + 1 and d ∣ n + 1: d ∣ 1.
void ProposeCommonDivisors(const ArithmeticGoal& arith, Candidates* out) {
  const auto is_divisibility = [&](const Fact& fact) {
    return fact.prop->Is("∣") && DomainOf(*fact.prop, arith) == Domain::kNat &&
           !NumeralValue(*fact.prop->args[0]);
  };
  for (size_t i = 0; i < arith.facts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Fact &first = arith.facts[i], &second = arith.facts[j];
      if (!is_divisibility(first) || !is_divisibility(second)) continue;
      const Term& divisor = *first.prop->args[0];
      if (divisor.text != second.prop->args[0]->text) continue;
      const auto difference =
          Eliminate({*first.prop->args[1], first.proof}, {*second.prop->args[1], second.proof});
      if (!difference) continue;
      out->push_back(
          {difference->lines + std::string(kFromDifference), 0.5, true, "divisors/common"});
      if (difference->rest > kMaxNumber) return;
      const Fact fact{"hg", ParseTerm(fmt::format("{} ∣ {}", divisor.text, difference->rest.str())),
                      "hg"};
      ProposeDivisorCases(arith, {fact}, difference->lines, out);
      return;
    }
  }
}

}  // namespace

void ProposeDivisors(const HeuristicInput& input, Candidates* out) {
  for (const bool opens : {false, true}) ProposeCofactor(input, opens, out);
  ProposeDividedByGcd(input, out);
  ProposeLinearGcd(input, out);
  ProposeDivisorCases(input.arith, input.arith.facts, "", out);
  ProposeCommonDivisors(input.arith, out);
  ProposeFactors(input.arith, out);
}

}  // namespace zermelo::policy
