#include "policy/arith/residues.h"

#include <algorithm>
#include <fmt/format.h>

#include "policy/arith/polynomial.h"

namespace zermelo::policy {
namespace {

// All moduli in x % k = c, k ∣ x or ¬k ∣ x; none for other propositions.
std::vector<int64_t> ModuliOf(const Term& prop) {
  const Term& claim = prop.Is("¬") ? *prop.args[0] : prop;
  const bool compares = claim.Is("=") && claim.args[0]->Is("%") && NumeralValue(*claim.args[1]);
  std::vector<int64_t> moduli;
  if (!compares && !claim.Is("∣")) return moduli;
  Visit(claim, [&](const Term& part) {
    if (part.Is("%")) moduli.push_back(NumeralValue(*part.args[1]).value_or(0));
    if (part.Is("∣")) moduli.push_back(NumeralValue(*part.args[0]).value_or(0));
  });
  return moduli;
}

// Whether a linear fact about the variable alone restricts its residues modulo m, so that omega can
// tell.
bool Tells(const Term& prop, const std::string& variable, int64_t m, const ArithmeticGoal& arith) {
  const std::vector<int64_t> moduli = ModuliOf(prop);
  if (moduli.size() != 1 || moduli[0] <= 0 || m % moduli[0] != 0) return false;
  const Term& claim = prop.Is("¬") ? *prop.args[0] : prop;
  const Term& value = claim.Is("∣") ? *claim.args[1] : *claim.args[0]->args[0];
  const auto polynomial = ReadPolynomial(value);
  return polynomial && Degree(*polynomial) <= 1 && IsComputable(prop, arith) &&
         !IsPartial(value, DomainOf(prop, arith)) &&
         ResidueVariables(value, arith) == std::vector<std::string>{variable};
}

}  // namespace

std::vector<int64_t> PossibleResidues(const std::string& variable, int64_t m,
                                      const ArithmeticGoal& arith) {
  std::vector<TermPtr> told;
  for (const Fact& fact : arith.facts) {
    if (Tells(*fact.prop, variable, m, arith)) told.push_back(fact.prop);
  }
  std::vector<int64_t> residues;
  for (int64_t r = 0; r < m; ++r) {
    Assignment assignment;
    assignment.values[variable] = r;
    const bool possible = std::ranges::all_of(
        told, [&](const TermPtr& prop) { return Holds(*prop, assignment, arith).value_or(true); });
    if (possible) residues.push_back(r);
  }
  return residues;
}

std::vector<std::string> ResidueVariables(const Term& term, const ArithmeticGoal& arith) {
  bool in_exponent = false;
  Visit(term, [&](const Term& part) {
    in_exponent |= part.Is("^") && !NumeralValue(*part.args[1]);
    in_exponent |= part.kind == TermKind::kApply;
  });
  return in_exponent ? std::vector<std::string>() : IntegerVariables(term, arith);
}

bool IsPartial(const Term& term, Domain domain) {
  bool partial = false;
  Visit(term, [&](const Term& part) {
    partial |= part.Is("/") || part.Is("%") ||
               (part.Is("-") && part.args.size() == 2 && domain == Domain::kNat);
  });
  return partial;
}

std::set<int64_t> Moduli(const Term& term, int64_t most) {
  std::set<int64_t> moduli;
  Visit(term, [&](const Term& part) {
    std::optional<int64_t> m;
    if (part.Is("%")) m = NumeralValue(*part.args[1]);
    if (part.Is("∣")) m = NumeralValue(*part.args[0]);
    if (m && *m >= 2 && *m <= most) moduli.insert(*m);
  });
  return moduli;
}

int64_t PowerModulo(int64_t base, int64_t exponent, int64_t m) {
  Integer value = 1;
  for (int64_t i = 0; i < exponent; ++i) value = Remainder(value * base, m);
  return static_cast<int64_t>(Remainder(value, m));
}

std::vector<Refutable> RefutableEquations(const ArithmeticGoal& arith) {
  std::vector<Refutable> equations;
  const Term& target = *arith.target;
  if (target.Is("≠")) {
    equations.push_back({target, "intro he\n", "he"});
    equations.back().equation.head = "=";
  }
  if (target.Is("¬") && target.args[0]->Is("=")) {
    equations.push_back({*target.args[0], "intro he\n", "he"});
  }
  for (const Fact& fact : arith.facts) {
    if (fact.prop->Is("=")) equations.push_back({*fact.prop, "exfalso\n", fact.proof});
  }
  return equations;
}

std::string InDomain(const std::string& variable, Domain domain, const ArithmeticGoal& arith) {
  const Variable* found = arith.Find(variable);
  const bool cast = domain == Domain::kInt && found != nullptr && found->domain == Domain::kNat;
  return cast ? fmt::format("({} : Int)", variable) : variable;
}

ResidueSplit SplitResidues(const std::vector<std::string>& variables, int64_t m, Domain domain,
                           const ArithmeticGoal& arith) {
  ResidueSplit split;
  std::string chain;
  for (const std::string& name : variables) {
    const std::string fact = arith.Fresh("hr_" + name);
    const std::string value = InDomain(name, domain, arith);
    const std::vector<int64_t> residues = PossibleResidues(name, m, arith);
    std::string cases, patterns;
    for (const int64_t r : residues) {
      cases += fmt::format("{}{} % {} = {}", cases.empty() ? "" : " ∨ ", value, m, r);
      patterns += (patterns.empty() ? "" : " | ") + fact;
    }
    split.text +=
        fmt::format("have {} : {} := by omega\n", fact, residues.empty() ? "False" : cases);
    chain += fmt::format("rcases {} with {} <;>\n", fact, residues.empty() ? "⟨⟩" : patterns);
    split.facts.push_back(fact);
    split.cases *= static_cast<double>(residues.size());
  }
  split.text += chain;
  return split;
}

std::string ResidueLemmas(Domain domain, const std::vector<std::string>& facts) {
  std::string lemmas = domain == Domain::kNat
                           ? "Nat.pow_succ, Nat.mul_mod, Nat.add_mod"
                           : "Int.pow_succ, Int.mul_emod, Int.add_emod, Int.sub_emod";
  for (const std::string& fact : facts) lemmas += ", " + fact;
  return lemmas;
}

}  // namespace zermelo::policy
