// Infinite descent on homogeneous equations: modulo a prime p all variables vanish, and what is
// left after dividing them by p is the same equation. So all are zero: roots are irrational, and
// forms such as x² + y² - 3z² represent nothing.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/text.h"
#include "policy/arith/polynomial.h"
#include "policy/arith/residues.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr double kMostResidues = 350;  // tuples
constexpr int kMostDegree = 12;
constexpr size_t kMostMonomials = 20;
constexpr size_t kMostEquations = 4;

/// Variables of the lemma: its other names are longer, or `n`.
constexpr std::string_view kLetters[] = {"u", "v", "w", "t"};

/// A homogeneous polynomial with integers for coefficients, in the first of kLetters.
struct Form {
  Polynomial polynomial;
  std::vector<std::string> letters;
  Domain domain = Domain::kInt;
};

/// Some variables are multiples of p; divided by it, they satisfy the next equation.
struct DescentStep {
  std::vector<std::string> multiples;
  Polynomial next;
  Integer factor = 1;  // by which both sides of the next equation were divided
};

/// Divides by the greatest power of p that all coefficients have in common, and returns it.
Integer DivideByContent(int64_t p, Polynomial* polynomial) {
  Integer factor = 1;
  const auto is_multiple = [&](const auto& term) { return numerator(term.second) % p == 0; };
  while (!polynomial->empty() && std::ranges::all_of(*polynomial, is_multiple)) {
    for (auto& [monomial, coefficient] : *polynomial) coefficient /= p;
    factor *= p;
  }
  return factor;
}

/// The terms that are not 0 modulo p.
struct TermModulo {
  int64_t coefficient = 0;
  std::vector<int> exponents;  // of each letter
};

