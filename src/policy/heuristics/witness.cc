// Witnesses for ∃.
#include <algorithm>
#include <fmt/format.h>

#include "policy/arith/polynomial.h"
#include "policy/heuristics/fitting.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr const char* kEasy = "by first | omega | (simp; done) | grind";
constexpr int kMaxTries = 60'000;
constexpr int64_t kRange[] = {5000, 60, 20, 10};  // values of each of 1, 2, 3, 4 variables

// The first witnesses in a small box for which a closed body is true.
std::optional<std::vector<int64_t>> Search(const Existential& open, const ArithmeticGoal& arith) {
  if (open.names.empty() || open.names.size() > 4 || open.has_bounds) return std::nullopt;
  ArithmeticGoal inner = arith;
  Assignment assignment;
  for (size_t i = 0; i < open.names.size(); ++i) {
    const Domain domain = open.types[i] == "Int" ? Domain::kInt : Domain::kNat;
    inner.variables.insert(inner.variables.begin(), {open.names[i], open.types[i], domain});
  }
  if (!IsComputable(*open.body, inner)) return std::nullopt;
  const int64_t range = kRange[open.names.size() - 1];
  std::vector<int64_t> values(open.names.size(), 0), witnesses = values;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    for (size_t i = 0; i < values.size(); ++i) {
      const bool is_int = open.types[i] == "Int";
      witnesses[i] = is_int ? Alternating(values[i]) : values[i];
      assignment.values[open.names[i]] = {witnesses[i], 1};
    }
    const auto holds = Holds(*open.body, assignment, inner);
    if (!holds) return std::nullopt;
    if (*holds) return witnesses;
    size_t digit = 0;
    while (digit < values.size() && ++values[digit] > range) values[digit++] = 0;
    if (digit == values.size()) break;
  }
  return std::nullopt;
}

// (positive - negative) / divisor, where both have natural coefficients.
struct Quotient {
  Polynomial positive, negative;
  Integer divisor = 1;

  std::string Text() const {
    std::string text = ToString(positive);
    if (!negative.empty()) text += " - " + Grouped(negative);
    return divisor == 1 ? text : fmt::format("({}) / {}", text, divisor.str());
  }
};

// What `name` must be for an equation that is linear in it and mentions no other of `names`.
std::optional<Quotient> SolveFor(const std::string& name, const std::vector<std::string>& names,
                                 const Term& equation) {
  if (!equation.Is("=")) return std::nullopt;
  auto rest = LeftMinusRight(equation);
  if (!rest) return std::nullopt;
  const auto linear = rest->find(Monomial{{name, 1}});
  if (linear == rest->end()) return std::nullopt;
  const Rational factor = -1 / linear->second;
  rest->erase(linear);
  if (MentionsAny(*rest, names)) return std::nullopt;
  Quotient solved;
  for (const auto& [monomial, coefficient] : *rest) {
    const Integer part(denominator(Rational(coefficient * factor)));
    solved.divisor = boost::multiprecision::lcm(solved.divisor, part);
  }
  for (const auto& [monomial, coefficient] : *rest) {
    const Rational value = coefficient * factor * Rational(solved.divisor);
    (value > 0 ? solved.positive : solved.negative)[monomial] = abs(value);
  }
  return solved;
}

// Equations say what the witnesses must be. Where one is a quotient, it remains to be shown that
// the division leaves no remainder.
void ProposeSolved(const Existential& open, Candidates* out) {
  if (open.has_bounds) return;
  const std::vector<TermPtr> parts = Conjuncts(std::make_shared<Term>(*open.body));
  std::vector<std::string> witnesses;
  std::optional<Quotient> last;
  for (const std::string& name : open.names) {
    last.reset();
    for (const TermPtr& part : parts) {
      if (!last) last = SolveFor(name, open.names, *part);
    }
    if (!last) return;
    witnesses.push_back(last->Text());
  }
  out->push_back({fmt::format("exact ⟨{}, {}⟩", fmt::join(witnesses, ", "), kEasy), 0.25, true,
                  "witness/solved"});
  if (last->divisor == 1 || parts.size() > 1) return;
  const auto remainder = [&](const Polynomial& p) {
    return p.empty() ? "0" : fmt::format("{} % {}", Grouped(p), last->divisor.str());
  };
  out->push_back(
      {fmt::format("suffices hr : {} = {} from ⟨{}, by omega⟩", remainder(last->positive),
                   remainder(last->negative), witnesses.front()),
       0.6, false, "witness/solved"});
}

