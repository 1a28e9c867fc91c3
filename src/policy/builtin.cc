#include "policy/builtin.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "policy/heuristics/heuristics.h"
#include "policy/heuristics/operators.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMaxGoalText = 20'000;  // bytes of target and hypotheses together
constexpr double kDepthCost = 0.1;
constexpr size_t kMostEffort = 4;

/// The origins of candidates, in the order in which heuristics.h declares what proposes them.
// clang-format off
constexpr std::string_view kHeuristics[] = {
    "close", "mathlib", "local", "predicates", "library_predicates", "library_definitions", "starting_points", "generalized_calls", "quotients", "monads", "wider", "cases",
    "induction", "premises", "namesakes", "learned", "laws", "classical", "descent", "rewriting", "instances", "witness", "witness/solved",
    "bash/decide", "residues", "powers", "powers/closed", "residues/powers", "residues/primes", "arith",
    "power_inequalities", "divisors/cases", "divisors/cofactor", "divisors/gcd", "divisors/common", "factors",
    "sequences", "folds"
};
// clang-format on

std::set<std::string, std::less<>> NamesIn(std::string_view text) {
  std::set<std::string, std::less<>> names;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = core::Trim(text.substr(0, comma));
    if (!name.empty()) names.emplace(name);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

// Names inaccessible hypotheses; returns the `rename_i` line that does the same in Lean.
std::string NameInaccessible(syntax::Goal* goal) {
  std::set<std::string> used;
  for (const syntax::Hypothesis& hypothesis : goal->hypotheses) {
    used.insert(hypothesis.names.begin(), hypothesis.names.end());
  }
  std::string line = "rename_i";
  std::map<std::string, std::string, std::less<>> names;  // by inaccessible ones
  for (syntax::Hypothesis& hypothesis : goal->hypotheses) {
    for (std::string& declared : hypothesis.names) {
      declared = syntax::RenameInaccessible(declared, [&](const syntax::InaccessibleName& name) {
        std::string base(name.base.empty() ? "x" : name.base);
        std::ranges::replace(base, '.', '_');
        std::string fresh = base;
        for (int i = 1; !used.insert(fresh).second; ++i) fresh = base + "_" + std::to_string(i);
        line += " " + fresh;
        return names[std::string(name.text)] = fresh;
      });
    }
  }
  if (names.empty()) return "";
  const auto renamed = [&](const syntax::InaccessibleName& name) {
    const auto found = names.find(name.text);
    return found == names.end() ? std::string(name.text) : found->second;
  };
  goal->target = syntax::RenameInaccessible(goal->target, renamed);
  for (syntax::Hypothesis& hypothesis : goal->hypotheses) {
    hypothesis.type = syntax::RenameInaccessible(hypothesis.type, renamed);
  }
  return line + "\n";
}

size_t TextSize(const syntax::Goal& goal) {
  size_t size = goal.target.size();
  for (const syntax::Hypothesis& hypothesis : goal.hypotheses) size += hypothesis.type.size();
  return size;
}

class BuiltinPolicy : public StepPolicy {
 public:
  explicit BuiltinPolicy(std::string_view without) : without_(NamesIn(without)) {}

  std::vector<Candidate> Propose(const StepContext& context, size_t n) override {
    if (context.state.goals.empty()) return {};
    syntax::Goal goal = context.state.goals.front();
    const std::string prefix = NameInaccessible(&goal);
    const bool huge = TextSize(goal) > kMaxGoalText;
    const ArithmeticGoal arith = huge ? ArithmeticGoal{{}, {}, ParseTerm(""), {}} : ReadGoal(goal);
    const FileFacts file = huge ? FileFacts() : ChooseFor(goal, context);
    const HeuristicInput input{context, goal, arith, file};
    Candidates candidates;
    ProposeClosing(input, &candidates);
    ProposeMathlib(input, &candidates);
    ProposePremises(input, &candidates);
    ProposeNamesakes(input, &candidates);
    if (!huge) {
      ProposeLocal(input, &candidates);
      ProposeQuotients(input, &candidates);
      ProposeMonads(input, &candidates);
      ProposePredicates(input, &candidates);
      ProposeLibraryPredicates(input, &candidates);
      ProposeLibraryDefinitions(input, &candidates);
      ProposeCases(input, &candidates);
      ProposeInduction(input, &candidates);
      ProposeInstances(input, &candidates);
      ProposeLaws(input, &candidates);
      ProposeClassical(input, &candidates);
      ProposeDescent(input, &candidates);
      ProposeRewriting(input, &candidates);
      ProposeWitnesses(input, &candidates);
      ProposeEnumeration(input, &candidates);
      ProposeResidues(input, &candidates);
      ProposePowerResidues(input, &candidates);
      ProposePowers(input, &candidates);
      ProposeArithmetic(input, &candidates);
      ProposePowerInequalities(input, &candidates);
      ProposeDivisors(input, &candidates);
      ProposeSequences(input, &candidates);
      ProposeFolds(input, &candidates);
      ProposeStartingPoints(input, &candidates);
      ProposeGeneralizedCalls(input, &candidates);
      if (context.effort > 0) ProposeWider(input, &candidates);
    }
    LeaveOut(&candidates);
    ProposeLearned(input, &candidates);
    LeaveOut(&candidates);
    return Select(std::move(candidates), prefix, context.depth, n);
  }

  bool wants_library() const override { return true; }
  size_t most_effort() const override { return kMostEffort; }

 private:
  void LeaveOut(Candidates* candidates) const {
    if (without_.empty()) return;
    std::erase_if(*candidates,
                  [&](const Candidate& each) { return without_.contains(each.origin); });
  }

  static std::vector<Candidate> Select(Candidates candidates, const std::string& prefix, int depth,
                                       size_t n) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    std::vector<Candidate> selected;
    std::set<std::string> seen;
    for (Candidate& candidate : candidates) {
      if (selected.size() == n) break;
      if (!seen.insert(candidate.tactic).second) continue;
      candidate.tactic = prefix + WithDirections(std::move(candidate.tactic));
      if (!candidate.closing) candidate.cost += kDepthCost * depth;
      selected.push_back(std::move(candidate));
    }
    return selected;
  }

  const std::set<std::string, std::less<>> without_;
};

}  // namespace

std::span<const std::string_view> Heuristics() { return kHeuristics; }

core::Status CheckHeuristics(std::string_view names) {
  for (const std::string& name : NamesIn(names)) {
    if (std::ranges::find(kHeuristics, name) != std::end(kHeuristics)) continue;
    return core::Fail(core::ErrorCode::kUsage, fmt::format("there is no heuristic `{}`", name),
                      fmt::format("heuristics: {}", fmt::join(kHeuristics, ", ")));
  }
  return {};
}

std::unique_ptr<StepPolicy> MakeBuiltinPolicy(std::string_view without) {
  return std::make_unique<BuiltinPolicy>(without);
}

}  // namespace zermelo::policy
