// Powers of variables have few residues modulo m: with the residues of each power, the rest is
// linear. A claim modulo a product of prime powers is split into one claim for each of them.
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "core/text.h"
#include "policy/arith/polynomial.h"
#include "policy/arith/residues.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr int64_t kMaxModulus = 41;  // of contradictions; the moduli of goals are given
constexpr int64_t kMaxExponent = 20;
constexpr double kMaxSplit = 60;  // for each prime power

/// x ^ k, where x is a variable or the cast of one.
struct VariablePower {
  std::string variable;
  int64_t exponent = 0;
  auto operator<=>(const VariablePower&) const = default;
};

// Whether a term is linear in variables and powers of single variables; adds these powers.
bool ReadPowers(const Term& term, const ArithmeticGoal& arith, std::set<VariablePower>* powers) {
  bool separate = true;
  Visit(term, [&](const Term& part) {
    separate &= part.kind != TermKind::kApply && part.kind != TermKind::kOpaque &&
                part.kind != TermKind::kBinder && !part.Is("/");
    if (part.Is("*")) separate &= NumeralValue(*part.args[0]) || NumeralValue(*part.args[1]);
    if (!part.Is("^") || NumeralValue(*part.args[0])) return;
    const Term* base = part.args[0].get();
    if (base->kind == TermKind::kCast) base = base->args[0].get();
    const auto exponent = NumeralValue(*part.args[1]);
    const bool known = base->kind == TermKind::kName && arith.Find(base->head) != nullptr;
    separate &= known && exponent && *exponent >= 2 && *exponent <= kMaxExponent;
    if (separate) powers->insert({base->head, *exponent});
  });
  return separate;
}

std::set<int64_t> ResiduesOf(const VariablePower& power, int64_t m, const ArithmeticGoal& arith) {
  std::set<int64_t> residues;
  for (const int64_t r : PossibleResidues(power.variable, m, arith)) {
    residues.insert(PowerModulo(r, power.exponent, m));
  }
  return residues;
}

// "have hp : x ^ 5 % 11 = 0 ∨ x ^ 5 % 11 = 1 ∨ …", from the residues of x; omega does the rest.
std::string ByPowers(const std::set<VariablePower>& powers, int64_t m, Domain domain,
                     const ArithmeticGoal& arith) {
  std::string text;
  for (const VariablePower& power : powers) {
    const std::string x = InDomain(power.variable, domain, arith);
    std::string claim;
    for (const int64_t r : ResiduesOf(power, m, arith)) {
      claim +=
          fmt::format("{}{} ^ {} % {} = {}", claim.empty() ? "" : " ∨ ", x, power.exponent, m, r);
    }
    if (claim.empty()) claim = "False";
    const ResidueSplit split = SplitResidues({power.variable}, m, domain, arith);
    text += fmt::format("have hp_{}_{} : {} := by\n", power.variable, power.exponent, claim);
    const char* const lemmas =
        domain == Domain::kNat ? "Nat.pow_succ, Nat.mul_mod" : "Int.pow_succ, Int.mul_emod";
    text +=
        core::Indented(split.text + fmt::format("simp [{}, {}]", lemmas, split.facts[0]), 2) + "\n";
  }
  return text + "omega";
}

// The residues that a polynomial can have modulo m if its monomials are independent of each other;
// empty if a monomial has several variables.
std::set<int64_t> SumResidues(const Polynomial& polynomial, int64_t m,
                              const ArithmeticGoal& arith) {
  std::set<int64_t> sums = {0};
  for (const auto& [monomial, coefficient] : polynomial) {
    if (!IsInteger(coefficient) || monomial.size() > 1) return {};
    std::set<int64_t> values = {1};
    if (!monomial.empty()) {
      values = ResiduesOf({monomial.begin()->first, monomial.begin()->second}, m, arith);
    }
    std::set<int64_t> next;
    for (const int64_t sum : sums) {
      for (const int64_t value : values) {
        next.insert(static_cast<int64_t>(Remainder(sum + numerator(coefficient) * value, m)));
      }
    }
    sums = std::move(next);
  }
  return sums;
}

