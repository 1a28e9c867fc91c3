#include "syntax/theorem.h"

#include <gtest/gtest.h>

namespace zermelo::syntax {
namespace {

TEST(TheoremOf, HeaderDocCommentAndStatement) {
  const File file(
      "import A\n\nnamespace N\n/-- Say -/\n@[simp] theorem t (n : Nat)\n  : n = n  := by\n  "
      "sorry\nlemma M.other : p := q\n");
  const auto theorem = TheoremOf(file, file.declarations().at(0));
  EXPECT_EQ(theorem.header, "import A\n\nnamespace N\n");
  EXPECT_EQ(theorem.doc, "/-- Say -/\n");
  EXPECT_EQ(theorem.head, "@[simp] theorem t (n : Nat)\n  : n = n");
  EXPECT_EQ(theorem.name, "N.t");
  EXPECT_EQ(theorem.written_name, "t");
  EXPECT_EQ(theorem.signature, " (n : Nat)\n  : n = n");
  EXPECT_EQ(theorem.taken, std::vector<std::string>{"other"});
}

TEST(TheoremOf, AHeadAlone) {
  const Theorem theorem = TheoremOf("@[simp] lemma A.t (n : Nat) : n = n");
  EXPECT_EQ(theorem.keyword, "lemma");
  EXPECT_EQ(theorem.name, "A.t");
  EXPECT_EQ(theorem.signature, " (n : Nat) : n = n");
  EXPECT_EQ(theorem.Stub(), "@[simp] lemma A.t (n : Nat) : n = n := by\n  sorry\n");
  EXPECT_EQ(TheoremOf("nonsense").head, "");
}

TEST(FileTest, ACommandEndsWithItsLastToken) {
  const File file("import A\n\nopen B in\ntheorem t : p := q -- so\n\n#check t\n");
  ASSERT_EQ(file.commands().size(), 3U);
  EXPECT_EQ(file.Slice(file.RangeOf(1)), "open B in\ntheorem t : p := q");
  EXPECT_EQ(file.KeywordOf(1), "theorem");
  EXPECT_EQ(file.Slice(file.RangeOf(2)), "#check t");
}

}  // namespace
}  // namespace zermelo::syntax
