// Theorems of the library: applied, used for rewriting, given to simp and grind. Single rewriting
// steps are in rewriting.cc.
#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kGrind = 6;  // grind may take long with each premise
constexpr size_t kParts = 4;  // hypotheses whose first two parts are tried
constexpr size_t kSteps = 4;  // premises that are proposed as separate steps

/// Closes a goal with a hypothesis, or with a part of one: a wrapped value and its property.
std::string FromHypotheses(const HeuristicInput& input) {
  std::string tactic = "first | assumption";
  size_t count = 0;
  const auto add = [&](const std::string& name) {
    if (count++ < kParts) tactic += fmt::format(" | exact {0}.1 | exact {0}.2", name);
  };
  for (const Fact& fact : input.arith.facts) {
    const bool has_parts =
        fact.prop->kind == TermKind::kApply || fact.prop->kind == TermKind::kOpaque;
    if (fact.proof == fact.hypothesis && has_parts) add(fact.hypothesis);
  }
  for (const Variable& variable : input.arith.variables) {
    const bool has_parts = variable.type.find(' ') != std::string::npos &&
                           variable.type.find("→") == std::string::npos;
    if (has_parts && !variable.name.starts_with("inst")) add(variable.name);
  }
  return tactic;
}

}  // namespace

std::string InPattern(std::string text) {
  boost::replace_all(text, "{", "{{");
  boost::replace_all(text, "}", "}}");
  return text;
}

std::string FirstOf(std::span<const std::string> names, std::string_view pattern) {
  std::string tactic = "first";
  for (const std::string& name : names) {
    tactic += "\n  | " + fmt::format(fmt::runtime(pattern), name);
  }
  return tactic;
}

void ProposePremises(const HeuristicInput& input, Candidates* out) {
  const std::vector<std::string>& premises = input.context.premises;
  const size_t effort = input.context.effort;
  if (premises.empty()) return;
  const auto closing = [&](std::string tactic, double cost) {
    out->push_back({std::move(tactic), cost, true, "premises"});
  };
  const auto few = std::span(premises).first(std::min(kGrind << effort, premises.size()));
  closing(FirstOf(premises, kApplyAndClose), 1.3);
  closing(FirstOf(premises, "(simp_all [{}]; done)"), 1.6);
  closing(FirstOf(few, "grind [{}]"), 1.7);
  closing(FirstOf(premises, kRewriteAndClose), 1.8);
  double cost = 2.8;
  for (size_t i = 0; i < std::min(kSteps << effort, premises.size()); ++i) {
    out->push_back({fmt::format("apply {}", premises[i]), cost, false, "premises"});
    cost += 0.2;
  }
}

void ProposeNamesakes(const HeuristicInput& input, Candidates* out) {
  const std::vector<std::string>& names = input.context.namesakes;
  if (names.empty()) return;
  const auto closing = [&](std::string_view pattern, double cost) {
    out->push_back({FirstOf(names, pattern), cost, true, "namesakes"});
  };
  closing(fmt::format("(apply {{}} <;> {})", InPattern(FromHypotheses(input))), 0.4);
  closing("(simpa using {})", 0.85);
  closing("(apply {} <;> simp_all; done)", 0.86);
  closing("(simp_all [{}]; done)", 0.87);
}

}  // namespace zermelo::policy
