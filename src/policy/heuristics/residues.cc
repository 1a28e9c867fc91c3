// Cases by residues: a polynomial modulo m depends only on its variables modulo m.
#include "policy/arith/residues.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr int64_t kMaxResidueModulus = 60;
constexpr double kMaxCases = 250;

void ProposeModulus(const HeuristicInput& input, int64_t m, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const std::vector<std::string> variables = ResidueVariables(*arith.target, arith);
  const Domain domain = DomainOf(*arith.target, arith);
  const ResidueSplit split = SplitResidues(variables, m, domain, arith);
  if (variables.empty() || split.cases > kMaxCases) return;
  std::string text = "try simp only [Nat.dvd_iff_mod_eq_zero, Int.dvd_iff_emod_eq_zero] at *\n";
  text += split.text;
  const std::string lemmas = ResidueLemmas(domain, split.facts);
  text += fmt::format(
      "first\n"
      "| omega\n"
      "| (simp [{0}]; done)\n"
      "| (simp [{0}] at *; done)\n"
      "| (simp [{0}] at *; omega)\n"
      "| (simp_all [{0}]; done)\n"
      "| grind",
      lemmas);
  out->push_back({text, 0.9 + split.cases / 100, true, "residues"});
}

// Whether an equation has no solutions modulo m; tries all residues.
bool ContradictoryModulo(const Term& equation, const std::vector<std::string>& variables, int64_t m,
                         const ArithmeticGoal& arith) {
  Assignment assignment;
  const Domain domain = DomainOf(equation, arith);
  std::vector<int64_t> residues(variables.size(), 0);
  for (;;) {
    for (size_t i = 0; i < variables.size(); ++i) assignment.values[variables[i]] = residues[i];
    const auto a = Evaluate(*equation.args[0], assignment, domain);
    const auto b = Evaluate(*equation.args[1], assignment, domain);
    if (!a || !b || !IsInteger(*a) || !IsInteger(*b)) return false;
    if (Remainder(numerator(*a - *b), m) == 0) return false;
    size_t digit = 0;
    while (digit < residues.size() && ++residues[digit] == m) residues[digit++] = 0;
    if (digit == residues.size()) return true;
  }
}

void ProposeContradiction(const ArithmeticGoal& arith, const Refutable& refutable,
                          Candidates* out) {
  const auto& [equation, intro, proof] = refutable;
  const std::vector<std::string> variables = ResidueVariables(equation, arith);
  const Domain domain = DomainOf(equation, arith);
  if (variables.empty() || variables.size() > 3 || domain == Domain::kRat) return;
  if (IsPartial(equation, domain)) return;
  for (const int64_t m : {3, 4, 5, 7, 8, 9, 11, 13, 16}) {
    if (std::pow(m, variables.size()) > kMaxCases) break;
    if (!ContradictoryModulo(equation, variables, m, arith)) continue;
    const ResidueSplit split = SplitResidues(variables, m, domain, arith);
    std::string text = intro;
    text += fmt::format("have hm := congrArg (· % {}) {}\n", m, proof);
    text += split.text;
    text += fmt::format("simp [{}] at hm", ResidueLemmas(domain, split.facts));
    out->push_back({text, 0.7, true, "residues"});
    return;
  }
}

}  // namespace

void ProposeResidues(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  std::set<int64_t> moduli = Moduli(target, kMaxResidueModulus);
  for (const Fact& fact : arith.facts) {
    if (target.kind == TermKind::kName) moduli.merge(Moduli(*fact.prop, kMaxResidueModulus));
  }
  int count = 0;
  for (auto m = moduli.rbegin(); m != moduli.rend() && count < 2; ++m, ++count) {
    ProposeModulus(input, *m, out);
  }
  if (!moduli.empty()) {
    const Domain domain = DomainOf(target, arith);
    out->push_back({fmt::format("simp [{}, *]", ResidueLemmas(domain, {})), 0.6, true, "residues"});
    if (domain == Domain::kNat) {
      out->push_back({"simp [Nat.pow_mod, Nat.mul_mod, Nat.add_mod, *]", 0.62, true, "residues"});
    }
  }
  for (const Refutable& each : RefutableEquations(arith)) {
    ProposeContradiction(arith, each, out);
  }
}

}  // namespace zermelo::policy
