// Powers with a variable exponent modulo m: b ^ e is periodic in e. The period is found here; Lean
// gets it as a lemma, proved by induction, and cases for the exponent.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

#include "core/text.h"
#include "policy/arith/residues.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr int64_t kMaxPowerPeriod = 24;
constexpr int64_t kMaxPowerModulus = 2000;

// base ^ (slope * n + offset), `text` as printed.
struct PowerTerm {
  int64_t base = 0;
  int64_t slope = 0;
  int64_t offset = 0;
  std::string variable;
  std::string exponent;
  std::string base_text;
};

std::optional<PowerTerm> ReadPower(const Term& term, const ArithmeticGoal& arith) {
  if (!term.Is("^")) return std::nullopt;
  const auto base = NumeralValue(*term.args[0]);
  const std::vector<std::string> variables = IntegerVariables(*term.args[1], arith);
  if (!base || std::abs(*base) > 1'000'000 || variables.size() != 1) return std::nullopt;
  Rational values[3];
  for (int i = 0; i < 3; ++i) {
    Assignment assignment;
    assignment.values[variables[0]] = 10 + i;
    const auto value = Evaluate(*term.args[1], assignment, Domain::kNat);
    if (!value || !IsInteger(*value)) return std::nullopt;
    values[i] = *value;
  }
  const auto slope = static_cast<int64_t>(numerator(values[1] - values[0]));
  const auto offset = static_cast<int64_t>(numerator(values[0])) - 10 * slope;
  if (values[2] - values[1] != slope) return std::nullopt;
  if (slope < 1 || slope > 12 || offset < 0 || offset > 60) return std::nullopt;
  return PowerTerm{*base, slope, offset, variables[0], term.args[1]->text, term.args[0]->text};
}

std::vector<PowerTerm> CollectPowers(const ArithmeticGoal& arith) {
  std::vector<PowerTerm> powers;
  auto scan = [&](const Term& term) {
    Visit(term, [&](const Term& part) {
      auto power = ReadPower(part, arith);
      if (!power) return;
      const bool known = std::any_of(powers.begin(), powers.end(), [&](const PowerTerm& other) {
        return other.base == power->base && other.exponent == power->exponent;
      });
      if (!known) powers.push_back(*power);
    });
  };
  scan(*arith.target);
  for (const Fact& fact : arith.facts) scan(*fact.prop);
  return powers;
}

std::set<int64_t> ModuliOf(const ArithmeticGoal& arith) {
  std::set<int64_t> moduli = Moduli(*arith.target, kMaxPowerModulus);
  for (const Fact& fact : arith.facts) moduli.merge(Moduli(*fact.prop, kMaxPowerModulus));
  return moduli;
}

// For n >= start, b^n depends only on n modulo period.
struct Cycle {
  int64_t start = 0;
  int64_t period = 1;
};

std::optional<Cycle> FindCycle(int64_t base, int64_t m) {
  std::vector<int64_t> seen;
  auto value = static_cast<int64_t>(Remainder(1, m));
  for (int i = 0; i < 200; ++i) {
    const auto at = std::find(seen.begin(), seen.end(), value);
    if (at != seen.end()) {
      return Cycle{at - seen.begin(), static_cast<int64_t>(seen.end() - at)};
    }
    seen.push_back(value);
    value = static_cast<int64_t>(Remainder(Integer(value) * base, m));
  }
  return std::nullopt;
}

// The residue of a closed term, however large its powers are.
std::optional<int64_t> ResidueOf(const Term& term, int64_t m) {
  if (const auto value = NumeralValue(term)) return static_cast<int64_t>(Remainder(*value, m));
  if (term.kind != TermKind::kOperator || term.args.size() != 2) return std::nullopt;
  const auto a = ResidueOf(*term.args[0], m);
  if (!a) return std::nullopt;
  if (term.head == "^") {
    const auto exponent = NumeralValue(*term.args[1]);
    if (!exponent || *exponent < 0 || *exponent > 1'000'000) return std::nullopt;
    return PowerModulo(*a, *exponent, m);
  }
  const auto b = ResidueOf(*term.args[1], m);
  if (!b) return std::nullopt;
  if (term.head == "+") return (*a + *b) % m;
  if (term.head == "*") return static_cast<int64_t>(Remainder(Integer(*a) * *b, m));
  return std::nullopt;
}

