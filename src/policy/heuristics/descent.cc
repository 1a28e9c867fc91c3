// Infinite descent on homogeneous equations: modulo a prime p all variables vanish, and what is
// left after dividing them by p is the same equation. So all are zero: roots are irrational, and
// forms such as x² + y² - 3z² represent nothing.
#include <algorithm>
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

constexpr double kMostResidues = 350;  // tuples

struct Form {
  Polynomial polynomial;  // homogeneous, with integers for coefficients
  std::vector<std::string> variables;
  Domain domain = Domain::kInt;
};

/// Some variables are multiples of p; divided by it, they satisfy the next equation.
struct DescentStep {
  std::vector<std::string> multiples;
  Polynomial next;
  Integer factor = 1;  // by which both sides of the next equation were divided
};

/// Divides by all powers of p that the coefficients have in common.
Integer DivideByContent(int64_t p, Polynomial* polynomial) {
  Integer factor = 1;
  const auto is_multiple = [&](const auto& term) { return numerator(term.second) % p == 0; };
  while (!polynomial->empty() && std::ranges::all_of(*polynomial, is_multiple)) {
    for (auto& [monomial, coefficient] : *polynomial) coefficient /= p;
    factor *= p;
  }
  return factor;
}

int64_t ValueModulo(const Form& form, const Polynomial& polynomial,
                    const std::vector<int64_t>& residues, int64_t p) {
  int64_t sum = 0;
  for (const auto& [monomial, coefficient] : polynomial) {
    auto value = static_cast<int64_t>(Remainder(numerator(coefficient), p));
    for (const auto& [name, exponent] : monomial) {
      const auto at = std::ranges::find(form.variables, name) - form.variables.begin();
      value = value * PowerModulo(residues[static_cast<size_t>(at)], exponent, p) % p;
    }
    sum += value;
  }
  return sum % p;
}

/// The variables that are multiples of p wherever the polynomial is one.
std::vector<std::string> Multiples(const Form& form, const Polynomial& polynomial, int64_t p) {
  std::vector<std::string> multiples = form.variables;
  std::vector<int64_t> residues(form.variables.size(), 0);
  for (;;) {
    if (ValueModulo(form, polynomial, residues, p) == 0) {
      for (size_t i = 0; i < residues.size(); ++i) {
        if (residues[i] != 0) std::erase(multiples, form.variables[i]);
      }
    }
    size_t digit = 0;
    while (digit < residues.size() && ++residues[digit] == p) residues[digit++] = 0;
    if (digit == residues.size() || multiples.empty()) return multiples;
  }
}

/// Empty if there is no descent by p.
std::vector<DescentStep> StepsBy(int64_t p, const Form& form) {
  std::vector<DescentStep> steps;
  std::vector<std::string> left = form.variables;
  Polynomial now = form.polynomial;
  while (!left.empty()) {
    DescentStep step;
    for (const std::string& name : Multiples(form, now, p)) {
      if (std::erase(left, name) > 0) step.multiples.push_back(name);
    }
    if (step.multiples.empty()) return {};
    for (auto& [monomial, coefficient] : now) {
      for (const std::string& name : step.multiples) {
        const auto power = monomial.find(name);
        const int exponent = power == monomial.end() ? 0 : power->second;
        for (int i = 0; i < exponent; ++i) coefficient *= p;
      }
    }
    step.factor = DivideByContent(p, &now);
    step.next = now;
    steps.push_back(std::move(step));
  }
  return now == form.polynomial ? steps : std::vector<DescentStep>();
}

/// "a ^ 2 = 2 * b ^ 2", without subtraction.
std::string Equation(const Polynomial& polynomial) {
  Polynomial left, right;
  for (const auto& [monomial, coefficient] : polynomial) {
    (coefficient > 0 ? left : right)[monomial] = abs(coefficient);
  }
  return fmt::format("{} = {}", left.empty() ? "0" : ToString(left),
                     right.empty() ? "0" : ToString(right));
}