std::vector<TermModulo> TermsModulo(const Form& form, const Polynomial& polynomial, int64_t p) {
  std::vector<TermModulo> terms;
  for (const auto& [monomial, coefficient] : polynomial) {
    TermModulo term{static_cast<int64_t>(Remainder(numerator(coefficient), p)), {}};
    if (term.coefficient == 0) continue;
    for (const std::string& letter : form.letters) {
      const auto power = monomial.find(letter);
      term.exponents.push_back(power == monomial.end() ? 0 : power->second);
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

int64_t ValueModulo(const std::vector<TermModulo>& terms, const std::vector<int64_t>& residues,
                    int64_t p) {
  int64_t sum = 0;
  for (const TermModulo& term : terms) {
    int64_t value = term.coefficient;
    for (size_t i = 0; i < residues.size(); ++i) {
      for (int power = 0; power < term.exponents[i]; ++power) value = value * residues[i] % p;
    }
    sum += value;
  }
  return sum % p;
}

/// The letters that are multiples of p wherever the polynomial is one.
std::vector<std::string> Multiples(const Form& form, const Polynomial& polynomial, int64_t p) {
  const std::vector<TermModulo> terms = TermsModulo(form, polynomial, p);
  std::vector<std::string> multiples = form.letters;
  std::vector<int64_t> residues(form.letters.size(), 0);
  for (;;) {
    if (ValueModulo(terms, residues, p) == 0) {
      for (size_t i = 0; i < residues.size(); ++i) {
        if (residues[i] != 0) std::erase(multiples, form.letters[i]);
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
  std::vector<std::string> left = form.letters;
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
  return steps;  // the last equation is the first one: each term was divided by p ^ degree
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

/// The letters in terms that are not divisible by p.
std::vector<std::string> LettersModulo(const Polynomial& polynomial, int64_t p) {
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
  for (const std::string& name : form.letters) {
    own.variables.push_back({name, std::string(TypeName(form.domain)), form.domain});
  }
  own.names = form.letters;
  const ResidueSplit split = SplitResidues(LettersModulo(now, p), p, form.domain, own);
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
    if (std::pow(p, form.letters.size()) > kMostResidues) return std::nullopt;
    DivideByContent(p, &form.polynomial);
    const std::vector<DescentStep> steps = StepsBy(p, form);
    if (steps.empty()) continue;
    const bool natural = form.domain == Domain::kNat;
    std::string size, zero;
    for (const std::string& name : form.letters) {
      size += fmt::format("{}{}{}", size.empty() ? "" : " + ", name, natural ? "" : ".natAbs");
      zero += fmt::format("{}{} = 0", zero.empty() ? "" : " ∧ ", name);
    }
    const std::string names = fmt::format("{}", fmt::join(form.letters, " "));
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

Polynomial WithNames(const Polynomial& polynomial, std::span<const std::string> from,
                     std::span<const std::string> to) {
  Polynomial renamed;
  for (const auto& [monomial, coefficient] : polynomial) {
    Monomial other;
    for (const auto& [name, exponent] : monomial) {
      const auto at = std::ranges::find(from, name) - from.begin();
      other[to[static_cast<size_t>(at)]] = exponent;
    }
    renamed[other] = coefficient;
  }
  return renamed;
}

/// Whether a descent can be looked for in a moment.
bool IsSmall(const Polynomial& polynomial) {
  const int degree = Degree(polynomial);
  return polynomial.size() >= 2 && polynomial.size() <= kMostMonomials && degree >= 2 &&
         degree <= kMostDegree &&
         std::ranges::all_of(polynomial, [](const auto& term) { return IsInteger(term.second); });
}

/// The variables of the equation, in the order of the letters; `form` is set. Empty if it is not
/// homogeneous, or not in a few variables alone.
std::vector<std::string> ReadForm(const Term& equation, const ArithmeticGoal& arith, Form* form) {
  form->domain = DomainOf(equation, arith);
  if (form->domain != Domain::kNat && form->domain != Domain::kInt) return {};
  if (IsPartial(equation, form->domain)) return {};
  const auto difference = LeftMinusRight(equation);
  if (!difference || !IsSmall(*difference)) return {};
  std::vector<std::string> variables;
  for (const auto& [monomial, coefficient] : *difference) {
    if (Degree({{monomial, 1}}) != Degree(*difference)) return {};
    for (const auto& [name, exponent] : monomial) {
      const Variable* variable = arith.Find(name);
      if (variable == nullptr || variable->domain != form->domain) return {};
      if (std::ranges::find(variables, name) == variables.end()) variables.push_back(name);
    }
  }
  if (variables.size() > std::size(kLetters)) return {};
  form->letters.assign(kLetters, kLetters + variables.size());
  form->polynomial = WithNames(*difference, variables, form->letters);
  return variables;
}

/// The rational number that the equation is about; `form` is set to the equation of its numerator
/// and its denominator. Empty if it is about something else.
std::string ReadFraction(const Term& equation, const ArithmeticGoal& arith, Form* form) {
  const auto polynomial = LeftMinusRight(equation);
  if (!polynomial || !IsSmall(*polynomial)) return "";
  std::string name;
  form->letters.assign(kLetters, kLetters + 2);
  for (const auto& [monomial, coefficient] : *polynomial) {
    if (monomial.size() > 1) return "";
    const int exponent = monomial.empty() ? 0 : monomial.begin()->second;
    if (exponent > 0 && !name.empty() && monomial.begin()->first != name) return "";
    if (exponent > 0) name = monomial.begin()->first;
    Monomial both;
    if (exponent > 0) both[form->letters[0]] = exponent;
    if (Degree(*polynomial) > exponent) both[form->letters[1]] = Degree(*polynomial) - exponent;
    form->polynomial[both] = coefficient;
  }
  const Variable* variable = arith.Find(name);
  return variable != nullptr && variable->domain == Domain::kRat ? name : "";
}

}  // namespace

void ProposeDescent(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const auto close = [&](std::string tactic) {
    out->push_back({std::move(tactic), 0.31, true, "descent"});
  };
  size_t equations = 0;
  for (const Fact& fact : arith.facts) {
    if (!fact.prop->Is("=")) continue;
    if (++equations > kMostEquations) return;
    Form form;
    if (const auto variables = ReadForm(*fact.prop, arith, &form); !variables.empty()) {
      if (const auto lemma = LemmaOf(form)) {
        close(
            fmt::format("{}have hz := key _ {} (Nat.le_refl _) (by grind)\n"
                        "first | omega | simp_all | grind",
                        *lemma, fmt::join(variables, " ")));
      }
      continue;
    }
    if (DomainOf(*fact.prop, arith) != Domain::kRat) continue;
    Form fraction;
    const std::string q = ReadFraction(*fact.prop, arith, &fraction);
    const auto lemma = q.empty() ? std::nullopt : LemmaOf(fraction);
    if (!lemma) continue;
    const std::string num = arith.Fresh("u"), den = arith.Fresh("v");
    const auto about = [&](const std::string& a, const std::string& b) {
      const std::string names[] = {a, b};
      return Equation(WithNames(fraction.polynomial, fraction.letters, names));
    };
    close(
        fmt::format("{1}"
                    "have hden : (({0}.den : Int) : Rat) ≠ 0 := by simp [{0}.den_nz]\n"
                    "have hq := Rat.num_divInt_den {0}\n"
                    "rw [Rat.divInt_eq_div] at hq\n"
                    "have hnum : ({0}.num : Rat) = {0} * (({0}.den : Int) : Rat) := by grind\n"
                    "have hint : ∀ {2} {3} : Int, {2} = {0}.num → {3} = {0}.den → {4} := by\n"
                    "  intro {2} {3} h{2} h{3}\n"
                    "  have : ({2} : Rat) = {0} * {3} := by rw [h{2}, h{3}]; exact hnum\n"
                    "  have : {5} := by grind\n"
                    "  exact_mod_cast this\n"
                    "have hz := key _ {0}.num {0}.den (Nat.le_refl _) (hint _ _ rfl rfl)\n"
                    "have := {0}.den_nz\n"
                    "omega",
                    q, *lemma, num, den, about(num, den),
                    about(fmt::format("({} : Rat)", num), fmt::format("({} : Rat)", den))));
  }
}

}  // namespace zermelo::policy
