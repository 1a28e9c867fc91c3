#include "train/reinforcement/problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files/file.h"
#include "train/testing/files.h"

namespace zermelo::train {
namespace {

using ::testing::HasSubstr;
using testing::WriteLines;

TEST(ReadProblemsTest, AProblemMayBeginInTheMiddleOfAProof) {
  const auto folder = core::TemporaryFolder::Create("problems").value();
  const nlohmann::json theorem{{"header", "import A\n"}, {"statement", "theorem a := by"}};
  const auto file = WriteLines(folder.path() / "problems.jsonl",
                               {{{"prompt", "p"}, {"prefix", "  intro h\n"}, {"theorem", theorem}},
                                {{"prompt", "q"}, {"theorem", theorem}}});
  const auto problems = ReadProblems(file);
  ASSERT_TRUE(problems);
  EXPECT_EQ(problems->at(0).begun, "import A\ntheorem a := by\n  intro h\n");
  EXPECT_EQ(problems->at(0).statement, "import A\ntheorem a := by\n  sorry\n");
  EXPECT_EQ(problems->at(1).begun, "import A\ntheorem a := by\n");
}

TEST(ReadProblemsTest, AProblemMayComeWithWordsAndNotes) {
  const auto folder = core::TemporaryFolder::Create("problems").value();
  const nlohmann::json theorem{{"header", ""}, {"statement", "theorem a := by"}};
  const auto file = WriteLines(
      folder.path() / "problems.jsonl",
      {{{"prompt", "p"}, {"theorem", theorem}, {"words", "By symmetry."}, {"notes", "no simp"}},
       {{"prompt", "p"}, {"theorem", theorem}}});
  const auto problems = ReadProblems(file);
  ASSERT_TRUE(problems);
  EXPECT_EQ(problems->at(0).words + problems->at(0).notes, "By symmetry.no simp");
  EXPECT_EQ(problems->at(1).words + problems->at(1).notes, "");
}

Problem PartialProblem(const std::string& prompt) {
  return {.prompt = prompt,
          .statement = "import A\ntheorem a : p ∧ q := by\n  sorry\n",
          .begun = "import A\ntheorem a : p ∧ q := by\n  constructor\n"};
}

TEST(CandidateTest, AnAnswerIsJudgedWithTheBeginningOfItsProof) {
  const auto problem = PartialProblem("Use `simp`.\n```lean4\ntheorem a : p ∧ q := by\n");
  EXPECT_EQ(CandidateOf({.problem = &problem, .text = "  · exact f <| h\n```\nDone."}),
            "import A\ntheorem a : p ∧ q := by\n  constructor\n  · exact f <| h\n\n");
}

TEST(CandidateTest, AnAnswerInTheMiddleOfAProofGoesOnWithoutAFence) {
  auto problem = PartialProblem("theorem a : p ∧ q := by\n  constructor\n");
  problem.is_begun = true;
  EXPECT_EQ(CandidateOf({.problem = &problem, .text = "  · simp\n```"}),
            "import A\ntheorem a : p ∧ q := by\n  constructor\n  · simp\n\n");
}

TEST(CandidateTest, AnAnswerWithACodeBlockIsAProofOfItsOwn) {
  const auto problem = PartialProblem("Prove `a`.");
  EXPECT_THAT(CandidateOf({.problem = &problem, .text = "```lean4\nsimp\n```"}),
              HasSubstr("import A\ntheorem a : p ∧ q := by\n  simp"));
}

}  // namespace
}  // namespace zermelo::train
