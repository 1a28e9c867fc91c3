// Case bash on remainders: a polynomial modulo m depends only on its variables modulo m.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "policy/ideas.h"

namespace zermelo::policy {
namespace {

constexpr int64_t kMaxResidueModulus = 60;
constexpr double kMaxCases = 250;

// Numerals m in `_ % m` and `m ∣ _`.
std::set<int64_t> Moduli(const Term& term) {
  std::set<int64_t> moduli;
  Visit(term, [&](const Term& part) {
    std::optional<int64_t> m;
    if (part.Is("%")) m = NumeralValue(*part.args[1]);
    if (part.Is("∣")) m = NumeralValue(*part.args[0]);
    if (m && *m >= 2 && *m <= kMaxResidueModulus) moduli.insert(*m);
  });
  return moduli;
}

// Variables whose residues decide the term; empty if one of them is an exponent.
std::vector<std::string> PolynomialVariables(const Term& term, const View& view) {
  bool in_exponent = false;
  Visit(term, [&](const Term& part) {
    in_exponent |= part.Is("^") && !NumeralValue(*part.args[1]);
    in_exponent |= part.kind == TermKind::kApply;
  });
  return in_exponent ? std::vector<std::string>() : IntegerVariables(term, view);
}

std::string Lemmas(Domain domain, const std::vector<std::string>& facts) {
  std::string lemmas = domain == Domain::kNat
                           ? "Nat.pow_succ, Nat.mul_mod, Nat.add_mod"
                           : "Int.pow_succ, Int.mul_emod, Int.add_emod, Int.sub_emod";
  for (const std::string& fact : facts) lemmas += ", " + fact;
  return lemmas;
}

// `have hx : x % 4 = 0 ∨ …` for each variable, and one `rcases` chain over all of them.
std::string SplitResidues(const std::vector<std::string>& variables, int64_t m, const View& view,
                          std::vector<std::string>* facts) {
  std::string text;
  std::string chain;
  for (const std::string& name : variables) {
    const std::string fact = view.Fresh("hr_" + name);
    facts->push_back(fact);
    std::string cases;
    std::string patterns;
    for (int64_t r = 0; r < m; ++r) {
      cases += fmt::format("{}{} % {} = {}", r == 0 ? "" : " ∨ ", name, m, r);
      patterns += (r == 0 ? "" : " | ") + fact;
    }
    text += fmt::format("have {} : {} := by omega\n", fact, cases);
    chain += fmt::format("rcases {} with {} <;>\n", fact, patterns);
  }
  return text + chain;
}

void ProposeModulus(const IdeaInput& input, int64_t m, Candidates* out) {
  const View& view = input.view;
  const std::vector<std::string> variables = PolynomialVariables(*view.target, view);
  if (variables.empty() || std::pow(m, variables.size()) > kMaxCases) return;
  const Domain domain = DomainOf(*view.target, view);
  std::vector<std::string> facts;
  std::string text = "try simp only [Nat.dvd_iff_mod_eq_zero, Int.dvd_iff_emod_eq_zero] at *\n";
  text += SplitResidues(variables, m, view, &facts);
  const std::string lemmas = Lemmas(domain, facts);
  text += fmt::format(
      "first\n"
      "| omega\n"
      "| (simp [{0}]; done)\n"
      "| (simp [{0}] at *; done)\n"
      "| (simp [{0}] at *; omega)\n"
      "| grind",
      lemmas);
  const double cases = std::pow(m, variables.size());
  out->push_back({text, 0.9 + cases / 100, true, "residues"});
}

// No solutions modulo m: found by trying all residues here.
bool ContradictoryModulo(const Term& equation, const std::vector<std::string>& variables, int64_t m,
                         const View& view) {
  Assignment assignment;
  const Domain domain = DomainOf(equation, view);
  std::vector<int64_t> residues(variables.size(), 0);
  for (;;) {
    for (size_t i = 0; i < variables.size(); ++i)
      assignment.values[variables[i]] = {residues[i], 1};
    const auto a = Evaluate(*equation.args[0], assignment, domain);
    const auto b = Evaluate(*equation.args[1], assignment, domain);
    if (!a || !b || !a->IsInteger() || !b->IsInteger()) return false;
    if (Remainder(a->numerator - b->numerator, m) == 0) return false;
    size_t digit = 0;
    while (digit < residues.size() && ++residues[digit] == m) residues[digit++] = 0;
    if (digit == residues.size()) return true;
  }
}

void ProposeContradiction(const IdeaInput& input, const Term& equation, const std::string& intro,
                          const std::string& proof, Candidates* out) {
  const View& view = input.view;
  const std::vector<std::string> variables = PolynomialVariables(equation, view);
  const Domain domain = DomainOf(equation, view);
  if (variables.empty() || variables.size() > 3 || domain == Domain::kRat) return;
  bool partial = false;  // operations that do not respect residues
  Visit(equation, [&](const Term& part) {
    partial |= part.Is("/") || part.Is("%") ||
               (part.Is("-") && part.args.size() == 2 && domain == Domain::kNat);
  });
  if (partial) return;
  for (const int64_t m : {3, 4, 5, 7, 8, 9, 11, 13, 16}) {
    if (std::pow(m, variables.size()) > kMaxCases) break;
    if (!ContradictoryModulo(equation, variables, m, view)) continue;
    std::vector<std::string> facts;
    std::string text = intro;
    text += fmt::format("have hm := congrArg (· % {}) {}\n", m, proof);
    text += SplitResidues(variables, m, view, &facts);
    text += fmt::format("simp [{}] at hm", Lemmas(domain, facts));
    out->push_back({text, 0.7, true, "residues"});
    return;
  }
}

}  // namespace

void ProposeResidues(const IdeaInput& input, Candidates* out) {
  const View& view = input.view;
  const Term& target = *view.target;
  std::set<int64_t> moduli = Moduli(target);
  for (const Fact& fact : view.facts) {
    if (target.kind == TermKind::kName) moduli.merge(Moduli(*fact.prop));
  }
  int count = 0;
  for (auto m = moduli.rbegin(); m != moduli.rend() && count < 2; ++m, ++count) {
    ProposeModulus(input, *m, out);
  }
  if (!moduli.empty()) {
    const Domain domain = DomainOf(target, view);
    out->push_back({fmt::format("simp [{}, *]", Lemmas(domain, {})), 0.6, true, "residues"});
    if (domain == Domain::kNat) {
      out->push_back({"simp [Nat.pow_mod, Nat.mul_mod, Nat.add_mod, *]", 0.62, true, "residues"});
    }
  }
  if (target.Is("≠")) {
    Term equation = target;
    equation.head = "=";
    ProposeContradiction(input, equation, "intro he\n", "he", out);
  }
  if (target.Is("¬") && target.args[0]->Is("=")) {
    ProposeContradiction(input, *target.args[0], "intro he\n", "he", out);
  }
  for (const Fact& fact : view.facts) {
    if (fact.prop->Is("=")) ProposeContradiction(input, *fact.prop, "exfalso\n", fact.proof, out);
  }
}

}  // namespace zermelo::policy