/// The variables that count modulo p.
std::vector<std::string> VariablesModulo(const Polynomial& polynomial, int64_t p) {
  std::set<std::string> names;
  for (const auto& [monomial, coefficient] : polynomial) {
    if (numerator(coefficient) % p == 0) continue;
    for (const auto& [name, exponent] : monomial) names.insert(name);
  }
  return {names.begin(), names.end()};
}

/// The lines of a step from the equation `now`, which `he` proves.
std::string TextOf(const DescentStep& step, const Polynomial& now, const Form& form, int64_t p) {
  ArithmeticGoal own;  // nothing is known of these variables
  for (const std::string& name : form.variables) {
    own.variables.push_back({name, std::string(TypeName(form.domain)), form.domain});
  }
  own.names = form.variables;
  const ResidueSplit split = SplitResidues(VariablesModulo(now, p), p, form.domain, own);
  std::string claim, text;
  for (const std::string& name : step.multiples) {
    claim += fmt::format("{}{} % {} = 0", claim.empty() ? "" : " ∧ ", name, p);
  }
  text += fmt::format("have hd : {} := by\n", claim);
  text += core::Indented(fmt::format("have hm := congrArg (· % {}) he\n{}"
                                     "first | omega | (simp [{}] at hm; done)",
                                     p, split.text, ResidueLemmas(form.domain, split.facts)),
                         2) +
          "\n";
  for (const std::string& name : step.multiples) {
    text += fmt::format("obtain ⟨{0}, rfl⟩ : ∃ {2}, {0} = {1} * {2} := ⟨{0} / {1}, by omega⟩\n",
                        name, p, own.Fresh("c"));
  }
  const std::string factor = step.factor.str();
  std::string proof = "by grind";
  if (step.factor != 1 && form.domain == Domain::kNat) {
    proof = fmt::format("Nat.eq_of_mul_eq_mul_left (by decide : 0 < {}) (by grind)", factor);
  } else if (step.factor != 1) {
    proof = fmt::format("Int.eq_of_mul_eq_mul_left (a := {}) (by decide) (by grind)", factor);
  }
  return text + fmt::format("replace he : {} := {}\n", Equation(step.next), proof);
}

/// "have key : ∀ n a b, a + b ≤ n → a ^ 2 = 2 * b ^ 2 → a = 0 ∧ b = 0 := …"; nullopt: no prime
/// does.
std::optional<std::string> LemmaOf(Form form) {
  for (const int64_t p : {2, 3, 5, 7, 11, 13}) {
    if (std::pow(p, form.variables.size()) > kMostResidues) return std::nullopt;
    DivideByContent(p, &form.polynomial);
    const std::vector<DescentStep> steps = StepsBy(p, form);
    if (steps.empty()) continue;
    const bool natural = form.domain == Domain::kNat;
    std::string size, zero;
    for (const std::string& name : form.variables) {
      size += fmt::format("{}{}{}", size.empty() ? "" : " + ", name, natural ? "" : ".natAbs");
      zero += fmt::format("{}{} = 0", zero.empty() ? "" : " ∧ ", name);
    }
    const std::string names = fmt::format("{}", fmt::join(form.variables, " "));
    std::string text = fmt::format(
        "have key : ∀ (n : Nat) ({0} : {1}), {2} ≤ n → {3} → {4} := by\n"
        "  intro n\n"
        "  induction n with\n"
        "  | zero => intro {0} hn _; omega\n"
        "  | succ n ih =>\n"
        "    intro {0} hn he\n",
        names, TypeName(form.domain), size, Equation(form.polynomial), zero);
    Polynomial now = form.polynomial;
    for (const DescentStep& step : steps) {
      std::string part = TextOf(step, now, form, p);
      now = step.next;
      part.pop_back();
      text += core::Indented(part, 4) + "\n";
    }
    return text + fmt::format("    have := ih {} (by omega) he\n    omega\n", names);
  }
  return std::nullopt;
}

