#include "data/declared_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::data {
namespace {

constexpr const char* kText = R"(import A

/-- Doc. -/
theorem t (a b : Nat) (h : a = b) : a + b = b + a := by
    have k : b = a := by
      rw [h]
    cases a with
    | zero => simp
    | succ n =>
      all_goals (first | rw [x] | skip)
      omega

theorem by_term : True := trivial

def f : Nat := by exact 3

theorem rec : True := by
  exact go
where go : True := trivial
)";

TEST(ProofOfTest, TheoremAndTacticsAreSeparated) {
  const syntax::File file(kText);
  const auto proof = ProofOf(file, file.declarations()[0]);
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->theorem.header, "import A\n\n");
  EXPECT_EQ(proof->theorem.doc, "/-- Doc. -/\n");
  EXPECT_EQ(proof->theorem.head, "theorem t (a b : Nat) (h : a = b) : a + b = b + a");
  EXPECT_TRUE(proof->tactics.starts_with("have k : b = a := by\n  rw [h]\ncases a with\n| zero"));
  EXPECT_TRUE(proof->tactics.ends_with("  omega"));
}

TEST(ProofOfTest, OtherDeclarationsHaveNone) {
  const syntax::File file(kText);
  for (size_t i = 1; i < file.declarations().size(); ++i) {
    EXPECT_FALSE(ProofOf(file, file.declarations()[i])) << i;
  }
}

TEST(BlockOffsetsTest, TokensAreFoundInTheBlock) {
  const syntax::File file(kText);
  const auto proof = ProofOf(file, file.declarations()[0]);
  const BlockOffsets offsets(file, *proof);
  const size_t rw = file.text().find("rw [h]");
  EXPECT_EQ(offsets.Find(rw), proof->tactics.find("rw [h]"));
  EXPECT_FALSE(offsets.Find(rw + 1));
}

}  // namespace
}  // namespace zermelo::data
