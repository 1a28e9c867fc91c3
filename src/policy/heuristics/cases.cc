// Taking hypotheses and the target apart.
#include <fmt/format.h>
#include <set>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

void Step(std::string tactic, double cost, Candidates* out) {
  out->push_back({std::move(tactic), cost, false, "cases"});
}

void CloseApart(std::string tactic, double cost, Candidates* out) {
  out->push_back({std::move(tactic), cost, true, "cases"});
}

// One pattern for everything that involves no choice: ∧ and ∃.
std::string DestructuringPattern(const Term& prop, const std::string& name, int* count) {
  if (prop.Is("∧")) {
    const std::string left = DestructuringPattern(*prop.args[0], name, count);
    return fmt::format("⟨{}, {}⟩", left, DestructuringPattern(*prop.args[1], name, count));
  }
  if (prop.kind == TermKind::kBinder && prop.head == "∃" && prop.names.size() == 1) {
    return fmt::format("⟨{}, {}⟩", prop.names[0], DestructuringPattern(*prop.args[0], name, count));
  }
  return fmt::format("{}_{}", name, ++*count);
}

void TakeTargetApart(const ArithmeticGoal& arith, Candidates* out) {
  const Term& target = *arith.target;
  if (target.Is("∧")) Step("refine ⟨?_, ?_⟩", 0.5, out);
  if (target.Is("↔")) Step("constructor", 0.6, out);
  if (target.Is("→")) Step("intro " + arith.Fresh("h"), 0.3, out);
  if (target.Is("¬") || target.Is("≠")) Step("intro " + arith.Fresh("h"), 0.6, out);
  if (target.kind == TermKind::kBinder && target.head == "∀") {
    std::string names;
    for (const std::string& name : target.names) names += " " + arith.Fresh(name);
    if (!target.bound.empty() && target.bound[0] != ':') names += " " + arith.Fresh("h");
    if (!names.empty()) Step("intro" + names, 0.3, out);
  }
  if (target.Is("∨")) {
    Step("left", 2.0, out);
    Step("right", 2.0, out);
  }
  if (target.text.find("if ") != std::string::npos ||
      target.text.find("match ") != std::string::npos) {
    Step("split", 0.9, out);
  }
  if (target.Is("=") && target.text.find("fun ") != std::string::npos)
    Step("funext " + arith.Fresh("x"), 1.0, out);
  if (target.Is("=") && DomainOf(target, arith) == Domain::kOther) {
    CloseApart("ext <;> simp", 0.58, out);
    CloseApart("ext <;> grind", 0.78, out);
    Step("ext", 1.4, out);
  }
  if (target.kind == TermKind::kOpaque || target.kind == TermKind::kName ||
      target.kind == TermKind::kApply) {
    Step("constructor", 2.0, out);
  }
  if (IsRelation(target) && !target.Is("≠")) {
    Step(fmt::format("refine Decidable.byContradiction fun {} => ?_", arith.Fresh("hneg")), 2.5,
         out);
  }
}

