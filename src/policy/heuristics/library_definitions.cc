// Definitions of the library that the goal names: unfolded, alone or in the cases of a variable.
// Those with few theorems come first (retrieve/retriever.h): the others are better used folded.
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/data_variables.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMostCased = 3;

void OfferUnfolded(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "library_definitions"});
}

void ProposeCasesOf(std::vector<std::string> variables, const std::string& list, Candidates* out) {
  if (variables.size() > kMostCased) variables.resize(kMostCased);
  double later = 0;
  for (const std::string& x : variables) {
    std::vector<std::string> others = variables;
    std::erase(others, x);
    const std::string generalizing =
        others.empty() ? "" : fmt::format(" generalizing {}", fmt::join(others, " "));
    OfferUnfolded(fmt::format("cases {} <;> simp_all [{}]", x, list), 0.9 + later, true, out);
    OfferUnfolded(fmt::format("cases {} <;> grind [{}]", x, list), 0.91 + later, true, out);
    OfferUnfolded(fmt::format("induction {}{} <;> simp_all [{}]", x, generalizing, list),
                  0.92 + later, true, out);
    OfferUnfolded(fmt::format("induction {}{} <;> grind [{}]", x, generalizing, list), 0.93 + later,
                  true, out);
    later += 0.1;
  }
}

}  // namespace

void ProposeLibraryDefinitions(const HeuristicInput& input, Candidates* out) {
  const std::vector<std::string>& names = input.context.definitions;
  if (names.empty()) return;
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  OfferUnfolded(fmt::format("simp [{}]", list), 0.62, true, out);
  OfferUnfolded(fmt::format("simp_all [{}]", list), 0.63, true, out);
  OfferUnfolded(fmt::format("grind [{}]", list), 0.64, true, out);
  OfferUnfolded(fmt::format("simp_all [{}] <;> omega", list), 0.8, true, out);
  OfferUnfolded(fmt::format("unfold {} <;> repeat' split <;> simp_all", fmt::join(names, " ")),
                0.95, true, out);
  ProposeCasesOf(DataOf(input.arith), list, out);
  if (!input.context.premises.empty()) {
    OfferUnfolded(FirstOf(input.context.premises,
                          fmt::format("(simp_all [{}, {{}}]; done)", InPattern(list))),
                  1.5, true, out);
  }
  OfferUnfolded(fmt::format("simp only [{}]", list), 1.9, false, out);
  OfferUnfolded(fmt::format("simp only [{}] at *", list), 2.1, false, out);
  for (const std::string& name : names) OfferUnfolded("unfold " + name, 2.2, false, out);
}

}  // namespace zermelo::policy
