// Hypotheses that are predicates or structures of the library: `Equivalence r`, `Acc r a`,
// `xs.Perm ys`, `WellFounded r`. Nothing is known of them but their names, so each is taken apart
// and tried for an induction on its rules.
#include <algorithm>
#include <fmt/format.h>

#include "policy/heuristics/data_variables.h"
#include "policy/heuristics/heuristics.h"
#include "syntax/words.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMostClaims = 3;
constexpr size_t kMostVariables = 2;  // for an induction along a relation

// Types of data, which a hypothesis that nothing mentions may have, too.
constexpr syntax::WordSet kData({"Array", "BitVec", "Except", "Fin", "Finset", "List", "Multiset",
                                 "Option", "Prod", "Set", "Subtype", "Sum", "Vector"});

void Offer(std::string tactic, double cost, bool closing, Candidates* out) {
  out->push_back({std::move(tactic), cost, closing, "library_predicates"});
}

struct Claim {
  std::string name;
  TermPtr type;
};

bool IsMentioned(const std::string& name, const HeuristicInput& input) {
  const auto mentions = [&](const std::string& type) { return Mentions(*ParseTerm(type), name); };
  return mentions(input.goal.target) ||
         std::ranges::any_of(input.goal.hypotheses, [&](const syntax::Hypothesis& hypothesis) {
           return mentions(hypothesis.type);
         });
}

/// Hypotheses that are applications, or notation that is not known, and that nothing mentions, as
/// one does not mention proofs.
std::vector<Claim> ClaimsIn(const HeuristicInput& input) {
  std::vector<Claim> claims;
  const auto add = [&](const std::string& name, const TermPtr& type) {
    if (claims.size() < kMostClaims && !IsMentioned(name, input)) claims.push_back({name, type});
  };
  for (const Variable& variable : input.arith.variables) {
    const TermPtr type = ParseTerm(variable.type);
    const bool known = kData.Contains(type->head) || input.arith.Find(type->head) != nullptr ||
                       input.file.Predicate(type->head) != nullptr ||
                       input.file.Type(type->head) != nullptr ||
                       input.file.Function(type->head) != nullptr;
    const bool is_instance = variable.name.starts_with("inst");
    if (type->kind == TermKind::kApply && !known && !is_instance) add(variable.name, type);
  }
  for (const Fact& fact : input.arith.facts) {
    if (fact.proof == fact.hypothesis && fact.prop->kind == TermKind::kOpaque) {
      add(fact.hypothesis, fact.prop);
    }
  }
  return claims;
}

/// The variables of data that the target or a fact mentions, except those that `without` mentions.
std::vector<std::string> DataOutside(const Term& without, const HeuristicInput& input) {
  std::vector<std::string> names;
  for (const Variable& variable : input.arith.variables) {
    const bool is_used = Mentions(*input.arith.target, variable.name) ||
                         std::ranges::any_of(input.arith.facts, [&](const Fact& fact) {
                           return Mentions(*fact.prop, variable.name);
                         });
    if (IsData(variable) && is_used && !Mentions(without, variable.name))
      names.push_back(variable.name);
  }
  return names;
}

void ProposeRules(const Claim& claim, double later, const HeuristicInput& input, Candidates* out) {
  Offer(fmt::format("cases {} <;> grind", claim.name), 0.79 + later, true, out);
  const std::vector<std::string> others = DataOutside(*claim.type, input);
  std::string induction = "induction " + claim.name;
  if (!others.empty()) {
    Offer(induction + " <;> grind", 0.86 + later, true, out);
    induction += fmt::format(" generalizing {}", fmt::join(others, " "));
  }
  Offer(induction + " <;> grind", 0.81 + later, true, out);
  Offer(induction + " <;> simp_all", 0.83 + later, true, out);
  Offer(induction, 2.3 + later, false, out);
  Offer("cases " + claim.name, 2.4 + later, false, out);
}

/// Well-founded induction.
void ProposeAlong(const Claim& relation, const HeuristicInput& input, Candidates* out) {
  size_t count = 0;
  for (const std::string& x : DataOutside(*relation.type, input)) {
    if (!Mentions(*input.arith.target, x)) continue;
    if (count++ == kMostVariables) break;
    const std::string induction = fmt::format("induction {} using {}.induction", x, relation.name);
    Offer(induction + " <;> grind", 0.5, true, out);
    Offer(induction + " <;> simp_all", 0.52, true, out);
    Offer(fmt::format("{} with\n| _ {} ih => ?_", induction, x), 1.2, false, out);
  }
}

}  // namespace

void ProposeLibraryPredicates(const HeuristicInput& input, Candidates* out) {
  double later = 0;
  for (const Claim& claim : ClaimsIn(input)) {
    if (claim.type->head == "WellFounded") {
      ProposeAlong(claim, input, out);
      continue;
    }
    ProposeRules(claim, later, input, out);
    later += 0.1;
  }
}

}  // namespace zermelo::policy
