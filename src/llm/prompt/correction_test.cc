#include "llm/prompt/correction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::llm {
namespace {

using ::testing::HasSubstr;

TEST(MarkErrorsTest, AnErrorInALine) {
  EXPECT_EQ(MarkErrors("import A\n\ntheorem t (α : Type) : 1 = 2 := by\n  norm_num\n\n-- end",
                       {{{2, 23}, {2, 28}, "no"}}),
            "\nError 1:\n\nCorresponding Code:\n```lean4\n"
            "import A\n\ntheorem t (α : Type) : <error>1 = 2</error> := by\n  norm_num\n"
            "\n```\n\nError Message: no\n");
}

TEST(MarkErrorsTest, FourLinesBeforeAndOneAfter) {
  EXPECT_EQ(MarkErrors("1\n2\n3\n4\n5\n6\n7\n8", {{{5, 0}, {5, 1}, "m"}}),
            "\nError 1:\n\nCorresponding Code:\n```lean4\n"
            "2\n3\n4\n5\n<error>6</error>\n7\n\n```\n\nError Message: m\n");
}

TEST(MarkErrorsTest, ALongPlaceIsCut) {
  EXPECT_EQ(
      MarkErrors("by\n  a\n  b\n  c\n  d\n    e\n  f\n  g\nend", {{{0, 0}, {7, 3}, "m"}}),
      "\nError 1:\n\nCorresponding Code:\n```lean4\n"
      "<error>by\n  a\n  b\n  c\n  d\n    e\n\n    ... --[Truncated]-- ...\n  g</error>\nend\n"
      "\n```\n\nError Message: m\n");
}

TEST(MarkErrorsTest, AnErrorWithoutAnEndGoesToTheEndOfItsLine) {
  EXPECT_THAT(MarkErrors("  simp at h", {{{0, 2}, {0, 2}, "m"}}),
              HasSubstr("  <error>simp at h</error>\n"));
}

TEST(MarkErrorsTest, AtMostEight) {
  const std::vector<CodeError> errors(11, CodeError{{0, 0}, {0, 1}, "m"});
  const std::string text = MarkErrors("x", errors);
  EXPECT_THAT(text, HasSubstr("Error 8:"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("Error 9:")));
  EXPECT_TRUE(text.ends_with("\n... [Omitted 3 more errors] ...\n"));
}

TEST(MarkErrorsTest, PositionsOutsideTheCodeAreMovedIntoIt) {
  EXPECT_THAT(MarkErrors("x", {{{7, 7}, {9, 9}, "m"}}), HasSubstr("x<error></error>\n"));
  EXPECT_THAT(MarkErrors("xyz", {{{0, 2}, {0, 1}, "m"}}), HasSubstr("xy<error></error>z\n"));
}

}  // namespace
}  // namespace zermelo::llm