void TakeHypothesesApart(const ArithmeticGoal& arith, Candidates* out) {
  std::set<std::string> seen;
  std::string all;
  bool substitutes = false;
  for (const Fact& fact : arith.facts) {
    const Term& prop = *fact.prop;
    if (prop.Is("=")) {
      for (int side = 0; side < 2; ++side) {
        const Term& variable = *prop.args[side];
        substitutes |= variable.kind == TermKind::kName && arith.Find(variable.head) != nullptr &&
                       !Mentions(*prop.args[1 - side], variable.head);
      }
    }
    const bool existential =
        prop.kind == TermKind::kBinder && prop.head == "∃" && prop.names.size() == 1;
    if ((fact.proof != fact.hypothesis || existential) && seen.insert(fact.hypothesis).second) {
      int count = 0;
      if (fact.proof != fact.hypothesis) {  // a conjunction: its parts follow one another
        std::string pattern;
        for (const Fact& part : arith.facts) {
          if (part.hypothesis != fact.hypothesis) continue;
          if (!pattern.empty()) pattern += ", ";
          pattern += DestructuringPattern(*part.prop, fact.hypothesis, &count);
        }
        all += fmt::format("obtain ⟨{}⟩ := {}\n", pattern, fact.hypothesis);
      } else {
        all += fmt::format("obtain {} := {}\n", DestructuringPattern(prop, fact.hypothesis, &count),
                           fact.hypothesis);
      }
    }
    if (prop.Is("∨") && fact.proof == fact.hypothesis) {
      Step(fmt::format("rcases {0} with {0} | {0}", fact.hypothesis), 0.9, out);
    }
    if (prop.Is("∣") && NumeralValue(*prop.args[0])) {
      const std::string k = arith.Fresh("k");
      Step(fmt::format("obtain ⟨{}, h{}⟩ := {}", k, k, fact.proof), 2.2, out);
    }
    if (prop.Is("↔")) Step(fmt::format("rw [{}] at *", fact.proof), 2.5, out);
  }
  if (!all.empty()) {
    all.pop_back();
    Step(all, 0.4, out);
  }
  if (substitutes) Step("subst_vars", 0.6, out);
}

// Properties of functions that the library defines by ∀ and ∃ are unfolded.
void UnfoldProperties(const HeuristicInput& input, Candidates* out) {
  static constexpr std::string_view kProperties[] = {"Injective", "Surjective", "Bijective",
                                                     "LeftInverse", "RightInverse"};
  const std::string text = TypesIn(input.goal);
  std::string names;
  for (const std::string_view property : kProperties) {
    const std::string name = fmt::format("Function.{}", property);
    if (text.find(name) != std::string::npos) names += name + ", ";
  }
  if (names.empty()) return;
  const std::string unfold = fmt::format("simp only [{}Function.comp_apply] at *", names);
  Step(unfold, 0.5, out);
  CloseApart(unfold + "\ngrind", 0.34, out);
}

// The truth table of the goal's propositional variables.
void DecideVariables(const ArithmeticGoal& arith, Candidates* out) {
  constexpr size_t kMost = 4;
  std::string cases;
  size_t count = 0;
  for (const Variable& variable : arith.variables) {
    if (variable.type != "Prop") continue;
    if (++count > kMost) return;
    cases += fmt::format("by_cases {} : {} <;> ", arith.Fresh("h" + variable.name), variable.name);
  }
  if (count > 0) CloseApart(cases + "simp_all", 0.7, out);
}

// The values of a function to Bool at the variables of its type: a colouring.
void DecideValues(const ArithmeticGoal& arith, Candidates* out) {
  constexpr size_t kMost = 4;
  for (const Variable& function : arith.variables) {
    const TermPtr type = ParseTerm(function.type);
    if (!type->Is("→") || type->args[1]->text != "Bool") continue;
    std::string cases;
    size_t count = 0;
    for (const Variable& variable : arith.variables) {
      if (variable.type != type->args[0]->text) continue;
      cases += fmt::format("cases {} : {} {} <;> ", arith.Fresh("h" + variable.name), function.name,
                           variable.name);
      ++count;
    }
    if (count > 0 && count <= kMost) CloseApart(cases + "grind", 0.83, out);
  }
}

}  // namespace

void ProposeCases(const HeuristicInput& input, Candidates* out) {
  TakeTargetApart(input.arith, out);
  DecideVariables(input.arith, out);
  DecideValues(input.arith, out);
  UnfoldProperties(input, out);
  TakeHypothesesApart(input.arith, out);
  int count = 0;
  for (const Variable& variable : input.arith.variables) {
    if (variable.type == "Bool" || variable.type == "Fin 2") {
      Step("cases " + variable.name + " <;> simp_all", 0.8, out);
    }
    if (variable.domain == Domain::kNat && count++ < 3) {
      Step(fmt::format("rcases {0} with _ | {0}", variable.name), 3.0, out);
    }
  }
}

}  // namespace zermelo::policy
