// Functions and types of the user's file.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <span>

#include "policy/heuristics/heuristics.h"
#include "syntax/lexer.h"

namespace zermelo::policy {
namespace {

void AddLocal(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "local"});
}

// Applications of `function` to variables only, which functional induction can handle.
std::vector<std::string> Calls(const Term& term, const std::string& function,
                               const ArithmeticGoal& arith) {
  std::vector<std::string> calls;
  Visit(term, [&](const Term& part) {
    if (part.kind != TermKind::kApply ||
        syntax::LastComponent(part.head) != syntax::LastComponent(function))
      return;
    const bool plain = std::all_of(part.args.begin(), part.args.end(), [&](const TermPtr& arg) {
      return arg->kind == TermKind::kName && arith.Find(arg->head) != nullptr;
    });
    if (!plain || part.text.find('.') < part.text.find(' ')) return;
    if (std::find(calls.begin(), calls.end(), part.text) == calls.end()) calls.push_back(part.text);
  });
  return calls;
}

// Types with constructors: lists, options, trees; not numbers, functions or propositions.
bool IsInductive(const Variable& variable) {
  const std::string& type = variable.type;
  if (type.empty() || type.find("→") != std::string::npos) return false;
  return !type.starts_with("Type") && !type.starts_with("Sort") && type != "Prop" &&
         type != "Int" && type != "Rat" && type != "Bool" &&
         variable.name.find("inst") == std::string::npos;
}

void ProposeStructuralInduction(const HeuristicInput& input, const std::string& lemmas,
                                Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  std::vector<const Variable*> variables;
  for (const Variable& variable : arith.variables) {
    if (IsInductive(variable) && Mentions(*arith.target, variable.name))
      variables.push_back(&variable);
  }
  int count = 0;
  for (const Variable* variable : variables) {
    if (++count > 3) break;
    const std::string& x = variable->name;
    const bool is_nat = variable->domain == Domain::kNat;
    if (lemmas.empty() && is_nat) continue;  // induction.cc
    std::string generalizing;
    for (const Variable* other : variables) {
      if (other != variable) generalizing += " " + other->name;
    }
    if (!generalizing.empty()) generalizing = " generalizing" + generalizing;
    std::set<std::string> scopes = {"", generalizing};
    for (const std::string& scope : scopes) {
      const double cost = scope.empty() ? 0.7 : 0.8;
      AddLocal(fmt::format("induction {}{} <;> simp_all [{}]", x, scope, lemmas), cost, true, out);
      AddLocal(fmt::format("induction {}{} <;> grind [{}]", x, scope, lemmas), cost + 0.02, true,
               out);
      AddLocal(fmt::format("induction {}{} <;> simp_all [{}] <;> omega", x, scope, lemmas),
               cost + 0.04, true, out);
      AddLocal(fmt::format("induction {}{} <;> simp_all [{}] <;> grind", x, scope, lemmas),
               cost + 0.06, true, out);
      if (!is_nat) AddLocal(fmt::format("induction {}{}", x, scope), cost + 1.2, false, out);
    }
    if (!is_nat) {
      AddLocal(fmt::format("cases {} <;> simp_all [{}]", x, lemmas), 0.75, true, out);
      AddLocal(fmt::format("cases {} <;> grind [{}]", x, lemmas), 0.78, true, out);
      AddLocal(fmt::format("cases {}", x), 2.4, false, out);
    }
  }
}

}  // namespace

void ProposeLocalDefinitions(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  std::vector<std::string> mentioned;
  for (const std::string& name : input.context.local_definitions) {
    bool found =
        Mentions(*arith.target, name) || Mentions(*arith.target, syntax::LastComponent(name));
    for (const Fact& fact : arith.facts) found = found || Mentions(*fact.prop, name);
    if (found && mentioned.size() < 6) mentioned.push_back(name);
  }
  const std::span definitions(input.context.local_definitions);
  const std::string all = fmt::format(
      "{}", fmt::join(definitions.first(std::min<size_t>(8, definitions.size())), ", "));
  ProposeStructuralInduction(input, all, out);
  if (mentioned.empty()) return;
  const std::string lemmas = fmt::format("{}", fmt::join(mentioned, ", "));
  AddLocal(fmt::format("simp [{}]", all), 0.2, true, out);
  AddLocal(fmt::format("simp_all [{}]", all), 0.25, true, out);
  AddLocal(fmt::format("grind [{}]", all), 0.3, true, out);
  AddLocal(fmt::format("simp [{}] <;> omega", all), 0.35, true, out);
  AddLocal(fmt::format("simp only [{}] <;> grind", lemmas), 0.5, true, out);
  AddLocal(fmt::format("unfold {} <;> split <;> simp_all <;> omega", fmt::join(mentioned, " ")),
           0.6, true, out);
  AddLocal(fmt::format("simp only [{}]", lemmas), 1.6, false, out);
  AddLocal(fmt::format("unfold {}", fmt::join(mentioned, " ")), 1.8, false, out);
  for (const std::string& function : mentioned) {
    int count = 0;
    for (const std::string& call : Calls(*arith.target, function, arith)) {
      if (++count > 2) break;
      AddLocal(fmt::format("fun_induction {} <;> simp_all [{}]", call, all), 0.72, true, out);
      AddLocal(fmt::format("fun_induction {} <;> grind [{}]", call, all), 0.74, true, out);
      AddLocal(fmt::format("fun_induction {} <;> simp_all [{}] <;> omega", call, all), 0.76, true,
               out);
      AddLocal(fmt::format("fun_cases {} <;> simp_all [{}]", call, all), 0.85, true, out);
      AddLocal(fmt::format("fun_induction {}", call), 1.7, false, out);
    }
  }
}

}  // namespace zermelo::policy
