// Instances of universal hypotheses, rewriting with equations.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMaxInstances = 8;
// Of a recurrence; fewer are among the instances.
constexpr size_t kFewestSteps = 4, kMostSteps = 24;

void AddInstance(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "instances"});
}

// The number of variables that ∀ binds at the beginning.
size_t Arity(const Term& prop) {
  if (prop.kind != TermKind::kBinder || prop.head != "∀") return 0;
  return prop.names.size() +
         (prop.bound.starts_with(":") || prop.bound.empty() ? Arity(*prop.args[0]) : 0);
}

// `n + 1`, of variables of the goal and numerals.
bool IsSmallSum(const Term& term, const ArithmeticGoal& arith) {
  return term.Is("+") && std::ranges::all_of(term.args, [&](const TermPtr& arg) {
           return NumeralValue(*arg) || arith.Find(arg->text) != nullptr;
         });
}

// The numerals and small terms to which functions are applied, then 0, 1, 2, 3.
std::vector<std::string> Arguments(const ArithmeticGoal& arith) {
  std::vector<std::string> arguments;
  auto add = [&](const std::string& text) {
    if (std::find(arguments.begin(), arguments.end(), text) == arguments.end())
      arguments.push_back(text);
  };
  auto scan = [&](const Term& term) {
    Visit(term, [&](const Term& part) {
      if (part.kind != TermKind::kApply || arith.Find(part.head) == nullptr) return;
      for (const TermPtr& arg : part.args) {
        const bool small = arg->kind == TermKind::kNumeral && arg->head.size() <= 3;
        const bool known = arg->kind == TermKind::kName && arith.Find(arg->head) != nullptr;
        if (small || known || NumeralValue(*arg) || IsSmallSum(*arg, arith)) {
          add(Parenthesized(*arg));
        }
      }
    });
  };
  scan(*arith.target);
  for (const Fact& fact : arith.facts) {
    if (fact.prop->kind != TermKind::kBinder) scan(*fact.prop);
  }
  for (const Variable& variable : arith.variables) {
    if (variable.domain == Domain::kNat || variable.domain == Domain::kInt) add(variable.name);
  }
  for (const char* number : {"0", "1", "2", "3"}) add(number);
  return arguments;
}

// Pairs of arguments, those of two different terms with variables first: `f a < f b` is about them.
std::vector<std::string> Pairs(const std::vector<std::string>& arguments) {
  std::vector<std::string> pairs, others;
  for (const std::string& first : arguments) {
    for (const std::string& second : arguments) {
      const bool terms = !NumeralValue(*ParseTerm(first)) && !NumeralValue(*ParseTerm(second));
      (terms && first != second ? pairs : others).push_back(first + " " + second);
    }
  }
  pairs.insert(pairs.end(), others.begin(), others.end());
  return pairs;
}

// The function that a fact `∀ x y, f x y = …` defines; empty if it is something else.
std::string DefinedBy(const Term& prop) {
  std::vector<std::string> bound;
  const Term* body = &prop;
  while (body->kind == TermKind::kBinder && body->head == "∀" &&
         (body->bound.starts_with(":") || body->bound.empty())) {
    bound.insert(bound.end(), body->names.begin(), body->names.end());
    body = body->args[0].get();
  }
  if (bound.empty() || !body->Is("=") || body->args[0]->kind != TermKind::kApply) return "";
  const Term& applied = *body->args[0];
  const bool general =
      std::ranges::equal(applied.args, bound, [](const auto& arg, const auto& name) {
        return arg->kind == TermKind::kName && arg->head == name;
      });
  return general && !Mentions(*body->args[1], applied.head) ? applied.head : "";
}

// Replaces a function that a hypothesis defines by the right side, wherever it occurs.
void ProposeDefinitions(const ArithmeticGoal& arith, Candidates* out) {
  for (const Fact& fact : arith.facts) {
    const std::string function = DefinedBy(*fact.prop);
    if (function.empty() || fact.proof != fact.hypothesis) continue;
    std::string places;
    for (const Fact& other : arith.facts) {
      const bool uses = &other != &fact && Mentions(*other.prop, function);
      if (uses && places.find(other.hypothesis) == std::string::npos)
        places += " " + other.hypothesis;
    }
    if (Mentions(*arith.target, function)) places += " ⊢";
    if (places.empty()) continue;
    AddInstance(fmt::format("simp only [{0}] at{1}\nclear {0}", fact.proof, places), 0.5, false,
                out);
  }
}