// For n = 2008 ^ 2 + 2 ^ 2008, only two residues of n matter. They replace the equation, which
// would get in the way.
std::string ReplaceByResidues(const ArithmeticGoal& arith, const std::string& n, int64_t m,
                              int64_t period, int64_t start, std::string* residue) {
  for (const Fact& fact : arith.facts) {
    const Term& prop = *fact.prop;
    if (!prop.Is("=") || prop.args[0]->head != n || prop.args[0]->kind != TermKind::kName) continue;
    const auto by_modulus = ResidueOf(*prop.args[1], m);
    const auto by_period = ResidueOf(*prop.args[1], period);
    if (!by_modulus || !by_period || fact.proof != fact.hypothesis) continue;
    *residue = "hres, ";
    return fmt::format(
        "have hres : {0} % {1} = {2} := by omega\nhave hper : {0} % {3} = {4} := by omega\n"
        "{6}clear {5}\n",
        n, m, *by_modulus, period, *by_period, fact.proof,
        start > 0 ? fmt::format("have hlow : {} ≤ {} := by omega\n", start, n) : "");
  }
  return "";
}

std::string Write(const ArithmeticGoal& arith, const std::vector<PowerTerm>& powers,
                  const std::string& n, int64_t m, const Cycle& cycle, Domain domain) {
  const std::string_view type = TypeName(domain);
  const int64_t period = cycle.period;
  const int64_t start = cycle.start;
  std::string residue;
  std::string text = ReplaceByResidues(arith, n, m, period, start, &residue);
  std::string uses;
  int index = 0;
  for (const PowerTerm& power : powers) {
    const std::string key = arith.Fresh(fmt::format("hkey{}_", ++index));
    const std::string base = fmt::format("({} : {})", power.base, type);
    const int64_t step = power.slope * period;
    const int64_t shift = power.slope * start;
    text += fmt::format(
        "have {0} : ∀ q : Nat, {1} ^ ({2} * q + {3}) % {4} = {5} := by\n"
        "  intro q\n"
        "  induction q with\n"
        "  | zero => decide\n"
        "  | succ q ih =>\n"
        "    rw [show {2} * (q + 1) + {3} = {2} * q + {3} + {2} by omega, {6}.pow_add]\n"
        "    omega\n",
        key, base, step, shift, m, PowerModulo(power.base, shift, m), type);
    uses += fmt::format("have := {} q\n", key);
  }
  std::string cases;
  std::string patterns;
  for (int64_t i = 0; i < start + period; ++i) {
    const int64_t r = i - start;
    cases += i == 0 ? "" : " ∨ ";
    patterns += i == 0 ? "hq" : " | hq";
    cases += i < start ? fmt::format("{} = {}", n, i)
                       : fmt::format("{} = {} + {} * q + {}", n, start, period, r);
  }
  text += fmt::format("obtain ⟨q, hq⟩ : ∃ q, {} := ⟨({} - {}) / {}, by omega⟩\n", cases, n, start,
                      period);
  text += uses + fmt::format("rcases hq with {}\n", patterns);
  for (int64_t i = 0; i < start + period; ++i) {
    if (i < start) {
      text +=
          "· first | omega | (subst hq; simp at *; done) | (subst hq; omega) | (subst hq; "
          "simp_all)\n";
      continue;
    }
    std::string branch;  // the exponent is step * q + shift + rest
    std::string residues = residue;
    int power_index = 0;
    for (const PowerTerm& power : powers) {
      const std::string base = fmt::format("({} : {})", power.base, type);
      const int64_t rest = power.slope * (i - start) + power.offset;
      branch += fmt::format(
          "have : {0} ^ ({1}) = {0} ^ ({2} * q + {3}) * {0} ^ {4} := by\n"
          "  rw [← {5}.pow_add]\n"
          "  congr 1\n"
          "  omega\n",
          base, power.exponent, power.slope * period, power.slope * start, rest, type);
      const std::string fact = fmt::format("hp{}_", ++power_index);
      branch +=
          fmt::format("have {} : {} ^ ({}) % {} = {} := by omega\n", fact, base, power.exponent, m,
                      PowerModulo(power.base, power.slope * start + rest, m));
      residues += fact + ", ";
    }
    branch += fmt::format("first\n| omega\n| (simp [{}{}]; done)\n| grind", residues,
                          domain == Domain::kInt
                              ? "Int.pow_succ, Int.mul_emod, Int.add_emod, Int.sub_emod"
                              : "Nat.pow_succ, Nat.mul_mod, Nat.add_mod");
    text += "· " + core::Indented(branch, 2).substr(2) + "\n";
  }
  text.pop_back();
  return text;
}

