#include "strategy/sketch/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::strategy::sketch {
namespace {

using ::testing::HasSubstr;

Declared Target() {
  Declared target;
  target.keyword = "theorem";
  target.name = "main";
  target.head = "theorem main (n : Nat) : n + 0 = n";
  target.statement = StatementKey("theorem", " (n : Nat) : n + 0 = n");
  return target;
}

std::string Block(const std::string& code) { return "A sketch:\n```lean4\n" + code + "\n```\n"; }

const std::string kMain = "theorem main (n : Nat) : n + 0 = n := by\n  exact helper n";
const std::string kHelper =
    "/-- By induction. -/\nlemma helper (n : Nat) : n + 0 = n ∧ True := by sorry";

core::Result<Plan> Read(const std::string& code, const LemmaStore& known = LemmaStore()) {
  std::vector<std::string> forbidden(1, Target().statement);
  return ReadPlan(Block(code), "import Foo\nopen Nat\n", Target(), forbidden, known);
}
std::string ErrorOf(const std::string& code) {
  const auto plan = Read(code);
  return plan ? "none" : plan.error().message;
}

TEST(PlanTest, HasTheLemmasAndTheTheorem) {
  const auto plan = Read("import Foo\nopen Nat\n\n" + kHelper + "\n\n" + kMain);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->lemmas.size(), 1U);
  EXPECT_EQ(plan->lemmas[0].declared.head, "lemma helper (n : Nat) : n + 0 = n ∧ True");
  EXPECT_EQ(plan->lemmas[0].declared.doc, " By induction. ");
  EXPECT_TRUE(plan->lemmas[0].declared.has_sorry);
  EXPECT_EQ(plan->theorem.text, kMain);
  EXPECT_EQ(plan->code, "lemma helper (n : Nat) : n + 0 = n ∧ True := by sorry\n\n" + kMain + "\n");
}

TEST(PlanTest, TakenNamesAreReplacedEverywhere) {
  const LemmaStore known({"helper", "helper_2"});
  const auto plan = Read(kHelper + "\n\n" + kMain, known);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->lemmas[0].declared.name, "helper_3");
  EXPECT_THAT(plan->theorem.text, HasSubstr("exact helper_3 n"));
}

TEST(PlanTest, KnownLemmasKeepTheirNamesAndProvedOnesAreNotRepeated) {
  LemmaStore known;
  const std::string key = StatementKey("lemma", "(n : Nat) : n + 0 = n ∧ True");
  known.Reserve("old", key);
  auto plan = Read(kHelper + "\n\n" + kMain, known);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->code, HasSubstr("lemma old (n"));
  EXPECT_THAT(plan->theorem.text, HasSubstr("exact old n"));
  ProvedLemma old;
  old.name = "old";
  old.key = key;
  known.Add(old);
  plan = Read(kHelper + "\n\n" + kMain, known);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->known, 1U);
  EXPECT_EQ(plan->code, plan->theorem.text + "\n");
}

TEST(PlanTest, RejectsWithAReason) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf(kHelper), HasSubstr("the last declaration must be the theorem"));
  EXPECT_THAT(ErrorOf(kHelper + "\n\ntheorem main (n : Nat) : n + 0 = n := by sorry"),
              HasSubstr("without `sorry`"));
  EXPECT_THAT(ErrorOf(kHelper + "\n\ntheorem main (n : Nat) : n + 0 = n := by simp"),
              HasSubstr("`helper` is not used"));
  EXPECT_THAT(ErrorOf("theorem helper (n : Nat) : n + 0 = n := by sorry\n\n" + kMain),
              HasSubstr("`helper` only says what is to be proved"));
  EXPECT_THAT(ErrorOf("def helper := 1\n\n" + kMain), HasSubstr("only lemmas"));
  EXPECT_THAT(ErrorOf(kHelper + "\n\n" + kHelper + "\n\n" + kMain), HasSubstr("there twice"));
  EXPECT_THAT(ErrorOf("axiom helper : False\n\n" + kMain), HasSubstr("`axiom` has no place"));
  EXPECT_THAT(ReadPlan("no code", "", Target(), {}, LemmaStore()).error().message,
              HasSubstr("no code block"));
}

TEST(PlanTest, LemmaUsedByAnotherLemmaCountsAsUsed) {
  EXPECT_TRUE(
      Read("theorem base : 1 = 1 := by sorry\n\n"
           "theorem helper (n : Nat) : n = n := by exact base ▸ rfl\n\n" +
           kMain));
}

TEST(PlanTest, OpinionsAndMarksAreReadFromTheLastObject) {
  const auto opinion =
      ReadOpinion(R"(If {x} then {"correct": true}. No: {"correct": false, "reason": "n = 0"})");
  ASSERT_TRUE(opinion);
  EXPECT_TRUE(opinion->invalid);
  EXPECT_EQ(opinion->reason, "n = 0");
  EXPECT_FALSE(ReadOpinion("It is {correct}"));
  EXPECT_FALSE(ReadOpinion(R"({"correct": "maybe"})"));
  EXPECT_FALSE(ReadOpinion(std::string(5000, '{') + std::string(5000, '}')));
  const auto rubric = ReadRubric(
      "```json\n{\"alignment\": 8, \"granularity\": 7.5, \"progress\": 11, \"soundness\": -1, "
      "\"fatal\": \"\"}\n```");
  ASSERT_TRUE(rubric);
  EXPECT_EQ(rubric->granularity, 7.5);
  EXPECT_EQ(rubric->progress, 10);
  EXPECT_EQ(rubric->soundness, 0);
  EXPECT_FALSE(ReadRubric(R"({"alignment": 8})"));
}

/// Equation 2.
TEST(PlanTest, RewardNeedsThreeLemmasStructureAndQuality) {
  EXPECT_EQ(Reward(3, 1, 0.7), 1);
  EXPECT_EQ(Reward(3, 0, 0.7), 1);
  EXPECT_EQ(Reward(2, 1, 1.0), -1);
  EXPECT_EQ(Reward(3, -1, 1.0), -1);
  EXPECT_EQ(Reward(3, 1, 0.69), -1);
  Rubric rubric;
  rubric.alignment = rubric.granularity = rubric.progress = rubric.soundness = 8;
  EXPECT_DOUBLE_EQ(Quality(rubric, false), 0.8);
  EXPECT_DOUBLE_EQ(Quality(rubric, true), -1) << "any invalid lemma";
  rubric.fatal = "it repeats the theorem";
  EXPECT_DOUBLE_EQ(Quality(rubric, false), -1);
  EXPECT_DOUBLE_EQ(Quality(std::nullopt, false), 0);
}

}  // namespace
}  // namespace zermelo::strategy::sketch