// What `∀ x, ∃ y, P` gives for a variable: a solver that looks for terms to instantiate hypotheses
// with finds none in it.
void ProposeObtained(const Fact& fact, const ArithmeticGoal& arith, Candidates* out) {
  const Term& body = *fact.prop->args[0];
  if (fact.prop->names.size() != 1 || body.kind != TermKind::kBinder || body.head != "∃") return;
  const std::string y = arith.Fresh("y"), hy = arith.Fresh("hy");
  double cost = 0.85;
  for (const Variable& variable : arith.variables) {
    if (!Mentions(*arith.target, variable.name)) continue;
    const std::string obtain =
        fmt::format("obtain ⟨{}, {}⟩ := {} {}", y, hy, fact.proof, variable.name);
    AddInstance(obtain + "\nfirst | grind | simp_all", cost, true, out);
    AddInstance(obtain, cost + 1.3, false, out);
    cost += 0.05;
    if (cost > 1) break;
  }
}

/// The function of `a (n + 1)` in a fact about all n; empty if there is none.
std::string Recurrent(const Term& prop) {
  if (prop.kind != TermKind::kBinder || prop.head != "∀" || prop.names.size() != 1) return "";
  std::string function;
  Visit(*prop.args[0], [&](const Term& part) {
    if (part.kind != TermKind::kApply || part.args.size() != 1 || !part.args[0]->Is("+")) return;
    const Term& sum = *part.args[0];
    if (sum.args[0]->text == prop.names[0] && NumeralValue(*sum.args[1])) function = part.head;
  });
  return function;
}

/// The largest number to which the function is applied outside of quantifiers; 0: none.
size_t LargestArgument(const std::string& function, const ArithmeticGoal& arith) {
  size_t largest = 0;
  const auto scan = [&](const Term& term) {
    Visit(term, [&](const Term& part) {
      if (!part.IsApply(function) || part.args[0]->kind != TermKind::kNumeral) return;
      const std::string& digits = part.args[0]->head;
      largest = std::max(largest, digits.size() > 3 ? kMostSteps + 1 : std::stoul(digits));
    });
  };
  scan(*arith.target);
  for (const Fact& fact : arith.facts) {
    if (fact.prop->kind != TermKind::kBinder) scan(*fact.prop);
  }
  return largest;
}

/// A recurrence for each number below the largest one that is asked for.
void ProposeUnrolled(const ArithmeticGoal& arith, Candidates* out) {
  for (const Fact& fact : arith.facts) {
    const std::string function = Recurrent(*fact.prop);
    if (arith.Find(function) == nullptr || fact.proof != fact.hypothesis) continue;
    const size_t steps = LargestArgument(function, arith);
    if (steps < kFewestSteps || steps > kMostSteps) continue;
    std::string lines;
    for (size_t i = 0; i < steps; ++i) {
      lines += fmt::format("have {}{} := {} {}\n", arith.Fresh("step"), i, fact.proof, i);
    }
    AddInstance(fmt::format("{}clear {}\nsimp only [Nat.reduceAdd] at *\nfirst | omega | grind",
                            lines, fact.proof),
                0.72, true, out);
  }
}

}  // namespace

void ProposeInstances(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  std::vector<std::string> lines;
  std::vector<std::string> universal;
  const std::vector<std::string> arguments = Arguments(arith), pairs = Pairs(arguments);
  for (const Fact& fact : arith.facts) {
    const size_t arity = Arity(*fact.prop);
    if (arity == 0) {
      if (fact.prop->Is("=") && fact.proof == fact.hypothesis) {
        AddInstance(fmt::format("rw [{}]", fact.proof), 2.3, false, out);
        AddInstance(fmt::format("rw [← {}]", fact.proof), 2.8, false, out);
        AddInstance(fmt::format("simp [{}]", fact.proof), 2.4, false, out);
      }
      continue;
    }
    universal.push_back(fact.proof);
    if (arity == 1) ProposeObtained(fact, arith, out);
    if (arity > 2) continue;
    for (const std::string& each : arity == 1 ? arguments : pairs) {
      if (lines.size() >= kMaxInstances) break;
      lines.push_back(fmt::format("have := {} {}", fact.proof, each));
    }
  }
  ProposeDefinitions(arith, out);
  ProposeUnrolled(arith, out);
  if (!universal.empty()) {
    const std::string all = fmt::format("{}", fmt::join(universal, ", "));
    AddInstance(fmt::format("simp_all [{}]", all), 0.8, true, out);
    AddInstance(fmt::format("{}\nclear {}\nfirst | omega | (simp_all; done) | grind",
                            fmt::join(lines, "\n"), fmt::join(universal, " ")),
                0.9, true, out);
    AddInstance(fmt::format("{}\ngrind", fmt::join(lines, "\n")), 1.0, true, out);
    for (const std::string& proof : universal) {
      AddInstance(fmt::format("apply {}", proof), 2.6, false, out);
      AddInstance(fmt::format("rw [{}]", proof), 2.5, false, out);
    }
  }
}

}  // namespace zermelo::policy
