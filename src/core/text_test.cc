#include "core/text.h"

#include <gtest/gtest.h>
#include <string>

namespace zermelo::core {
namespace {

TEST(DecodeUtf8, ReadsEveryLength) {
  const std::string text = "a\u00b7\u2115\U0001D49C";
  EXPECT_EQ(DecodeUtf8(text, 0).value, U'a');
  EXPECT_EQ(DecodeUtf8(text, 1).value, U'\u00b7');
  EXPECT_EQ(DecodeUtf8(text, 3).value, U'\u2115');
  EXPECT_EQ(DecodeUtf8(text, 6).value, U'\U0001D49C');
  EXPECT_EQ(DecodeUtf8(text, 10).length, 0u);
}

TEST(FindInvalidUtf8, RejectsOverlongSurrogateTruncatedAndTooLarge) {
  EXPECT_EQ(FindInvalidUtf8("α → ℕ"), std::nullopt);
  EXPECT_EQ(FindInvalidUtf8("ab\xC0\x80"), 2u);
  EXPECT_EQ(FindInvalidUtf8("\xE0\x80\x80"), 0u);
  EXPECT_EQ(FindInvalidUtf8("a\xED\xA0\x80"), 1u);
  EXPECT_EQ(FindInvalidUtf8("abc\xE2\x84"), 3u);
  EXPECT_EQ(FindInvalidUtf8("\xF4\x90\x80\x80"), 0u);
  EXPECT_EQ(FindInvalidUtf8("\x80"), 0u);
}

TEST(ReplaceInvalidUtf8, EachBadByteBecomesOneCharacter) {
  EXPECT_EQ(ReplaceInvalidUtf8("α ok"), "α ok");
  EXPECT_EQ(ReplaceInvalidUtf8("a\xFF\xFE"
                               "b"),
            "a\uFFFD\uFFFDb");
  EXPECT_EQ(ReplaceInvalidUtf8("\xE2\x88"), "\uFFFD\uFFFD") << "cut in the middle";
}

TEST(Newlines, TheMoreFrequentBreakIsPreferred) {
  EXPECT_EQ(PreferredNewline("a\r\nb\r\nc\n"), "\r\n");
  EXPECT_EQ(PreferredNewline(""), "\n");
}

TEST(LineIndex, CountsUtf16AndCodePointsSeparately) {
  const std::string text = "x\nα𝒜b\n";
  const LineIndex index(text);
  const size_t b = text.find('b');
  EXPECT_EQ(index.ToUtf16(b), (Utf16Position{1, 3}));
  EXPECT_EQ(index.ToCodePoints(b), (CodePointPosition{1, 2}));
  EXPECT_EQ(index.FromUtf16({1, 3}), b);
  EXPECT_EQ(index.FromCodePoints({1, 2}), b);
  EXPECT_EQ(index.line_count(), 3u);
}

TEST(LineIndex, ClampsIntoTheText) {
  const std::string text = "ab\r\n𝒜c";
  const LineIndex index(text);
  EXPECT_EQ(index.FromUtf16({0, 99}), 2u);
  EXPECT_EQ(index.FromUtf16({0, SIZE_MAX}), 2u);
  EXPECT_EQ(index.FromCodePoints({1, SIZE_MAX}), text.size());
  EXPECT_EQ(index.FromUtf16({99, 0}), text.size());
  EXPECT_EQ(index.FromUtf16({SIZE_MAX, SIZE_MAX}), text.size());
  EXPECT_EQ(index.FromUtf16({1, 1}), 4u) << "inside the surrogate pair";
  EXPECT_EQ(index.ToUtf16(3), (Utf16Position{0, 2})) << "inside the line break";
  EXPECT_EQ(index.ToUtf16(6), (Utf16Position{1, 0})) << "inside a character";
  EXPECT_EQ(index.ToUtf16(SIZE_MAX), (Utf16Position{1, 3}));
}

TEST(LineIndex, LoneCarriageReturnIsNotALineBreak) {
  const std::string text = "a\rb\nc";
  const LineIndex index(text);
  EXPECT_EQ(index.line_count(), 2u);
  EXPECT_EQ(index.ToCodePoints(2), (CodePointPosition{0, 2}));
}

TEST(LineIndex, EmptyTextHasOneLine) {
  const LineIndex index("");
  EXPECT_EQ(index.line_count(), 1u);
  EXPECT_EQ(index.ToUtf16(5), (Utf16Position{0, 0}));
  EXPECT_EQ(index.FromCodePoints({3, 3}), 0u);
}

TEST(LineIndex, RoundTripsAtEveryCharacterOfALongMixedText) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += i % 7 == 0 ? "α\n" : i % 5 == 0 ? "𝒜ab" : "\xFF∀x ";
  const LineIndex index(text);
  for (size_t i = 0; i < text.size(); i += DecodeUtf8(text, i).length) {
    EXPECT_EQ(index.FromUtf16(index.ToUtf16(i)), i);
    EXPECT_EQ(index.FromCodePoints(index.ToCodePoints(i)), i);
  }
}

TEST(LineIndex, OneVeryLongLineIsLookedUpWithoutScanning) {
  const std::string text(4'000'000, 'x');
  const LineIndex index(text);
  for (size_t i = 0; i < text.size(); i += 97) ASSERT_EQ(index.ToUtf16(i).column, i);
}

TEST(Indented, EveryLineThatIsNotEmpty) {
  EXPECT_EQ(Indented("a\n  b\n\nc\n", 2), "  a\n    b\n\n  c\n");
  EXPECT_EQ(Indented("", 2), "");
}

TEST(Indented, EmptyLinesTooOnRequest) {
  EXPECT_EQ(Indented("a\n\nb\n", 2, EmptyLines::kIndented), "  a\n  \n  b\n");
  EXPECT_EQ(Indented("\n", 2, EmptyLines::kIndented), "  \n");
}

TEST(Dedented, EveryLineAsFarAsItIsIndented) {
  EXPECT_EQ(Dedented("  a\n    b\n c\n\n  d e", 2), "a\n  b\nc\n\nd e");
  EXPECT_EQ(Dedented("a\n  b\n", 2), "a\nb\n");
  EXPECT_EQ(Dedented("", 2), "");
}

TEST(WithoutCommentMarks, OfAnyKindOfBlockComment) {
  EXPECT_EQ(WithoutCommentMarks("/-- a\nb -/\n"), " a\nb ");
  EXPECT_EQ(WithoutCommentMarks(" /-! a -/"), " a ");
  EXPECT_EQ(WithoutCommentMarks("/-a-/"), "a");
  EXPECT_EQ(WithoutCommentMarks("/-"), "");
  EXPECT_EQ(WithoutCommentMarks(" a - b\n"), "a - b");
}

TEST(Text, IsTruncatedBeforeACharacter) {
  EXPECT_EQ(Truncated("abc", 3), "abc");
  EXPECT_EQ(Truncated("abcd", 3), "abc …");
  EXPECT_EQ(Truncated("a∀b", 3), "a …");
  EXPECT_EQ(Truncated("a∀b", 4), "a∀ …");
  EXPECT_EQ(Truncated("∀", 0), " …");
  EXPECT_EQ(CharacterBegin("a∀", 9), 4U);
}

TEST(Text, IsInLowerCaseUpToOtherAlphabets) {
  EXPECT_EQ(InLowerCase("Retry-After: Ä∀Z"), "retry-after: Ä∀z");
  EXPECT_EQ(InLowerCase(""), "");
}

TEST(Text, CountsInWords) {
  EXPECT_EQ(Counted(0, "error"), "0 errors");
  EXPECT_EQ(Counted(1, "error"), "1 error");
}

}  // namespace
}  // namespace zermelo::core
