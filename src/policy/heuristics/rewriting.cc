// Rewriting steps: theorems that the index found to match a part of the goal, and equations and
// congruences among the hypotheses.
#include "policy/rewriting.h"

#include <algorithm>
#include <fmt/format.h>

#include "policy/arith/residues.h"
#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kRewritings = 8;
constexpr size_t kMostRules = 32;  // of hypotheses
constexpr size_t kCongruences = 6;

double CostOf(double merit) { return std::max(1.2, 3.2 - 0.5 * merit); }

bool HasModulus(const Term& term, const std::string& m) {
  bool has = false;
  Visit(term, [&](const Term& part) { has |= part.Is("%") && part.args[1]->text == m; });
  return has;
}

/// Uses x % m = e, for a variable m, where x occurs in another term modulo m, which omega cannot
/// do.
void ProposeCongruences(const ArithmeticGoal& arith, Candidates* out) {
  size_t proposed = 0;
  for (const Fact& fact : arith.facts) {
    if (!fact.prop->Is("=") || !fact.prop->args[0]->Is("%")) continue;
    const Term& x = *fact.prop->args[0]->args[0];
    const Term& m = *fact.prop->args[0]->args[1];
    if (x.kind != TermKind::kName || m.kind != TermKind::kName) continue;
    const std::string lemmas = ResidueLemmas(DomainOf(x, arith), {fact.proof});
    const auto look = [&](const Term& prop, const std::string& place) {
      if (proposed == kCongruences || place == fact.hypothesis) return;
      if (!HasModulus(prop, m.head) || !Mentions(prop, x.head)) return;
      ++proposed;
      out->push_back({fmt::format("simp [{}] at {}", lemmas, place), 0.3, false, "rewriting"});
    };
    for (const Fact& other : arith.facts) look(*other.prop, other.hypothesis);
    look(*arith.target, "⊢");
  }
}

}  // namespace

void ProposeRewriting(const HeuristicInput& input, Candidates* out) {
  ProposeCongruences(input.arith, out);
  const RewritingPlaces places(input.arith);
  std::vector<std::pair<Rewriting, const char*>> all;  // with the origin
  const auto add = [&](const std::optional<Rule>& rule, const char* origin) {
    if (!rule) return;
    for (Rewriting& each : places.By(*rule)) {
      if (each.merit > 0) all.emplace_back(std::move(each), origin);
    }
  };
  for (const retrieve::Premise& theorem : input.context.rules) {
    add(ReadRule(theorem.name, theorem.signature), "premises");
  }
  for (const syntax::FileConstant* theorem : input.file.theorems) {
    add(ReadRule(theorem->reference, theorem->signature), "local");
  }
  const auto& facts = input.arith.facts;
  for (size_t i = 0; i < std::min(facts.size(), kMostRules); ++i)
    add(RuleOf(facts[i]), "rewriting");
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const auto& each) { return each.first.merit; });
  all.resize(std::min(all.size(), kRewritings << input.context.effort));
  for (const auto& [rewriting, origin] : all) {
    const std::string place = rewriting.place.empty() ? "" : " at " + rewriting.place;
    out->push_back(
        {fmt::format("rw [{}]{}", rewriting.rule, place), CostOf(rewriting.merit), false, origin});
  }
}

}  // namespace zermelo::policy
