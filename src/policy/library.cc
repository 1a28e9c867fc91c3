#include "policy/library.h"

#include <algorithm>
#include <fmt/format.h>

#include "lean/declarations.h"
#include "policy/rewriting.h"

namespace zermelo::policy {

using core::Result;
using core::Task;
using retrieve::Premise;
using retrieve::PremiseQuery;

namespace {

constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr size_t kRules = 8;            // of a goal
constexpr size_t kPropositions = 8;     // of a goal that are looked at
constexpr size_t kLookedThrough = 200;  // theorems of the rankings, for each proposition
constexpr size_t kLongest = 4000;       // bytes of a proposition that is looked at
constexpr size_t kMostKnown = 4096;     // propositions

/// "x m : Int\n⊢ x % m = 0": the proposition with the types of what it mentions.
std::string Question(const Term& prop, const View& view) {
  std::string text;
  for (const Variable& variable : view.variables) {
    if (Mentions(prop, variable.name))
      text += fmt::format("{} : {}\n", variable.name, variable.type);
  }
  return text + "⊢ " + prop.text;
}

/// Of the best way in which the theorem rewrites the goal; 0: there is none.
double MeritOf(const Premise& theorem, const View& view) {
  const auto rule = ReadRule(theorem.name, theorem.signature);
  double merit = 0;
  if (!rule) return merit;
  for (const Rewriting& each : RewritingsBy(*rule, view)) merit = std::max(merit, each.merit);
  return merit;
}

}  // namespace

Task<void> AskLibrary(retrieve::Retriever& library, StepContext* context) {
  const auto deadline = core::Deadline::After(kPatience);
  const std::string& state = context->theorem.state;
  PremiseQuery query;
  query.text = state.substr(0, state.find("\n\n"));  // the first goal
  query.formal = true;
  query.imports = lean::ImportedModules(context->theorem.header);
  query.imports.emplace_back("Init");
  query.rankings = retrieve::Rankings::kSymbols;
  query.limit = kPremises;
  const auto found = co_await library.Search(query, deadline);
  if (!found) co_return;
  for (const Premise& premise : *found) context->premises.push_back(premise.name);
  query.rankings = retrieve::Rankings::kRewriting;
  query.limit = kRules;
  auto rules = co_await library.Search(std::move(query), deadline);
  if (rules) context->rules = *std::move(rules);
}

Task<Result<std::vector<Premise>>> RewritingRetriever::Search(PremiseQuery query,
                                                              core::Deadline deadline) {
  if (query.rankings != retrieve::Rankings::kRewriting) {
    co_return co_await inner_.Search(std::move(query), deadline);
  }
  const lean::ProofState state = lean::ParseProofState(query.text);
  Premises all;
  if (state.goals.empty()) co_return all;
  const View view = ReadGoal(state.goals.front());
  std::vector<TermPtr> propositions = {view.target};
  for (const Fact& fact : view.facts) propositions.push_back(fact.prop);
  std::erase_if(propositions, [](const TermPtr& prop) { return prop->text.size() > kLongest; });
  propositions.resize(std::min(propositions.size(), kPropositions));
  for (const TermPtr& prop : propositions) {
    PremiseQuery one = query;
    one.text = Question(*prop, view);
    auto found = co_await ForProposition(std::move(one), deadline);
    if (!found) co_return core::Fail(found.error());
    all.insert(all.end(), found->begin(), found->end());
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Premise::score);
  Premises best;
  for (Premise& premise : all) {
    if (best.size() == query.limit) break;
    const bool known = std::ranges::find(best, premise.name, &Premise::name) != best.end();
    if (!known) best.push_back(std::move(premise));
  }
  co_return best;
}

Task<Result<std::vector<Premise>>> RewritingRetriever::ForProposition(PremiseQuery query,
                                                                      core::Deadline deadline) {
  const std::string key = fmt::format("{}\n{}", query.text, fmt::join(query.imports, "\n"));
  if (const auto known = known_.find(key); known != known_.end()) co_return known->second;
  const View view = ReadGoal(lean::ParseProofState(query.text).goals.front());
  const size_t limit = query.limit;
  query.rankings = retrieve::Rankings::kSymbols;
  query.limit = kLookedThrough;
  auto found = co_await inner_.Search(std::move(query), deadline);
  if (!found) co_return core::Fail(found.error());
  Premises rules;
  for (Premise& premise : *found) {
    premise.score = MeritOf(premise, view);
    premise.docstring.clear();
    if (premise.score > 0) rules.push_back(std::move(premise));
  }
  std::ranges::stable_sort(rules, std::ranges::greater(), &Premise::score);
  if (rules.size() > limit) rules.resize(limit);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[key] = rules;
  co_return rules;
}

}  // namespace zermelo::policy
