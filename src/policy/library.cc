#include "policy/library.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "policy/rewriting.h"
#include "syntax/file_constants.h"

namespace zermelo::policy {

using core::Fail;
using core::Result;
using core::Task;
using retrieve::Premise;
using retrieve::PremiseQuery;
using retrieve::Rankings;

namespace {

constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr size_t kRules = 8;               // of a goal
constexpr size_t kLibraryDefinitions = 4;  // of a goal
constexpr size_t kNamesakes = 16;
constexpr int kLateForNamesakes = 2;    // tactics into a proof
constexpr size_t kLearnedPremises = 2;  // before those of the library
constexpr size_t kPropositions = 8;     // of a goal that are queried
constexpr size_t kLookedThrough = 200;  // theorems examined for each proposition
constexpr size_t kMostKnown = 4096;     // cached queries

std::string KeyOf(const PremiseQuery& query) {
  return fmt::format("{} {} {}\n{}", static_cast<int>(query.rankings), query.limit,
                     query.imports ? fmt::format("{} ", fmt::join(*query.imports, " ")) : "",
                     query.text);
}

/// "x m : Int\n⊢ x % m = 0": the proposition with the types of what it mentions.
std::string Question(const Term& prop, const ArithmeticGoal& arith) {
  std::string text;
  for (const Variable& variable : arith.variables) {
    if (Mentions(prop, variable.name)) {
      text += fmt::format("{} : {}\n", variable.name, variable.type);
    }
  }
  return text + "⊢ " + prop.text;
}

/// The merit of the best rewriting of the goal by the theorem; 0: there is none.
double MeritOf(const Premise& theorem, const RewritingPlaces& places) {
  const auto rule = ReadRule(theorem.name, theorem.signature);
  double merit = 0;
  if (!rule) return merit;
  for (const Rewriting& each : places.By(*rule)) merit = std::max(merit, each.merit);
  return merit;
}

/// Whether code names what a proof here cannot use: the theorem itself, or an open one.
bool NamesUnusable(std::string_view code, const StepContext& context) {
  const syntax::NameSet names = syntax::NamesIn(code);
  for (const std::string* own : {&context.source.theorem, &context.theorem.name}) {
    if (!own->empty() && syntax::Writes(names, *own)) return true;
  }
  const syntax::Goal* const goal =
      context.state.goals.empty() ? nullptr : &context.state.goals.front();
  return context.file != nullptr && !syntax::OpenTheoremsIn(code, *context.file, goal).empty();
}

std::vector<std::string> NamesOf(const Result<std::vector<Premise>>& found) {
  std::vector<std::string> names;
  if (!found) return names;
  for (const Premise& premise : *found) names.push_back(premise.name);
  return names;
}

/// Lets other tasks of this thread run.
Task<void> Yield() {
  co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
}

}  // namespace

Task<void> AskLibrary(retrieve::Retriever& library, StepContext* context) {
  const auto deadline = core::Deadline::After(kPatience);
  const std::string& state = context->printed;
  PremiseQuery query;
  query.text = state.substr(0, state.find("\n\n"));  // the first goal
  query.formal = true;
  query.imports = context->imports;
  query.rankings = Rankings::kSymbols;
  query.limit = kPremises << context->effort;
  const auto found = co_await library.Search(query, deadline);
  if (!found) co_return;
  context->premises = NamesOf(found);
  query.rankings = Rankings::kRewriting;
  query.limit = kRules << context->effort;
  auto rules = co_await library.Search(query, deadline);
  if (rules) context->rules = *std::move(rules);
  if (deadline.Passed()) co_return;
  query.rankings = Rankings::kDefinitions;
  query.limit = kLibraryDefinitions << context->effort;
  context->definitions = NamesOf(co_await library.Search(query, deadline));
  const std::string& own = context->source.theorem;
  if (own.empty() || context->depth >= kLateForNamesakes || deadline.Passed()) co_return;
  query.rankings = Rankings::kNamesakes;
  query.text = own;
  query.limit = kNamesakes;
  context->namesakes = NamesOf(co_await library.Search(std::move(query), deadline));
}

Task<void> AskLearned(learn::Adviser& adviser, StepContext* context) {
  learn::Query query;
  query.goal = context->printed.substr(0, context->printed.find("\n\n"));
  query.source = context->source;
  auto advice = co_await adviser.Ask(std::move(query));
  if (!advice) co_return;
  context->learned = std::move(advice->tactics);
  std::erase_if(context->learned, [&](const learn::Suggestion& each) {
    return NamesUnusable(each.tactic.text, *context);
  });
  std::vector<std::string> premises = std::move(advice->premises);
  // Examples of earlier versions have names that Lean gives to what is private: no proof can name
  // these.
  std::erase_if(premises, [&](const std::string& name) {
    return name.starts_with("_private.") || NamesUnusable(name, *context);
  });
  premises.resize(std::min(premises.size(), kLearnedPremises));
  for (std::string& premise : context->premises) {
    if (std::ranges::find(premises, premise) == premises.end())
      premises.push_back(std::move(premise));
  }
  premises.resize(std::min(premises.size(), kPremises << context->effort));
  context->premises = std::move(premises);
}

Task<Result<std::vector<Premise>>> StateLibrary::Search(PremiseQuery query,
                                                        core::Deadline deadline) {
  switch (query.rankings) {
    case Rankings::kSymbols:
    case Rankings::kDefinitions:
    case Rankings::kNamesakes:
      co_return co_await FindNames(std::move(query), deadline);
    case Rankings::kRewriting:
      co_return co_await Rules(std::move(query), deadline);
    default:
      co_return co_await inner_.Search(std::move(query), deadline);
  }
}

void StateLibrary::Keep(const std::string& key, const Premises& found) {
  if (known_.size() >= kMostKnown) known_.clear();
  known_[key] = found;
}

Task<Result<StateLibrary::Premises>> StateLibrary::FindNames(PremiseQuery query,
                                                             core::Deadline deadline) {
  const std::string key = KeyOf(query);
  if (const auto known = known_.find(key); known != known_.end()) co_return known->second;
  auto found = co_await inner_.Search(std::move(query), deadline);
  if (!found) co_return found;
  Premises names(found->size());
  for (size_t i = 0; i < names.size(); ++i) names[i].name = std::move((*found)[i].name);
  Keep(key, names);
  co_return names;
}

Task<Result<StateLibrary::Premises>> StateLibrary::Rules(PremiseQuery query,
                                                         core::Deadline deadline) {
  const syntax::ProofState state = syntax::ParseProofState(query.text);
  Premises all;
  if (state.goals.empty()) co_return all;
  const ArithmeticGoal arith = ReadGoal(state.goals.front());
  std::vector<TermPtr> propositions = {arith.target};
  for (const Fact& fact : arith.facts) propositions.push_back(fact.prop);
  propositions.resize(std::min(propositions.size(), kPropositions));
  for (const TermPtr& prop : propositions) {
    if (deadline.Passed()) break;
    PremiseQuery one = query;
    one.text = Question(*prop, arith);
    auto found = co_await RulesFor(std::move(one), deadline);
    if (!found) co_return Fail(found.error());
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

Task<Result<StateLibrary::Premises>> StateLibrary::RulesFor(PremiseQuery query,
                                                            core::Deadline deadline) {
  const std::string key = KeyOf(query);
  if (const auto known = known_.find(key); known != known_.end()) co_return known->second;
  co_await Yield();
  const ArithmeticGoal arith = ReadGoal(syntax::ParseProofState(query.text).goals.front());
  const RewritingPlaces places(arith);
  const size_t limit = query.limit;
  query.rankings = Rankings::kSymbols;
  query.limit = kLookedThrough;
  auto found = co_await inner_.Search(std::move(query), deadline);
  if (!found) co_return Fail(found.error());
  Premises rules;
  for (Premise& theorem : *found) {
    Premise rule;
    rule.score = MeritOf(theorem, places);
    if (rule.score <= 0) continue;
    rule.name = std::move(theorem.name);
    rule.signature = std::move(theorem.signature);
    rules.push_back(std::move(rule));
  }
  std::ranges::stable_sort(rules, std::ranges::greater(), &Premise::score);
  if (rules.size() > limit) rules.resize(limit);
  Keep(key, rules);
  co_return rules;
}

}  // namespace zermelo::policy
