#include "syntax/proof/proof_text.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "syntax/declarations.h"

namespace zermelo::syntax {
namespace {

std::vector<DeclarationHole> Holes(std::string_view text) {
  std::vector<DeclarationHole> holes;
  for (const Declaration& d : FindDeclarations(text))
    holes.insert(holes.end(), d.holes.begin(), d.holes.end());
  return holes;
}

// The text with its n-th hole filled; also checks the splice's own offsets.
std::string Fill(std::string_view text, std::string_view tactics, size_t n = 0) {
  const auto holes = Holes(text);
  const Splice splice = SpliceProof(text, holes.at(n), tactics);
  EXPECT_TRUE(splice.text.ends_with(text.substr(holes[n].end)));
  EXPECT_EQ(splice.text.substr(splice.begin, 1), tactics.substr(0, 1));
  return splice.text;
}

std::vector<std::string> Steps(std::string_view tactics) {
  std::vector<std::string> steps;
  for (const auto& s : SplitTactics(tactics))
    steps.emplace_back(tactics.substr(s.begin, s.end - s.begin));
  return steps;
}

// The prefix that is kept when the error is at ERR.
std::string Truncated(std::string_view tactics) {
  const size_t error = tactics.find("ERR");
  return std::string(TruncateAtError(tactics, error));
}

using Words = std::vector<std::string>;

TEST(SpliceProof, AfterBy) {
  EXPECT_EQ(Fill("theorem a : p := by sorry\n", "intro x\nsimp"),
            "theorem a : p := by\n  intro x\n  simp\n");
  EXPECT_EQ(Fill("  theorem a\n      : p := by sorry", "simp"),
            "  theorem a\n      : p := by\n    simp");
  EXPECT_EQ(Fill("theorem a : p := by\n    sorry -- c\n", "x\n· y\n  z"),
            "theorem a : p := by\n    x\n    · y\n      z -- c\n");
  EXPECT_EQ(Fill("theorem a : p := by\nsorry", "x\ny"), "theorem a : p := by\nx\ny");
}

TEST(SpliceProof, NestedHave) {
  const std::string before = "theorem a : p := by\n  · have h : q := by sorry\n    simp\n";
  EXPECT_EQ(Fill(before, "x\ny"),
            "theorem a : p := by\n  · have h : q := by\n      x\n      y\n    simp\n");
}

TEST(SpliceProof, Terms) {
  EXPECT_EQ(Fill("theorem a : p := sorry\n", "x\ny"), "theorem a : p := by\n  x\n  y\n");
  EXPECT_EQ(Fill("theorem a : p := fun x => sorry", "x"), "theorem a : p := fun x => by\n  x");
  EXPECT_EQ(Fill("theorem a : p := by\n  exact sorry\n", "x"),
            "theorem a : p := by\n  exact by\n    x\n");
  EXPECT_EQ(Fill("theorem a : p := f sorry c\n", "x\ny"), "theorem a : p := f (by\n  x\n  y) c\n");
  EXPECT_EQ(Fill("theorem a : p := ⟨sorry, h⟩\n", "x"), "theorem a : p := ⟨(by\n  x), h⟩\n");
}

TEST(SpliceProof, Bullets) {
  const std::string text = "theorem a : p := by\n  constructor\n  · sorry\n  · sorry\n";
  EXPECT_EQ(Fill(text, "x\ny"), "theorem a : p := by\n  constructor\n  · x\n    y\n  · sorry\n");
}

TEST(SpliceProof, Alternatives) {
  EXPECT_EQ(Fill("theorem a : p := by\n  cases n with\n  | z => sorry\n  | s => x", "a"),
            "theorem a : p := by\n  cases n with\n  | z => a\n  | s => x");
  EXPECT_EQ(Fill("theorem a : p := by\n  cases n with\n  | z => sorry\n  | s => x", "a\nb"),
            "theorem a : p := by\n  cases n with\n  | z =>\n    a\n    b\n  | s => x");
  EXPECT_EQ(Fill("theorem a : p := by\n  cases n with | z => sorry | s => x", "first | a | b"),
            "theorem a : p := by\n  cases n with | z => (first | a | b) | s => x");
}

TEST(SpliceProof, WrapsSeveralTacticsWhereOneIsExpected) {
  EXPECT_EQ(Fill("theorem a : p := by\n  try c <;> sorry\n", "x\ny"),
            "theorem a : p := by\n  try c <;> (x\n             y)\n");
  EXPECT_EQ(Fill("theorem a : p := by\n  try c <;> sorry\n", "x"),
            "theorem a : p := by\n  try c <;> x\n");
  EXPECT_EQ(Fill("theorem a : p := by\n  try c <;> sorry\n", "x; y"),
            "theorem a : p := by\n  try c <;> (x; y)\n");
  EXPECT_EQ(Fill("theorem a : p := by\n  c; sorry\n", "x\ny"),
            "theorem a : p := by\n  c; (x\n      y)\n");
  EXPECT_EQ(Fill("theorem a : p := by\n  sorry\n  <;> z", "x\ny"),
            "theorem a : p := by\n  (x\n   y)\n  <;> z");
  EXPECT_EQ(Fill("theorem a : p := by (sorry)\n", "x\ny"),
            "theorem a : p := by (x\n                     y)\n");
}

TEST(SpliceProof, NothingFollowsALineComment) {
  EXPECT_EQ(Fill("theorem a : p := f sorry", "x -- c"), "theorem a : p := f (by\n  x -- c\n  )");
  EXPECT_EQ(Fill("theorem a : p := by (sorry)", "x -- c"),
            "theorem a : p := by (x -- c\n                     )");
}

TEST(SpliceProof, StringsAndCommentsOfTheBlockDoNotMove) {
  EXPECT_EQ(Fill("theorem a : p := by sorry", "x \"a\n b\"\n/- c\nd -/\n\ny"),
            "theorem a : p := by\n  x \"a\n b\"\n  /- c\nd -/\n\n  y");
}

TEST(SpliceProof, KeepsCrLf) {
  EXPECT_EQ(Fill("theorem a : p := by sorry\r\n-- c\r\n", "x\ny"),
            "theorem a : p := by\r\n  x\r\n  y\r\n-- c\r\n");
  EXPECT_EQ(Fill("theorem a : p := by sorry\n", "x\r\ny"), "theorem a : p := by\n  x\n  y\n");
}

TEST(SpliceProof, AcceptsIndentedAndEmptyBlocks) {
  const auto hole = Holes("theorem a : p := by sorry").at(0);
  EXPECT_EQ(SpliceProof("theorem a : p := by sorry", hole, "\n    x\n      y\n    z\n\n").text,
            "theorem a : p := by\n  x\n    y\n  z");
  EXPECT_EQ(SpliceProof("theorem a : p := by sorry", hole, " \n").text,
            "theorem a : p := by\n  skip");
  EXPECT_EQ(SpliceProof("theorem a : p := by sorry", hole, "-- c").text,
            "theorem a : p := by\n  -- c\n  skip");
}

TEST(SpliceProof, ReportsWhereTheBlockIs) {
  const std::string text = "theorem a : p := by\n  have h : ℕ := by sorry\n  z";
  const Splice splice = SpliceProof(text, Holes(text).at(0), "x\ny\n");
  EXPECT_EQ(splice.text.substr(splice.begin, splice.end - splice.begin), "x\n    y");
  EXPECT_EQ(splice.indent, 4u);
}

TEST(SpliceProof, HoleOfAnotherTextIsHarmless) {
  Hole hole;
  hole.begin = 100;
  hole.end = 50;
  EXPECT_EQ(SpliceProof("ab", hole, "x").text, "abby\nx");
}

// The text without blanks, line breaks and parentheses.
std::string Bare(std::string_view text) {
  std::string bare;
  for (const char c : text) {
    if (std::string_view(" \r\n()").find(c) == std::string_view::npos) bare += c;
  }
  return bare;
}

TEST(SpliceProof, SorryForSorryChangesOnlyLayout) {
  const std::string text =
      "theorem a : p := by\r\n  cases n with\r\n  | z => sorry | s => · sorry\r\n  c <;> sorry; "
      "sorry\r\n"
      "theorem b : p := by sorry\r\ntheorem c : p := by\r\n  have h : q := by sorry\r\n  "
      "(sorry)\r\n"
      "  first | sorry | skip\r\n  if h : p then sorry else sorry\r\n";
  const auto holes = Holes(text);
  ASSERT_EQ(holes.size(), 10u);
  for (const auto& hole : holes) {
    const std::string filled = SpliceProof(text, hole, "sorry").text;
    EXPECT_EQ(Bare(filled), Bare(text));
    EXPECT_EQ(Holes(filled).size(), holes.size());
    EXPECT_EQ(filled.substr(0, hole.begin - 1), text.substr(0, hole.begin - 1));
  }
}

TEST(IsSelfContained, RejectsCodeThatReachesOutOfTheHole) {
  for (const char* block :
       {"simp", "exact ⟨a, (b)⟩ -- (", "simp\n· rfl", "set_option x.y true in simp", ""}) {
    EXPECT_TRUE(IsSelfContained(block)) << block;
  }
  for (const char* block : {"/- x", "exact \"", "exact (", "x)", "(x]", "rfl\nend",
                            "rfl\n\ntheorem b : p := x", "rfl -/ )", "exact «a", "rfl\n#eval x"}) {
    EXPECT_FALSE(IsSelfContained(block)) << block;
  }
}

TEST(SplitTactics, EachLineAtTheColumnIsAStep) {
  EXPECT_EQ(Steps("intro x\nsimp [a,\n  b]\n\nexact y"),
            (Words{"intro x", "simp [a,\n  b]", "exact y"}));
  EXPECT_EQ(Steps("  intro x\n  simp"), (Words{"intro x", "simp"}));
  EXPECT_EQ(Steps("intro x\r\nsimp\r\n"), (Words{"intro x", "simp"}));
  EXPECT_TRUE(Steps("").empty());
  EXPECT_TRUE(Steps("-- only a comment\n").empty());
}

TEST(SplitTactics, LineToTheLeftOfTheBlockIsAStep) {
  EXPECT_EQ(Steps("  intro x\nsimp\nrfl"), (Words{"intro x", "simp", "rfl"}));
}

TEST(SplitTactics, SemicolonsSplitAndCombinatorsJoin) {
  EXPECT_EQ(Steps("a; b <;> c\nd <;>\n  e; f"), (Words{"a", "b <;> c", "d <;>\n  e", "f"}));
  EXPECT_EQ(Steps("a\n<;> b\nc"), (Words{"a\n<;> b", "c"}));
  EXPECT_EQ(Steps("have : p := by a; b\nc"), (Words{"have : p := by a; b", "c"}));
  EXPECT_EQ(Steps("(a; b); c"), (Words{"(a; b)", "c"}));
}

TEST(SplitTactics, NestedBlocksStayTogether) {
  EXPECT_EQ(Steps("constructor\n· a\n  b\n· c"), (Words{"constructor", "· a\n  b", "· c"}));
  EXPECT_EQ(Steps("cases n with\n| z => a; b\n| s n =>\n  c\n  d\ne"),
            (Words{"cases n with\n| z => a; b\n| s n =>\n  c\n  d", "e"}));
  EXPECT_EQ(Steps("case h =>\n  a\n  b\nnext => c"), (Words{"case h =>\n  a\n  b", "next => c"}));
  EXPECT_EQ(Steps("calc a\n  _ = b := by simp\n  _ = c := by\n    simp\nd"),
            (Words{"calc a\n  _ = b := by simp\n  _ = c := by\n    simp", "d"}));
  EXPECT_EQ(Steps("have h : p := by\n  a\n  b\nc"), (Words{"have h : p := by\n  a\n  b", "c"}));
  EXPECT_EQ(Steps("exact fun x =>\n  y\nz"), (Words{"exact fun x =>\n  y", "z"}));
  EXPECT_EQ(Steps("exact ⟨by\n  a\n  b, c⟩\nd"), (Words{"exact ⟨by\n  a\n  b, c⟩", "d"}));
}

TEST(SplitTactics, CommentsBelongToTheStepAfterThem) {
  EXPECT_EQ(Steps("-- one\na -- same line\n-- two\n/- b -/\nb; -- c\nc\n-- end"),
            (Words{"-- one\na -- same line", "-- two\n/- b -/\nb", "-- c\nc"}));
}

TEST(TruncateAtError, KeepsWholeSteps) {
  EXPECT_EQ(Truncated("a\nb\nERR\nc"), "a\nb");
  EXPECT_EQ(Truncated("a\nb x ERR\nc"), "a");
  EXPECT_EQ(Truncated("ERR\nb"), "");
  EXPECT_EQ(Truncated("a; b; ERR"), "a; b");
  EXPECT_EQ(Truncated("a\nb <;> ERR"), "a");
  EXPECT_EQ(TruncateAtError("a\nb\n", 4), "a\nb");
  EXPECT_EQ(TruncateAtError("a\nb\n", SIZE_MAX), "a\nb");
  EXPECT_EQ(TruncateAtError("", 0), "");
}

TEST(TruncateAtError, GoesIntoNestedBlocks) {
  EXPECT_EQ(Truncated("a\n· b\n  c\n  ERR\n· d"), "a\n· b\n  c");
  EXPECT_EQ(Truncated("a\n· ERR\n· d"), "a");
  EXPECT_EQ(Truncated("a\n· b\n  · c\n    ERR"), "a\n· b\n  · c");
  EXPECT_EQ(Truncated("have h : p := by\n  a\n  ERR\nb"), "have h : p := by\n  a");
  EXPECT_EQ(Truncated("z\ncase h =>\n  a\n  ERR\nb"), "z\ncase h =>\n  a");
}

TEST(TruncateAtError, StaysOutOfBlocksThatMustBeComplete) {
  EXPECT_EQ(Truncated("z\nexact ⟨by\n  a\n  ERR, h⟩"), "z");
  EXPECT_EQ(Truncated("z\ncalc a = b := by\n        x\n        ERR\n  _ = c := h"), "z");
  EXPECT_EQ(Truncated("z\ncases n with\n| z =>\n  a\n  ERR\n| s => b"), "z");
  EXPECT_EQ(Truncated("z\nfirst\n| a\n  ERR\n| b"), "z");
  EXPECT_EQ(Truncated("z\nif h : p then\n  a\n  ERR\nelse b"), "z");
}

TEST(TruncateAtError, GoesIntoTheLastAlternative) {
  EXPECT_EQ(Truncated("cases n with\n| z => a\n| s =>\n  b\n  ERR"),
            "cases n with\n| z => a\n| s =>\n  b");
}

TEST(TruncateAtError, BlockReportedAsUnsolvedIsKept) {
  const std::string text = "a\n· b\n  c\n· d\n";
  EXPECT_EQ(TruncateAtError(text, text.find("·")), "a\n· b\n  c");
  const std::string have = "have h : p := by\n  a\n  b\nc";
  EXPECT_EQ(TruncateAtError(have, have.find("by")), "have h : p := by\n  a\n  b");
}

TEST(ProofText, AcceptsFiftyThousandLines) {
  std::string tactics;
  for (int i = 0; i < 25'000; ++i) tactics += "have h : p := by simp\n· exact ⟨a, by rfl⟩\n";
  EXPECT_EQ(SplitTactics(tactics).size(), 50'000u);
  EXPECT_GT(TruncateAtError(tactics, tactics.size() - 3).size(), tactics.size() / 2);
  const std::string text = "theorem a : p := by sorry";
  EXPECT_GT(SpliceProof(text, Holes(text).at(0), tactics).text.size(), tactics.size());
}

TEST(ProofText, AcceptsAnyBytes) {
  std::string bytes = "theorem a : p := by sorry \xFF\xC0";
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const auto& hole : Holes(bytes)) SpliceProof(bytes, hole, bytes);
  SplitTactics(bytes);
  TruncateAtError(bytes, 30);
  IsSelfContained(bytes);
}

}  // namespace
}  // namespace zermelo::syntax