void ProposeContradiction(const Term& equation, const std::string& intro,
                          const ArithmeticGoal& arith, Candidates* out) {
  const Domain domain = DomainOf(equation, arith);
  std::set<VariablePower> powers;
  if ((domain != Domain::kInt && domain != Domain::kNat) || IsPartial(equation, domain)) return;
  if (!ReadPowers(equation, arith, &powers) || powers.empty()) return;
  const auto left = ReadPolynomial(*equation.args[0]);
  const auto right = ReadPolynomial(*equation.args[1]);
  const auto difference = left && right ? Add(*left, *right, -1) : std::nullopt;
  if (!difference) return;
  for (int64_t m = 3; m <= kMaxModulus; ++m) {
    const std::set<int64_t> sums = SumResidues(*difference, m, arith);
    if (sums.empty() || sums.contains(0)) continue;
    std::erase_if(powers, [&](const VariablePower& power) {
      const auto found = difference->find({{power.variable, static_cast<int>(power.exponent)}});
      return found == difference->end() || Remainder(numerator(found->second), m) == 0;
    });
    out->push_back({intro + ByPowers(powers, m, domain, arith), 0.65, true, "residues/powers"});
    return;
  }
}

std::vector<int64_t> PrimePowers(int64_t m) {
  std::vector<int64_t> powers;
  for (int64_t p = 2; p <= m; ++p) {
    int64_t power = 1;
    for (; m % p == 0; m /= p) power *= p;
    if (power > 1) powers.push_back(power);
  }
  return powers;
}

/// `value % modulus = residue`, or `modulus ∣ value`.
struct Congruence {
  const Term* value = nullptr;
  int64_t modulus = 0;
  int64_t residue = 0;
};

std::optional<Congruence> ReadCongruence(const Term& prop) {
  const bool divides = prop.Is("∣");
  if (!divides && (!prop.Is("=") || !prop.args[0]->Is("%"))) return std::nullopt;
  const Term& value = divides ? *prop.args[1] : *prop.args[0]->args[0];
  const auto modulus = NumeralValue(divides ? *prop.args[0] : *prop.args[0]->args[1]);
  const auto residue = divides ? 0 : NumeralValue(*prop.args[1]);
  if (!modulus || !residue || *modulus < 2 || *modulus > 10'000 || *residue < 0)
    return std::nullopt;
  return Congruence{&value, *modulus, *residue};
}

// Proves a congruence from the residues of the powers in it.
void ProposeByPowers(const Congruence& goal, Domain domain, const ArithmeticGoal& arith,
                     Candidates* out) {
  std::set<VariablePower> powers;
  if (!ReadPowers(*goal.value, arith, &powers) || powers.empty()) return;
  const auto value = ReadPolynomial(*goal.value);
  if (!value || goal.modulus > kMaxModulus) return;
  if (SumResidues(*value, goal.modulus, arith) != std::set{goal.residue}) return;
  out->push_back({ByPowers(powers, goal.modulus, domain, arith), 0.85, true, "residues/powers"});
}

// Proves a congruence for each prime power in the modulus.
void ProposePrimePowers(const Congruence& goal, Domain domain, const ArithmeticGoal& arith,
                        Candidates* out) {
  const std::vector<std::string> variables = ResidueVariables(*goal.value, arith);
  const std::vector<int64_t> powers = PrimePowers(goal.modulus);
  if (variables.empty() || powers.size() < 2) return;
  std::string text;
  for (const int64_t q : powers) {
    if (std::pow(q, variables.size()) > kMaxSplit) return;
    const ResidueSplit split = SplitResidues(variables, q, domain, arith);
    text += fmt::format("have hm_{0} : ({1}) % {0} = {2} := by\n", q, goal.value->text,
                        goal.residue % q);
    text += core::Indented(
                split.text + fmt::format("simp [{}]", ResidueLemmas(domain, split.facts)), 2) +
            "\n";
  }
  out->push_back({text + "omega", 0.88, true, "residues/primes"});
}

}  // namespace

void ProposePowerResidues(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  const Domain domain = DomainOf(target, arith);
  const auto goal = ReadCongruence(target);
  if (goal && domain != Domain::kRat && !IsPartial(*goal->value, domain)) {
    ProposeByPowers(*goal, domain, arith, out);
    ProposePrimePowers(*goal, domain, arith, out);
  }
  for (const Refutable& each : RefutableEquations(arith)) {
    ProposeContradiction(each.equation, each.intro, arith, out);
  }
}

}  // namespace zermelo::policy
