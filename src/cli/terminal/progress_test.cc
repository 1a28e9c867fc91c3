#include "cli/terminal/progress.h"

#include <gtest/gtest.h>

namespace zermelo::cli {
namespace {

TEST(FitColumns, AShortLineIsLeftAlone) {
  EXPECT_EQ(FitColumns("", 10), "");
  EXPECT_EQ(FitColumns("simp", 10), "simp");
  EXPECT_EQ(FitColumns("exact", 5), "exact");
}

TEST(FitColumns, ALongLineIsCutWithAnEllipsis) {
  EXPECT_EQ(FitColumns("abcdef", 5), "abcd…");
  EXPECT_EQ(FitColumns("abcdef", 1), "…");
}

TEST(FitColumns, CountsCharactersAndNeverCutsOne) {
  EXPECT_EQ(FitColumns("∀𝒜αβγ", 5), "∀𝒜αβγ");
  EXPECT_EQ(FitColumns("∀𝒜αβγδ", 5), "∀𝒜αβ…");
}

TEST(FitColumns, LineBreaksAndControlCharactersBecomeSpaces) {
  EXPECT_EQ(FitColumns("a\nb\tc\x1b[2Kd", 20), "a b c [2Kd");
}

TEST(FitColumns, InvalidBytesCountAsOneEach) {
  EXPECT_EQ(FitColumns("\xFF\xFF\xFF\xFF", 3), "\xFF\xFF…");
}

TEST(WrapColumns, BreaksAtSpacesAndIndentsLaterLines) {
  EXPECT_EQ(WrapColumns("one two three", 80, 4), "one two three");
  EXPECT_EQ(WrapColumns("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(WrapColumns("", 8, 2), "");
}

TEST(WrapColumns, AWordThatIsTooLongStaysWhole) {
  EXPECT_EQ(WrapColumns("a incomprehensible b", 6, 2), "a\n  incomprehensible\n  b");
}

TEST(Bar, FillsInProportion) {
  EXPECT_EQ(Bar(0, 4, 4), "────");
  EXPECT_EQ(Bar(1, 4, 4), "━───");
  EXPECT_EQ(Bar(4, 4, 4), "━━━━");
  EXPECT_EQ(Bar(1, 3, 4), "━───");
}

TEST(Bar, IsFullWhenThereIsNothingToDo) { EXPECT_EQ(Bar(0, 0, 3), "━━━"); }

TEST(Bar, IsNeverWiderThanAsked) { EXPECT_EQ(Bar(9, 3, 2), "━━"); }

TEST(ShortDuration, UsesTheUnitThatSuits) {
  EXPECT_EQ(ShortDuration(0), "0.0s");
  EXPECT_EQ(ShortDuration(0.44), "0.4s");
  EXPECT_EQ(ShortDuration(12.2), "12s");
  EXPECT_EQ(ShortDuration(185), "3m05s");
  EXPECT_EQ(ShortDuration(3600), "60m00s");
}

class ProgressTest : public ::testing::Test {
 protected:
  static std::string Shown(Progress::Mode mode) {
    ::testing::internal::CaptureStderr();
    {
      Progress progress(mode);
      progress.Show("now");
      progress.PrintPlain("plain");
      progress.Print("stays");
    }
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(ProgressTest, QuietPrintsNothing) { EXPECT_EQ(Shown(Progress::Mode::kQuiet), ""); }

TEST_F(ProgressTest, PlainWritesLinesWithoutEscapes) {
  EXPECT_EQ(Shown(Progress::Mode::kPlain), "plain\nstays\n");
}

TEST_F(ProgressTest, TheStatusLineIsClearedBeforeAPermanentLine) {
  EXPECT_EQ(Shown(Progress::Mode::kTerminal), "\r\x1b[2Know\r\x1b[2Kstays\n");
}

}  // namespace
}  // namespace zermelo::cli
