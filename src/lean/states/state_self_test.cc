#include "lean/states/state_self_test.h"

#include <algorithm>
#include <array>

namespace zermelo::lean {

namespace {

constexpr std::string_view kTestBefore =
    "namespace Zermelo.SelfTest\nvariable (p : Prop)\n"
    "theorem test.{u} (α : Type u) (a b : Nat) (h : p) : p ∧ a + b = b + a := by\n  ";

StateQuery TestQuery(std::string tactics) {
  StateQuery query;
  query.hole.text = std::string(kTestBefore) + "sorry\n";
  query.hole.byte = kTestBefore.size();
  query.tactics = std::move(tactics);
  return query;
}

/// What a run must be: its states, one line each, goals separated by " | ", then its first error as
/// "error LINE:COLUMN", and what Closed says.
struct Expectation {
  const char* tactics;
  const char* outcome;
};

constexpr const char* kAfterConstructor =
    "case left\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ p | "
    "case right\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ a + b = b + a\n";

const std::array kExpectations = {
    Expectation{"  constructor\n", ""},
    Expectation{"  constructor\n  · exact h\n  · exact Nat.add_comm a b\n",
                "case right\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ a + b = b + a\n\nclosed\n"},
    Expectation{"  constructor\n  exact missing\n  rfl\n", "error 1:8\n"},
    Expectation{"  constructor\n  · have : ∀ β : Type u, β = β := by\n      intro β\n"
                "      exact missing\n    exact h\n  sorry\n",
                "error 3:12\n"},
    Expectation{"  constructor\n  )\n", "error 1:2\n"},
    Expectation{"  constructor\n  · exact h\n  · sorry\n",
                "case right\np : Prop\nα : Type u\na b : Nat\nh : p\n⊢ a + b = b + a\n\n"},
};

std::string OutcomeOf(const StateRun& run) {
  std::string outcome;
  const Diagnostic* error = run.FirstError();
  for (const TacticStep& step : run.steps) {
    if (!step.state || std::ranges::any_of(step.messages, [](const auto& d) {
          return d.severity == Severity::kError;
        })) {
      break;
    }
    for (size_t i = 0; i < step.goals.size(); ++i) outcome += (i == 0 ? "" : " | ") + step.goals[i];
    outcome += "\n";
  }
  if (error != nullptr) {
    outcome += "error " + std::to_string(error->begin.line) + ":" +
               std::to_string(error->begin.character) + "\n";
  }
  if (run.Closed()) outcome += "closed\n";
  return outcome;
}

}  // namespace

std::vector<StateQuery> SelfTestQueries() {
  std::vector<StateQuery> queries;
  for (const Expectation& expectation : kExpectations) {
    queries.push_back(TestQuery(expectation.tactics));
  }
  return queries;
}

std::optional<std::string> SelfTestComplaint(size_t query, const StateRun& run) {
  const Expectation& expectation = kExpectations.at(query);
  const std::string expected = std::string(kAfterConstructor) + expectation.outcome;
  const std::string outcome = OutcomeOf(run);
  if (outcome == expected) return std::nullopt;
  return "after the tactics of its self-test (" + std::string(expectation.tactics) +
         ") it answers\n" + outcome + "instead of\n" + expected;
}

StateQuery WarmingQuery(core::Duration limit) {
  StateQuery query = TestQuery("  constructor\n  · exact?\n  · grind\n");
  query.limit = limit;
  return query;
}

}  // namespace zermelo::lean
