#include "engine/proof_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::engine {
namespace {

using ::testing::SizeIs;

constexpr const char* kText = R"(theorem above : True := by
  trivial

theorem t_1 : 1 = 1 := by
  rfl

theorem t (p q : Prop) : p → ∀ h : q, p ∧ q := by
  intro hp
  intro h
  constructor
  · exact hp
  · exact h
)";

/// An answer in which the state before each tactic is its position.
lean::CheckResult Answer(const lean::CheckRequest& request) {
  lean::CheckResult checked;
  for (const auto& at : request.goals_at) {
    checked.goals.push_back({std::to_string(at.line), "second"});
    checked.in_proof.push_back(true);
  }
  return checked;
}

TEST(ProofStepsTest, PlacesAreThoseOfTheTextThatIsShown) {
  const ProofSteps steps(kText, {{.first = 2, .last = 2}});
  const auto request = steps.Request();
  ASSERT_THAT(request.goals_at, SizeIs(7));
  const auto parts = steps.Describe(Answer(request));
  ASSERT_THAT(parts, SizeIs(1));
  const auto& list = parts[0]["steps"];
  EXPECT_TRUE(parts[0]["text"].get<std::string>().starts_with("theorem t (p q"));
  EXPECT_EQ(list[0]["start"], nlohmann::json({2, 3}));
  EXPECT_EQ(list[0]["end"], nlohmann::json({2, 11}));
  EXPECT_EQ(list[0]["before"], "7\n\nsecond") << "Lean is asked in the whole file";
  EXPECT_EQ(list[0]["next"], 1);
  EXPECT_EQ(list[4]["start"], nlohmann::json({5, 5})) << "`exact hp`, inside the first bullet";
  EXPECT_EQ(list[4]["depth"], 1);
  EXPECT_TRUE(list[4]["next"].is_null());
}

TEST(ProofStepsTest, TheLemmasOfAProofBelongToIt) {
  const ProofSteps steps(kText, {{.first = 1, .last = 2}});
  const auto parts = steps.Describe(Answer(steps.Request()));
  EXPECT_TRUE(parts[0]["text"].get<std::string>().starts_with("theorem t_1"));
  EXPECT_THAT(parts[0]["steps"], SizeIs(8));
  EXPECT_EQ(parts[0]["steps"][1]["next"], 2) << "indices count the lemma's tactics, too";
}

TEST(ProofStepsTest, TacticsThatLeanDidNotRunAreNotSteps) {
  const ProofSteps steps(kText, {{.first = 2, .last = 2}});
  auto checked = Answer(steps.Request());
  checked.in_proof[0] = false;
  const auto parts = steps.Describe(checked);
  EXPECT_THAT(parts[0]["steps"], SizeIs(6));
  EXPECT_EQ(parts[0]["steps"][0]["next"], 1);
  checked.in_proof.assign(checked.in_proof.size(), false);
  EXPECT_TRUE(steps.Describe(checked)[0].is_null());
}

}  // namespace
}  // namespace zermelo::engine
