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
  target.key = DeclarationKey("theorem", " (n : Nat) : n + 0 = n");
  return target;
}

std::string Block(const std::string& code) { return "A sketch:\n```lean4\n" + code + "\n```\n"; }

const std::string kMain = "theorem main (n : Nat) : n + 0 = n := by\n  exact helper n";
const std::string kHelper =
    "/-- By induction. -/\nlemma helper (n : Nat) : n + 0 = n ∧ True := by sorry";

core::Result<Plan> Read(const std::string& code, const LemmaStore& known = LemmaStore()) {
  std::vector<std::string> forbidden(1, Target().key);
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
  EXPECT_EQ(plan->theorem.Text(), kMain);
  EXPECT_EQ(plan->code, "lemma helper (n : Nat) : n + 0 = n ∧ True := by sorry\n\n" + kMain + "\n");
}

TEST(PlanTest, TakenNamesAreReplacedEverywhere) {
  const LemmaStore known({"helper", "helper_2"});
  const auto plan = Read(kHelper + "\n\n" + kMain, known);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->lemmas[0].declared.name, "helper_3");
  EXPECT_THAT(plan->theorem.Text(), HasSubstr("exact helper_3 n"));
}

TEST(PlanTest, KnownLemmasKeepTheirNamesAndProvedOnesAreNotRepeated) {
  LemmaStore known;
  const std::string key = DeclarationKey("lemma", "(n : Nat) : n + 0 = n ∧ True");
  known.Reserve("old", key);
  auto plan = Read(kHelper + "\n\n" + kMain, known);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->code, HasSubstr("lemma old (n"));
  EXPECT_THAT(plan->theorem.Text(), HasSubstr("exact old n"));
  ProvedLemma old;
  old.name = "old";
  old.key = key;
  known.Add(old);
  plan = Read(kHelper + "\n\n" + kMain, known);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->known, 1U);
  EXPECT_EQ(plan->code, plan->theorem.Text() + "\n");
}

TEST(PlanTest, RejectsWithAReason) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf(kHelper), HasSubstr("the last declaration must be the theorem"));
  EXPECT_THAT(ErrorOf(kHelper + "\n\ntheorem main (n : Nat) : n + 0 = n := by sorry"),
              HasSubstr("without `sorry`"));
  EXPECT_THAT(ErrorOf("theorem helper (n : Nat) : n + 0 = n := by sorry\n\n" + kMain),
              HasSubstr("`helper` only says what is to be proved"));
  EXPECT_THAT(ErrorOf("example : True := trivial\n\n" + kMain), HasSubstr("no `example`"));
  EXPECT_THAT(ErrorOf("def two : Nat := by sorry\n\n" + kMain),
              HasSubstr("`two` must be defined without `sorry`"));
  EXPECT_THAT(ErrorOf(kHelper + "\n\ndef two : Nat := (helper 2).elim 2\n\n" + kMain),
              HasSubstr("`two` must be defined without `helper`"));
  EXPECT_THAT(ErrorOf(kHelper + "\n\n" + kHelper + "\n\n" + kMain), HasSubstr("there twice"));
  EXPECT_THAT(ErrorOf("axiom helper : False\n\n" + kMain), HasSubstr("`axiom` has no place"));
  EXPECT_THAT(ReadPlan("no code", "", Target(), {}, LemmaStore()).error().message,
              HasSubstr("no code block"));
}

TEST(PlanTest, LemmaUsedByAnotherLemmaCountsAsUsedAndOthersAreLeftOut) {
  const auto plan = Read(
      "theorem base : 1 = 1 := by sorry\n\n"
      "theorem other : 2 = 2 := by sorry\n\n"
      "theorem helper (n : Nat) : n = n := by exact base ▸ rfl\n\n" +
      kMain);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->lemmas.size(), 2U);
  EXPECT_EQ(plan->lemmas[0].declared.name, "base");
  EXPECT_EQ(plan->lemmas[1].declared.name, "helper");
  ASSERT_EQ(plan->unused.size(), 1U);
  EXPECT_EQ(plan->unused[0].declared.name, "other");
  EXPECT_EQ(plan->lemma_count(), 3U);
  EXPECT_THAT(plan->code, HasSubstr("theorem other")) << "the judge sees it";
}

