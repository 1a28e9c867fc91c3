// Theorems of the library: applied, used for rewriting, given to simp and grind. Single rewriting
// steps are in rewriting.cc.
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kGrind = 6;  // grind may take long with each premise
constexpr size_t kSteps = 4;  // premises that are proposed as separate steps

/// One candidate that tries all premises: most fail at once, and a separate check costs more.
std::string FirstOf(const std::vector<std::string>& premises, size_t count, const char* pattern) {
  std::string tactic = "first";
  for (size_t i = 0; i < std::min(count, premises.size()); ++i) {
    tactic += "\n  | " + fmt::format(fmt::runtime(pattern), premises[i]);
  }
  return tactic;
}

}  // namespace

void ProposePremises(const HeuristicInput& input, Candidates* out) {
  const std::vector<std::string>& premises = input.context.premises;
  const size_t effort = input.context.effort;
  if (premises.empty()) return;
  const auto closing = [&](std::string tactic, double cost) {
    out->push_back({std::move(tactic), cost, true, "premises"});
  };
  closing(FirstOf(premises, premises.size(),
                  "(apply {} <;> (try assumption) <;> first | omega | grind)"),
          1.3);
  closing(FirstOf(premises, premises.size(), "(simp_all [{}]; done)"), 1.6);
  closing(FirstOf(premises, kGrind << effort, "grind [{}]"), 1.7);
  closing(FirstOf(premises, premises.size(), "(rw [{}] <;> (try assumption) <;> omega)"), 1.8);
  double cost = 2.8;
  for (size_t i = 0; i < std::min(kSteps << effort, premises.size()); ++i) {
    out->push_back({fmt::format("apply {}", premises[i]), cost, false, "premises"});
    cost += 0.2;
  }
}

}  // namespace zermelo::policy
