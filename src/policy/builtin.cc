#include "policy/builtin.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "policy/heuristics/heuristics.h"

namespace zermelo::policy {
namespace {

constexpr size_t kMaxGoalText = 20'000;  // bytes of target and hypotheses together
constexpr double kDepthCost = 0.1;
constexpr size_t kMostEffort = 4;

void Replace(std::string* text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

// Names inaccessible hypotheses; returns the `rename_i` line that does the same in Lean.
std::string NameInaccessible(syntax::Goal* goal) {
  std::set<std::string> used;
  std::vector<std::pair<std::string, std::string>> renames;  // in context order
  for (const syntax::Hypothesis& hypothesis : goal->hypotheses) {
    used.insert(hypothesis.names.begin(), hypothesis.names.end());
  }
  std::string line = "rename_i";
  for (const syntax::Hypothesis& hypothesis : goal->hypotheses) {
    for (const std::string& name : hypothesis.names) {
      if (!syntax::IsInaccessible(name)) continue;
      std::string base = name.substr(0, name.find("✝"));
      Replace(&base, ".", "_");
      if (base.empty()) base = "x";
      std::string fresh = base;
      for (int i = 1; !used.insert(fresh).second; ++i) fresh = base + "_" + std::to_string(i);
      renames.emplace_back(name, fresh);
      line += " " + fresh;
    }
  }
  if (renames.empty()) return "";
  // `n✝¹` before its prefix `n✝`.
  std::sort(renames.begin(), renames.end(),
            [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [from, to] : renames) {
    Replace(&goal->target, from, to);
    for (syntax::Hypothesis& hypothesis : goal->hypotheses) {
      Replace(&hypothesis.type, from, to);
      for (std::string& name : hypothesis.names) {
        if (name == from) name = to;
      }
    }
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
    if (!huge) {
      ProposeLocal(input, &candidates);
      ProposePredicates(input, &candidates);
      ProposeCases(input, &candidates);
      ProposeInduction(input, &candidates);
      ProposeInstances(input, &candidates);
      ProposeRewriting(input, &candidates);
      ProposeWitnesses(input, &candidates);
      ProposeEnumeration(input, &candidates);
      ProposeResidues(input, &candidates);
      ProposePowerResidues(input, &candidates);
      ProposePowers(input, &candidates);
      ProposeArithmetic(input, &candidates);
      ProposeDivisors(input, &candidates);
      ProposeSequences(input, &candidates);
      if (context.effort > 0) ProposeWider(input, &candidates);
    }
    ProposeLearned(input, &candidates);
    return Select(std::move(candidates), prefix, context.depth, n);
  }

  bool wants_library() const override { return true; }
  size_t most_effort() const override { return kMostEffort; }

 private:
  static std::vector<Candidate> Select(Candidates candidates, const std::string& prefix, int depth,
                                       size_t n) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    std::vector<Candidate> selected;
    std::set<std::string> seen;
    for (Candidate& candidate : candidates) {
      if (selected.size() == n) break;
      if (!seen.insert(candidate.tactic).second) continue;
      candidate.tactic = prefix + candidate.tactic;
      if (!candidate.closing) candidate.cost += kDepthCost * depth;
      selected.push_back(std::move(candidate));
    }
    return selected;
  }
};

}  // namespace

std::unique_ptr<StepPolicy> MakeBuiltinPolicy() { return std::make_unique<BuiltinPolicy>(); }

}  // namespace zermelo::policy
