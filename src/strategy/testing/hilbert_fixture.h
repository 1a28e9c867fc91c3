// For tests only: Hilbert on fake_lean.py's game, and the replies of its models.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strategy/hilbert/hilbert.h"
#include "strategy/testing/game_fixture.h"
#include "strategy/testing/scripted_policies.h"
#include "strategy/testing/scripted_reasoner.h"

namespace zermelo::strategy::testing {

/// A sketch of `theorem NAME : NUMBER` with steps h1, h2, … for these numbers; uses the last one.
inline std::string SketchReply(const std::string& name, int number, const std::vector<int>& steps,
                               const std::string& end = "") {
  std::string code = "theorem " + name + " : " + std::to_string(number) + " := by\n";
  for (size_t i = 0; i < steps.size(); ++i) {
    code += "  have h" + std::to_string(i + 1) + " : " + std::to_string(steps[i]) +
            " := by\n    sorry\n";
  }
  return Lean(code + "  " + (end.empty() ? "use h" + std::to_string(steps.size()) : end));
}

inline std::string Theorems(const std::vector<int>& steps, size_t first = 1) {
  std::string code;
  for (size_t i = 0; i < steps.size(); ++i) {
    code += "theorem h" + std::to_string(first + i) + " : " + std::to_string(steps[i]) +
            " := by\n  sorry\n";
  }
  return Lean(code);
}

inline std::string AssemblyOf(const std::string& name, int number, const std::vector<int>& steps,
                              const std::vector<std::string>& lemmas, const std::string& end) {
  std::string code = "theorem " + name + " : " + std::to_string(number) + " := by\n";
  for (size_t i = 0; i < steps.size(); ++i) {
    code += "  have h" + std::to_string(i + 1) + " : " + std::to_string(steps[i]) +
            " := by\n    exact " + lemmas[i] + "\n";
  }
  return Lean(code + "  " + end);
}

class HilbertTest : public GameTest {
 protected:
  HilbertTest() {
    parameters.initial_proofs = 1;
    parameters.subgoal_proofs = 1;
    parameters.shallow_attempts = 1;
    parameters.calls = 1;
    parameters.parallel = 1;
    limits.journal = &journal;
    roles.script["informal_proof"] = {"<informal_proof>It is so.</informal_proof>"};
    roles.script["judge_mathematics"] = {"<reason>clear</reason><verdict>YES</verdict>"};
    roles.script["judge_formalization"] = {"<verdict>YES</verdict>"};
  }
  /// Scripts a sketch of `game : 5` with h1 : 2 and h2 : 3.
  void ScriptOneSketch() {
    roles.script["sketch|theorem game :"] = {SketchReply("game", 5, {2, 3})};
    roles.script["extract_subgoals|theorem game :"] = {Theorems({2, 3})};
    roles.script["assemble|theorem game :"] = {
        AssemblyOf("game", 5, {2, 3}, {"game_h1", "game_h2"}, "use h2")};
  }
  core::Result<SearchResult> Run(int number) { return RunWith(roles, number); }
  core::Result<SearchResult> RunWith(Roles& asked, int number) {
    Problem problem = ProblemOf(number);
    problem.context.theorem = syntax::TheoremOf("theorem game : " + std::to_string(number));
    Services services{.checker = checker ? *checker : watched};
    services.roles = &asked;
    services.premises = premises;
    return core::testing::Await(io,
                                Hilbert(services, prompts, builtin, problem, parameters, limits));
  }
  std::vector<std::string> StatesOf(const std::string& name) const {
    std::map<size_t, std::string> names;
    std::vector<std::string> states;
    for (const auto& event : journal.events) {
      if (event.kind == event::kSubgoal) names[event.fields["node"]] = event.fields["name"];
      if (event.kind != event::kSubgoalState || names[event.fields["node"]] != name) continue;
      states.push_back(event.fields["state"].get<std::string>() + ": " +
                       event.fields["why"].get<std::string>());
    }
    return states;
  }

  const core::TemporaryFolder prompt_folder =
      std::move(*core::TemporaryFolder::Create("zermelo-prompts-"));
  const llm::PromptTemplates prompts = MarkedPrompts(prompt_folder.path());
  MemoryJournal journal;
  ScriptedProver prover;
  ScriptedRoles roles{io.get_executor(), &prover};
  retrieve::Retriever* premises = nullptr;
  std::unique_ptr<lean::Checker> checker;  // null: the pool
  FreeAttempt builtin;
  HilbertParameters parameters;
};

}  // namespace zermelo::strategy::testing