// A function with a property at each argument, from a hypothesis `∀ a, ∃ b, …`.
void ProposeChoice(const Term& body, const ArithmeticGoal& arith, Candidates* out) {
  if (body.kind != TermKind::kBinder || body.head != "∀") return;
  double cost = 0.35;
  for (const Fact& fact : arith.facts) {
    const bool universal = fact.prop->kind == TermKind::kBinder && fact.prop->head == "∀";
    if (!universal || fact.proof != fact.hypothesis || cost > 0.5) continue;
    out->push_back({fmt::format("first | exact Classical.axiomOfChoice {0} | "
                                "simpa only [Classical.skolem] using {0}",
                                fact.proof),
                    cost, true, "witness"});
    cost += 0.05;
  }
}

// A function that a hypothesis `∀ a, ∃ b, …` gives: the one that is looked for, or part of it.
void ProposeSkolem(const Existential& open, const ArithmeticGoal& arith, Candidates* out) {
  const auto is_function = [](const std::string& type) {
    return type.find("→") != std::string::npos;
  };
  if (std::ranges::none_of(open.types, is_function)) return;
  const auto binds_one = [](const Term& term, std::string_view head) {
    return term.kind == TermKind::kBinder && term.head == head && term.names.size() == 1 &&
           (term.bound.empty() || term.bound.starts_with(':'));
  };
  for (const Fact& fact : arith.facts) {
    if (!binds_one(*fact.prop, "∀") || !binds_one(*fact.prop->args[0], "∃")) continue;
    const std::string g = arith.Fresh("g");
    const std::string chosen =
        fmt::format("obtain ⟨{0}, h{0}⟩ := Classical.axiomOfChoice {1}", g, fact.proof);
    out->push_back({fmt::format("{}\nexact ⟨{}, by grind⟩", chosen, g), 0.45, true, "witness"});
    out->push_back({chosen, 0.9, false, "witness"});
  }
}

// For ∃ x, A ∧ ∃ y, B: tries all pairs of simple terms.
void ProposeNested(const Term& body, const std::vector<std::string>& terms, Candidates* out) {
  if (!body.Is("∧") || body.args[1]->kind != TermKind::kBinder || body.args[1]->head != "∃") return;
  std::string tactic = "first";
  for (const std::string& outer : terms) {
    for (const char* inner : {"0", "1", "2"}) {
      tactic += fmt::format("\n| exact ⟨{}, {}, {}, {}⟩", outer, kEasy, inner, kEasy);
    }
    tactic += fmt::format("\n| exact ⟨{0}, {1}, {0}, {1}⟩", outer, kEasy);
  }
  out->push_back({std::move(tactic), 0.95, true, "witness"});
}

}  // namespace

void ProposeWitnesses(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const bool mentions_int = std::ranges::any_of(arith.variables, [&](const Variable& variable) {
    return variable.domain == Domain::kInt && Mentions(*arith.target, variable.name);
  });
  const Existential open = Open(*arith.target, mentions_int ? "Int" : "Nat");
  if (open.names.empty()) return;
  ProposeSolved(open, out);
  ProposeChoice(*open.body, arith, out);
  ProposeSkolem(open, arith, out);
  auto values = Search(open, arith);
  const Existential whole = Open(*arith.target, "Int");
  if (!values && whole.types != open.types) values = Search(whole, arith);
  if (values) {
    out->push_back(
        {fmt::format("exact ⟨{}, by decide⟩", fmt::join(*values, ", ")), 0.3, true, "witness"});
    out->push_back(
        {fmt::format("exact ⟨{}, by simp⟩", fmt::join(*values, ", ")), 0.4, true, "witness"});
  }
  double fit_cost = 0.42;
  for (const std::string& witnesses : FittingWitnesses(open, arith)) {
    out->push_back({fmt::format("exact ⟨{}, {}⟩", witnesses, kEasy), fit_cost, true, "witness"});
    fit_cost += 0.02;
  }
  std::vector<std::string> terms;
  for (const Variable& variable : arith.variables) {
    if (variable.type != open.types[0] && variable.domain == Domain::kOther) continue;
    terms.push_back(variable.name);
    terms.push_back(variable.name + " + 1");
    if (variable.domain != Domain::kOther)
      terms.push_back(fmt::format("2 * {} + 2", variable.name));
    if (terms.size() >= 8) break;
  }
  for (const char* number : {"0", "1", "2", "3"}) terms.push_back(number);
  ProposeNested(*open.body, terms, out);
  double cost = 1.6;
  for (const std::string& term : terms) {
    out->push_back({fmt::format("exact ⟨{}, {}⟩", term, kEasy), cost - 0.6, true, "witness"});
    out->push_back({fmt::format("refine ⟨{}, ?_⟩", term), cost, false, "witness"});
    cost += 0.15;
  }
}

}  // namespace zermelo::policy