TEST(PlanTest, DefinitionsMayStandBeforeTheLemmas) {
  const std::string two = "def two : Nat := 2", helper = "lemma helper : two = two := by sorry";
  LemmaStore known({"two"});
  const auto code = two + "\n\ndef unused : Nat := 3\n\n" + helper + "\n\n" + kMain;
  auto plan = Read(code, known);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->definitions.size(), 1U);
  EXPECT_EQ(plan->definitions[0].Text(), "def two_2 : Nat := 2");
  EXPECT_EQ(plan->lemmas[0].declared.head, "lemma helper : two_2 = two_2");
  EXPECT_EQ(plan->lemma_count(), 1U) << "a definition is no lemma";
  EXPECT_EQ(plan->all_definitions, "def two_2 : Nat := 2\n\ndef unused : Nat := 3\n\n");
  EXPECT_THAT(plan->code, HasSubstr("def two_2 : Nat := 2\n\n"));
  ProvedLemma accepted;
  accepted.name = "two_2";
  accepted.key = plan->definitions[0].key;
  known.Add(accepted);
  plan = Read(code, known);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->code, ::testing::Not(HasSubstr("def two_2"))) << "it stands before the plan";
  const std::string three = "def two : Nat := 3\n\n" + helper + "\n\n" + kMain;
  EXPECT_EQ(Read(three, known)->definitions.at(0).name, "two_3") << "another value";
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
      "```json\n{\"veto\": \"\", \"alignment\": 11, \"value\": 7.5, \"reason\": \"good\"}\n```");
  ASSERT_TRUE(rubric);
  EXPECT_EQ(rubric->alignment, 10);
  EXPECT_EQ(rubric->value, 7.5);
  EXPECT_EQ(rubric->reason, "good");
  EXPECT_FALSE(ReadRubric(R"({"veto": "", "alignment": 8})"));
  EXPECT_FALSE(ReadRubric(R"({"alignment": 8, "value": 8})"));
  EXPECT_FALSE(ReadRubric(R"({"veto": "NONSENSE", "alignment": 8, "value": 8})"));
  for (const std::string_view veto : kVetoes) {
    EXPECT_EQ(
        ReadRubric("{\"veto\": \"" + std::string(veto) + "\", \"alignment\": 8, \"value\": 8}")
            ->veto,
        veto);
  }
}

/// Appendix B, prompt 2.
TEST(PlanTest, ScoreWeighsAlignmentAndValueByTheShareOfUsedLemmas) {
  Rubric rubric;
  rubric.alignment = 5;
  rubric.value = 10;
  EXPECT_DOUBLE_EQ(Score(rubric, 4, 4), 8.0);
  EXPECT_DOUBLE_EQ(Score(rubric, 3, 4), 6.0);
  EXPECT_DOUBLE_EQ(Score(rubric, 1, 3), 2.7) << "rounded to a tenth";
  EXPECT_DOUBLE_EQ(Score(rubric, 0, 0), 8.0) << "a proof without lemmas";
  rubric.alignment = 10;
  rubric.value = 0;
  EXPECT_DOUBLE_EQ(Score(rubric, 4, 4), 4.0);
  for (const std::string_view veto : kVetoes) {
    rubric.veto = veto;
    EXPECT_DOUBLE_EQ(Score(rubric, 4, 4), -10) << veto;
    EXPECT_DOUBLE_EQ(Quality(rubric, false, 4, 4), -1) << veto;
  }
}

/// Equation 2.
TEST(PlanTest, RewardNeedsThreeLemmasStructureAndQuality) {
  EXPECT_EQ(Reward(3, 1, 0.7), 1);
  EXPECT_EQ(Reward(3, 0, 0.7), 1);
  EXPECT_EQ(Reward(2, 1, 1.0), -1);
  EXPECT_EQ(Reward(3, -1, 1.0), -1);
  EXPECT_EQ(Reward(3, 1, 0.69), -1);
  Rubric rubric;
  rubric.alignment = rubric.value = 8;
  EXPECT_DOUBLE_EQ(Quality(rubric, false, 3, 3), 0.8);
  EXPECT_DOUBLE_EQ(Quality(rubric, true, 3, 3), -1) << "any invalid lemma";
  EXPECT_DOUBLE_EQ(Quality(std::nullopt, false, 3, 3), 0);
}

}  // namespace
}  // namespace zermelo::strategy::sketch