/// nullopt: the equation is not homogeneous, or in no variables alone.
std::optional<Form> FormOf(const Term& equation, const ArithmeticGoal& arith) {
  Form form;
  form.domain = DomainOf(equation, arith);
  if (form.domain != Domain::kNat && form.domain != Domain::kInt) return std::nullopt;
  if (IsPartial(equation, form.domain)) return std::nullopt;
  auto difference = LeftMinusRight(equation);
  if (!difference || difference->empty()) return std::nullopt;
  const int degree = Degree(*difference);
  for (const auto& [monomial, coefficient] : *difference) {
    if (!IsInteger(coefficient) || Degree({{monomial, 1}}) != degree) return std::nullopt;
    for (const auto& [name, exponent] : monomial) {
      const Variable* variable = arith.Find(name);
      if (variable == nullptr || variable->domain != form.domain) return std::nullopt;
      if (std::ranges::find(form.variables, name) == form.variables.end())
        form.variables.push_back(name);
    }
  }
  if (degree < 2) return std::nullopt;
  form.polynomial = *std::move(difference);
  return form;
}

/// An equation of one rational number, for its numerator m and its denominator k.
std::optional<Form> FractionOf(const Polynomial& polynomial) {
  std::string name;
  const int degree = Degree(polynomial);
  Form form;
  for (const auto& [monomial, coefficient] : polynomial) {
    if (monomial.size() > 1 || !IsInteger(coefficient)) return std::nullopt;
    if (!monomial.empty() && !name.empty() && monomial.begin()->first != name) return std::nullopt;
    const int exponent = monomial.empty() ? 0 : monomial.begin()->second;
    if (!monomial.empty()) name = monomial.begin()->first;
    Monomial both;
    if (exponent > 0) both["m"] = exponent;
    if (degree > exponent) both["k"] = degree - exponent;
    form.polynomial[both] = coefficient;
  }
  if (degree < 2) return std::nullopt;
  form.variables = {"m", "k"};
  return form;
}

/// With `(m : Rat)` for m.
Polynomial AsRational(const Polynomial& polynomial) {
  Polynomial rational;
  for (const auto& [monomial, coefficient] : polynomial) {
    Monomial cast;
    for (const auto& [name, exponent] : monomial) cast[fmt::format("({} : Rat)", name)] = exponent;
    rational[cast] = coefficient;
  }
  return rational;
}

}  // namespace

void ProposeDescent(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const auto close = [&](std::string tactic) {
    out->push_back({std::move(tactic), 0.31, true, "descent"});
  };
  for (const Fact& fact : arith.facts) {
    if (!fact.prop->Is("=")) continue;
    if (const auto form = FormOf(*fact.prop, arith)) {
      if (auto lemma = LemmaOf(*form)) {
        close(
            fmt::format("{}have hz := key _ {} (Nat.le_refl _) (by grind)\n"
                        "first | omega | simp_all | grind",
                        *lemma, fmt::join(form->variables, " ")));
      }
      continue;
    }
    if (DomainOf(*fact.prop, arith) != Domain::kRat) continue;
    const auto polynomial = LeftMinusRight(*fact.prop);
    const auto form = polynomial ? FractionOf(*polynomial) : std::nullopt;
    const auto lemma = form ? LemmaOf(*form) : std::nullopt;
    if (!lemma) continue;
    const auto named =
        std::ranges::find_if(*polynomial, [](const auto& term) { return !term.first.empty(); });
    close(
        fmt::format("have hden : ({0}.den : Rat) ≠ 0 := by simp [{0}.den_nz]\n"
                    "have hq := Rat.num_divInt_den {0}\n"
                    "rw [Rat.divInt_eq_div] at hq\n"
                    "have hnum : ({0}.num : Rat) = {0} * {0}.den := by grind\n"
                    "{1}"
                    "have hint : ∀ m k : Int, m = {0}.num → k = {0}.den → {2} := by\n"
                    "  intro m k hm hk\n"
                    "  have : (m : Rat) = {0} * k := by rw [hm, hk]; exact hnum\n"
                    "  have : {3} := by grind\n"
                    "  exact_mod_cast this\n"
                    "have hz := key _ {0}.num {0}.den (Nat.le_refl _) (hint _ _ rfl rfl)\n"
                    "have := {0}.den_nz\n"
                    "omega",
                    named->first.begin()->first, *lemma, Equation(form->polynomial),
                    Equation(AsRational(form->polynomial))));
  }
}

}  // namespace zermelo::policy