// Proves b ^ 999999 % m = r, too large to compute, by 999999 = period * k + start + rest.
void ProposeClosedPower(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const Term& target = *arith.target;
  if (!target.Is("=") || !target.args[0]->Is("%")) return;
  const Term& power = *target.args[0]->args[0];
  const auto m = NumeralValue(*target.args[0]->args[1]);
  if (!power.Is("^") || !m || *m < 2 || *m > kMaxPowerModulus) return;
  const auto base = NumeralValue(*power.args[0]);
  const auto exponent = NumeralValue(*power.args[1]);
  if (!base || *base < 2 || !exponent || *exponent < 256) return;
  const auto cycle = FindCycle(*base, *m);
  if (!cycle || cycle->period > 200) return;
  const int64_t k = (*exponent - cycle->start) / cycle->period;
  const int64_t rest = *exponent - cycle->start - k * cycle->period;
  out->push_back(
      {fmt::format("have hkey : ∀ q : Nat, {0} ^ ({1} * q + {2}) % {3} = {4} := by\n"
                   "  intro q\n"
                   "  induction q with\n"
                   "  | zero => decide\n"
                   "  | succ q ih =>\n"
                   "    rw [show {1} * (q + 1) + {2} = {1} * q + {2} + {1} by omega, Nat.pow_add]\n"
                   "    omega\n"
                   "rw [show {5} = {1} * {6} + {2} + {7} by omega, Nat.pow_add, Nat.mul_mod, hkey]",
                   *base, cycle->period, cycle->start, *m, PowerModulo(*base, cycle->start, *m),
                   *exponent, k, rest),
       0.04, true, "powers/closed"});
}

}  // namespace

void ProposePowers(const HeuristicInput& input, Candidates* out) {
  ProposeClosedPower(input, out);
  const ArithmeticGoal& arith = input.arith;
  const std::vector<PowerTerm> powers = CollectPowers(arith);
  if (powers.empty() || powers.size() > 4) return;
  const std::string& n = powers[0].variable;
  for (const PowerTerm& power : powers) {
    if (power.variable != n) return;
  }
  const Variable* variable = arith.Find(n);
  if (variable == nullptr || variable->domain != Domain::kNat) return;
  Domain domain = DomainOf(*arith.target, arith);
  for (const Fact& fact : arith.facts) domain = std::max(domain, DomainOf(*fact.prop, arith));
  if (domain != Domain::kInt) domain = Domain::kNat;
  int count = 0;
  const std::set<int64_t> moduli = ModuliOf(arith);
  for (auto m = moduli.rbegin(); m != moduli.rend() && count < 2; ++m) {
    Cycle all;
    bool found = true;
    for (const PowerTerm& power : powers) {
      const auto cycle = FindCycle(power.base, *m);
      if (!cycle) {
        found = false;
        break;
      }
      const int64_t period = cycle->period / std::gcd(cycle->period, power.slope);
      all.period = std::lcm(all.period, period);
      all.start = std::max(all.start, (cycle->start + power.slope - 1) / power.slope);
      if (all.period > kMaxPowerPeriod) break;
    }
    if (!found || all.period > kMaxPowerPeriod || all.start > 8) continue;
    ++count;
    out->push_back({Write(arith, powers, n, *m, all, domain),
                    0.9 + static_cast<double>(all.period) / 20, true, "powers"});
  }
}

}  // namespace zermelo::policy
