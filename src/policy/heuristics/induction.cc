// Induction on natural numbers.
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr int kMaxVariables = 3;

void AddInduction(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "induction"});
}

// The variables besides `name` that the induction hypothesis should not fix.
std::string Generalizing(const ArithmeticGoal& arith, const std::string& name) {
  std::string others;
  for (const Variable& variable : arith.variables) {
    if (variable.name == name || variable.type.find("→") != std::string::npos) continue;
    if (variable.domain != Domain::kOther && Mentions(*arith.target, variable.name)) {
      others += " " + variable.name;
    }
  }
  return others.empty() ? "" : " generalizing" + others;
}

// From x on, for a hypothesis `x ≤ y`.
void ProposeFrom(const ArithmeticGoal& arith, Candidates* out) {
  for (const Fact& fact : arith.facts) {
    const Term& prop = *fact.prop;
    if (!prop.Is("≤") || fact.proof != fact.hypothesis) continue;
    const Variable* last = arith.Find(prop.args[1]->text);
    if (last == nullptr || last->domain != Domain::kNat || Mentions(*prop.args[0], last->name)) {
      continue;
    }
    AddInduction(fmt::format("induction {} <;> grind", fact.hypothesis), 0.67, true, out);
  }
}

}  // namespace

void ProposeInduction(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  ProposeFrom(arith, out);
  int count = 0;
  for (const Variable& variable : arith.variables) {
    const std::string& n = variable.name;
    if (variable.domain != Domain::kNat || !Mentions(*arith.target, n)) continue;
    if (++count > kMaxVariables) break;
    const std::string ih = arith.Fresh("ih");
    AddInduction(fmt::format("induction {} <;> grind", n), 0.65, true, out);
    AddInduction(
        fmt::format("induction {0} with\n"
                    "| zero => first | omega | simp_all\n"
                    "| succ {0} {1} =>\n"
                    "  simp only [Nat.pow_succ, Nat.mul_add, Nat.add_mul, Int.pow_succ] at *\n"
                    "  first | omega | grind",
                    n, ih),
        0.8, true, out);
    AddInduction(fmt::format("rcases {0} with _ | {0}\n"
                             "· first | omega | simp_all\n"
                             "· first | omega | grind",
                             n),
                 0.7, true, out);
    AddInduction(fmt::format("induction {0} using Nat.strongRecOn with\n"
                             "| ind {0} {1} =>\n"
                             "  rcases {0} with _ | _ | {0}\n"
                             "  · first | omega | simp_all | grind\n"
                             "  · first | omega | simp_all | grind\n"
                             "  · have := {1} {0} (by omega)\n"
                             "    have := {1} ({0} + 1) (by omega)\n"
                             "    first | omega | grind",
                             n, ih),
                 1.4, true, out);
    if (!input.file.definitions.empty()) {
      AddInduction(fmt::format("induction {0} using Nat.strongRecOn with\n"
                               "| ind {0} {1} => rcases {0} with _ | _ | {0} <;> grind [{2}]",
                               n, ih, fmt::join(input.file.definitions, ", ")),
                   0.72, true, out);
    }
    const std::string generalizing = Generalizing(arith, n);
    if (!generalizing.empty()) {
      AddInduction(fmt::format("induction {}{} <;> grind", n, generalizing), 1.2, true, out);
    }
    AddInduction(fmt::format("induction {0} with\n| zero => ?_\n| succ {0} {1} => ?_", n, ih), 2.0,
                 false, out);
    if (arith.target->Is("=")) {
      // For u n = a - b on ℕ, induction works on u n + b = a but not on the difference.
      const Term& right = *arith.target->args[1];
      if (right.Is("-") && right.args.size() == 2) {
        const std::string sum = fmt::format("{} + {} = {}", arith.target->args[0]->text,
                                            Parenthesized(*right.args[1]), right.args[0]->text);
        AddInduction(fmt::format("have {0} : {1} := by\n"
                                 "  induction {2} with\n"
                                 "  | zero => simp_all\n"
                                 "  | succ {2} ih => grind\n"
                                 "omega",
                                 arith.Fresh("hsum"), sum, n),
                     0.9, true, out);
      }
    }
  }
}

}  // namespace zermelo::policy
