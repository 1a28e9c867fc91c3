// What is too unlikely for a first attempt: case distinctions and steps on everything in the goal.
#include <fmt/format.h>
#include <set>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMostCases = 4;

void AddWider(std::string tactic, double cost, Candidates* out) {
  out->push_back({std::move(tactic), cost, false, "wider"});
}

/// The conditions of `if c then` in a text.
std::set<std::string> ConditionsIn(const std::string& text) {
  std::set<std::string> conditions;
  for (size_t at = text.find("if "); at != std::string::npos; at = text.find("if ", at + 1)) {
    const size_t begin = at + 3, end = text.find(" then", begin);
    if (end != std::string::npos) conditions.insert(text.substr(begin, end - begin));
  }
  return conditions;
}

/// Propositions whose truth may be the point.
std::set<std::string> Questions(const HeuristicInput& input) {
  std::set<std::string> questions = ConditionsIn(input.goal.target);
  for (const syntax::Hypothesis& hypothesis : input.goal.hypotheses) {
    questions.merge(ConditionsIn(hypothesis.type));
  }
  const auto& variables = input.arith.variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].type == "Prop") questions.insert(variables[i].name);
    if (variables[i].type.starts_with("Type") || variables[i].type == "Prop") continue;
    for (size_t j = i + 1; j < variables.size(); ++j) {
      if (variables[i].type != variables[j].type) continue;
      questions.insert(fmt::format("{} = {}", variables[i].name, variables[j].name));
    }
  }
  if (input.arith.target->Is("∨")) questions.insert(input.arith.target->args[0]->text);
  return questions;
}

}  // namespace

void ProposeWider(const HeuristicInput& input, Candidates* out) {
  const ArithmeticGoal& arith = input.arith;
  const size_t most = kMostCases << input.context.effort;
  size_t count = 0;
  for (const std::string& question : Questions(input)) {
    if (++count > most) break;
    AddWider(fmt::format("by_cases {} : {}", arith.Fresh("hc"), question), 2.2, out);
  }
  AddWider("simp at *", 2.2, out);
  AddWider("exfalso", 2.6, out);
  AddWider("refine Classical.byContradiction fun " + arith.Fresh("hn") + " => ?_", 2.7, out);
  AddWider("constructor", 2.4, out);
  AddWider("split at *", 2.4, out);
  count = 0;
  for (const Variable& variable : arith.variables) {
    const std::string& type = variable.type;
    if (type.starts_with("Type") || type.starts_with("Sort") || type == "Prop") continue;
    if (type.find("→") != std::string::npos) {
      AddWider("apply " + variable.name, 2.6, out);
      continue;
    }
    if (++count > most) continue;
    AddWider("induction " + variable.name, 2.5, out);
    AddWider("cases " + variable.name, 2.7, out);
  }
  count = 0;
  for (const Fact& fact : arith.facts) {
    if (++count > most) break;
    AddWider("apply " + fact.proof, 2.5, out);
    AddWider(fmt::format("have := {}\nsimp at this", fact.proof), 3.0, out);
    if (fact.proof != fact.hypothesis) continue;
    AddWider("cases " + fact.proof, 2.6, out);
    AddWider("induction " + fact.proof, 2.8, out);
    AddWider("revert " + fact.proof, 3.2, out);
  }
}

}  // namespace zermelo::policy
