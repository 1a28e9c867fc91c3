// Divisibility: cofactors by linear algebra, gcds of linear terms, divisors of a number.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/ideas.h"
#include "policy/polynomial.h"

namespace zermelo::policy {
namespace {

constexpr int kMaxDegree = 6;
constexpr size_t kMaxUnknowns = 90;
constexpr int64_t kMaxNumber = 3000;
constexpr size_t kMaxDivisors = 32;

// d ∣ p because p = d * k + Σ cᵢ * (lᵢ - rᵢ) for equations lᵢ = rᵢ among the hypotheses: the
// coefficients of k and of the cᵢ (of bounded degrees) are the unknowns of a linear system.
void ProposeCofactor(const IdeaInput& input, Candidates* out) {
  const View& view = input.view;
  const Term& target = *view.target;
  if (!target.Is("∣") || DomainOf(target, view) != Domain::kInt) return;
  const auto divisor = ReadPolynomial(*target.args[0]);
  const auto dividend = ReadPolynomial(*target.args[1]);
  if (!divisor || !dividend || divisor->empty()) return;
  const int degree = Degree(*dividend);
  if (degree > kMaxDegree || degree < Degree(*divisor)) return;
  const std::vector<std::string> variables = IntegerVariables(target, view);

  std::vector<Polynomial> columns;  // what each unknown multiplies
  const std::vector<Monomial> cofactor = Monomials(variables, degree - Degree(*divisor));
  auto add_columns = [&](const Polynomial& p, const std::vector<Monomial>& monomials) {
    for (const Monomial& monomial : monomials) {
      if (const auto product = Multiply(p, {{monomial, {1, 1}}})) columns.push_back(*product);
    }
  };
  add_columns(*divisor, cofactor);
  if (columns.size() != cofactor.size()) return;
  for (const Fact& fact : view.facts) {
    if (!fact.prop->Is("=") || DomainOf(*fact.prop, view) != Domain::kInt) continue;
    const auto left = ReadPolynomial(*fact.prop->args[0]);
    const auto right = ReadPolynomial(*fact.prop->args[1]);
    const auto difference = left && right ? Add(*left, *right, {-1, 1}) : std::nullopt;
    if (!difference || Degree(*difference) > degree) continue;
    add_columns(*difference, Monomials(variables, degree - Degree(*difference)));
  }
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
    if (!(*solution)[i].IsInteger()) return;
    if ((*solution)[i].numerator != 0) k[cofactor[i]] = (*solution)[i];
  }
  out->push_back(
      {fmt::format("exact ⟨{}, by grind⟩", ToString(k)), 0.5, true, 0, "divisors/cofactor"});
}

// gcd (a * n + b) (c * n + d) divides what is left when n is eliminated.
void ProposeLinearGcd(const IdeaInput& input, Candidates* out) {
  const View& view = input.view;
  const Term* gcd = nullptr;
  Visit(*view.target, [&](const Term& part) {
    if ((part.IsApply("gcd") || part.IsApply("Coprime")) && part.args.size() == 2) gcd = &part;
  });
  if (gcd == nullptr || DomainOf(*gcd->args[0], view) != Domain::kNat) return;
  const auto a = ReadPolynomial(*gcd->args[0]);
  const auto b = ReadPolynomial(*gcd->args[1]);
  const std::vector<std::string> variables = IntegerVariables(*gcd, view);
  if (!a || !b || variables.size() != 1 || Degree(*a) > 1 || Degree(*b) > 1) return;
  auto coefficient = [](const Polynomial& p, const Monomial& monomial) {
    const auto found = p.find(monomial);
    return found == p.end() ? Wide{0} : found->second.numerator;
  };
  const Monomial n = {{variables[0], 1}};
  const Wide shared = Gcd(coefficient(*a, n), coefficient(*b, n));
  if (shared == 0) return;
  Wide left = coefficient(*b, n) / shared;
  Wide right = coefficient(*a, n) / shared;
  Wide rest = left * coefficient(*a, {}) - right * coefficient(*b, {});
  if (left < 0 || right < 0 || rest == 0) return;
  std::string first = gcd->args[0]->text;
  std::string second = gcd->args[1]->text;
  const std::string hint_a = fmt::format(
      "Nat.dvd_mul_left_of_dvd (Nat.gcd_dvd_left ({0}) ({1})) {2}", first, second, ToString(left));
  const std::string hint_b =
      fmt::format("Nat.dvd_mul_left_of_dvd (Nat.gcd_dvd_right ({0}) ({1})) {2}", first, second,
                  ToString(right));
  const std::string product_a = fmt::format("{} * ({})", ToString(left), first);
  const std::string product_b = fmt::format("{} * ({})", ToString(right), second);
  const bool swap = rest < 0;
  out->push_back(
      {fmt::format("have hg := Nat.dvd_sub ({}) ({})\n"
                   "rw [show {} - {} = {} by omega] at hg\n"
                   "have hle := Nat.le_of_dvd (by decide) hg\n"
                   "first\n"
                   "| exact Nat.dvd_one.mp hg\n"
                   "| exact hle\n"
                   "| exact hg\n"
                   "| omega\n"
                   "| grind",
                   swap ? hint_b : hint_a, swap ? hint_a : hint_b, swap ? product_b : product_a,
                   swap ? product_a : product_b, ToString(swap ? -rest : rest)),
       0.5, true, 0, "divisors/gcd"});
}

// x * y = c, x ∣ c, lcm x y = c: x is one of the divisors of c.
void ProposeDivisorCases(const IdeaInput& input, Candidates* out) {
  const View& view = input.view;
  struct Choice {
    std::string variable;
    int64_t number;
    std::string proof;  // of variable ∣ number
  };
  std::vector<Choice> choices;
  auto add = [&](const Term& variable, int64_t number, std::string proof) {
    const Variable* found = variable.kind == TermKind::kName ? view.Find(variable.head) : nullptr;
    if (found == nullptr || found->domain != Domain::kNat || number < 1 || number > kMaxNumber)
      return;
    choices.push_back({variable.head, number, std::move(proof)});
  };
  for (const Fact& fact : view.facts) {
    const Term& prop = *fact.prop;
    if (prop.args.size() != 2) continue;
    const auto number = NumeralValue(*prop.args[1]);
    if (!number) continue;
    const Term& left = *prop.args[0];
    if (prop.Is("∣")) add(left, *number, fact.proof);
    if (!prop.Is("=") || left.args.size() != 2) continue;
    for (int side = 0; side < 2; ++side) {
      const std::string other = left.args[1 - side]->text;
      if (left.Is("*")) {
        add(*left.args[side], *number, fmt::format("⟨{}, by grind⟩", other));
      } else if (left.IsApply("lcm")) {
        add(*left.args[side], *number,
            fmt::format("{} ▸ Nat.dvd_lcm_{} {} {}", fact.proof, side == 0 ? "left" : "right",
                        Parenthesized(*left.args[0]), Parenthesized(*left.args[1])));
      }
    }
  }
  if (choices.size() > 3) choices.resize(3);
  for (const Choice& choice : choices) {
    std::vector<std::string> divisors;
    std::string patterns;
    for (int64_t d = 1; d <= choice.number; ++d) {
      if (choice.number % d != 0) continue;
      divisors.push_back(std::to_string(d));
      patterns += patterns.empty() ? "rfl" : " | rfl";
    }
    if (divisors.size() > kMaxDivisors) continue;
    const std::string head = fmt::format(
        "have hd : {0} ∣ {1} := {2}\n"
        "have hc : ∀ d < {3}, d ∣ {1} → d ∈ [{4}] := by set_option maxRecDepth 100000 in decide\n"
        "have hm := hc {0} (Nat.lt_succ_of_le (Nat.le_of_dvd (by decide) hd)) hd\n"
        "clear hc hd\n"
        "simp only [List.mem_cons, List.not_mem_nil, or_false] at hm\n"
        "rcases hm with {5}",
        choice.variable, choice.number, choice.proof, choice.number + 1, fmt::join(divisors, ", "),
        patterns);
    out->push_back(
        {head + " <;> first | omega | simp_all | grind", 0.9, true, 0, "divisors/cases"});
    out->push_back(
        {head + " <;> (try simp at *) <;> (try omega)", 2.2, false, 0, "divisors/cases"});
  }
}

}  // namespace

void ProposeDivisors(const IdeaInput& input, Candidates* out) {
  ProposeCofactor(input, out);
  ProposeLinearGcd(input, out);
  ProposeDivisorCases(input, out);
}

}  // namespace zermelo::policy
