#include "syntax/proof/proof_site.h"

#include <gtest/gtest.h>

#include "syntax/testing/sites.h"

namespace zermelo::syntax {
namespace {

using testing::LastSite;

ProofSite SiteOf(const std::string& text, size_t declaration, size_t hole = 0) {
  const auto declarations = FindDeclarations(text);
  return ProofSite(text, declarations.at(declaration), declarations.at(declaration).holes.at(hole));
}

TEST(ProofSite, ReplacesTheHoleWithTheTactics) {
  const auto document = LastSite("theorem t : p := by\n  sorry\n").ForConfirmation("intro x\nsimp");
  EXPECT_EQ(document.text,
            "set_option debug.skipKernelTC false\n"
            "theorem t : p := by\n"
            "  intro x\n"
            "  simp\n");
  EXPECT_EQ(document.first_line, 2u);
  EXPECT_EQ(document.declaration_first_line, 1u);
}

TEST(ProofSite, SearchAndConfirmationDifferInTheirOptions) {
  const ProofSite site = LastSite("theorem t : p := by\n  sorry\n");
  EXPECT_EQ(site.ForSearch("simp").text.find("skipKernelTC"), std::string::npos);
  EXPECT_NE(site.ForSearch("simp").text.find("maxHeartbeats"), std::string::npos);
  EXPECT_EQ(site.ForConfirmation("simp").text.find("maxHeartbeats"), std::string::npos);
  EXPECT_NE(site.ForConfirmation("simp").text.find("debug.skipKernelTC false"), std::string::npos);
}

TEST(ProofSite, KeepsWhatIsBeforeAndDropsWhatIsAfter) {
  const std::string text =
      "import A\n\ndef a := 1\n\n/-- doc -/\ntheorem t : p := by\n  sorry\n\ntheorem u : q := by\n"
      "  sorry\n";
  const auto document = SiteOf(text, 1).ForSearch("simp");
  EXPECT_TRUE(document.text.starts_with("import A\n\ndef a := 1\n\nset_option"));
  EXPECT_NE(document.text.find("\n/-- doc -/\ntheorem t"), std::string::npos);
  EXPECT_EQ(document.text.find("theorem u"), std::string::npos);
}

TEST(ProofSite, TheDeclarationsLinesAreThoseOfTheDocument) {
  const std::string text =
      "def a := 1\n\ntheorem t : p := by\n  have h : q := by\n    sorry\n"
      "  exact h\n";
  const auto document = SiteOf(text, 1).ForSearch("intro x\nsimp\nomega");
  // 0 def, 1 blank, 2 option, 3 theorem, 4 have, 5 intro, 6 simp, 7 omega, 8 exact
  EXPECT_EQ(document.first_line, 5u);
  EXPECT_EQ(document.declaration_first_line, 3u);
  EXPECT_EQ(document.declaration_last_line, 8u);
  EXPECT_FALSE(document.InDeclaration({.line = 2}));
  EXPECT_TRUE(document.InDeclaration({.line = 3}));
  EXPECT_TRUE(document.InDeclaration({.line = 8}));
}

TEST(ProofSite, TheEndOfASectionIsNoEndOfAMutualBlock) {
  for (const std::string before :
       {"import A\n\nsection\n\n", "import A\nmutual\ndef a := 1\nend\nsection\n"}) {
    const std::string text = before + "theorem t : p := by\n  sorry\n\nend\n";
    EXPECT_EQ(LastSite(text).ForSearch("simp").text,
              before + "set_option maxHeartbeats 1000000\ntheorem t : p := by\n  simp\n");
  }
}

TEST(ProofSite, ASearchMayHaveFewerHeartbeats) {
  EXPECT_EQ(LastSite("theorem t : p := by\n  sorry\n").ForSearch("exact?", 5000).text,
            "set_option maxHeartbeats 5000\ntheorem t : p := by\n  exact?\n");
}

TEST(ProofSite, AnErrorAtTheEndOfTheDocumentIsTheDeclarations) {
  const auto document = LastSite("theorem t : p := by\n  sorry\n").ForSearch("have h : q := by");
  const core::LineIndex lines(document.text);
  EXPECT_TRUE(document.InDeclaration(PositionAt(lines, document.text.size())));
  const auto member =
      SiteOf("mutual\ntheorem a : p := by\n  sorry\ntheorem b : q := by\n  simp\nend\n", 0)
          .ForSearch("omega");
  // 0 option, 1 mutual, 2 theorem a, 3 omega, 4 theorem b, 5 simp, 6 end, 7 the end of the text
  EXPECT_FALSE(member.InDeclaration({.line = 4})) << "another member's";
  EXPECT_FALSE(member.InDeclaration({.line = 6}));
  EXPECT_TRUE(member.InDeclaration({.line = 7}));
}

TEST(ProofSite, ATermHoleGetsABy) {
  const auto document = LastSite("theorem t : p := sorry\n").ForSearch("simp");
  EXPECT_NE(document.text.find("by"), std::string::npos);
  const core::LineIndex lines(document.text);
  EXPECT_EQ(lines.LineOf(document.text.find("simp")), document.first_line);
}

TEST(ProofSite, KeepsCarriageReturns) {
  const auto document =
      LastSite("def a := 1\r\ntheorem t : p := by\r\n  sorry\r\n").ForConfirmation("intro x\nsimp");
  EXPECT_NE(document.text.find("theorem t : p := by\r\n  intro x\r\n  simp"), std::string::npos);
  EXPECT_EQ(document.first_line, 3u);
}

TEST(ProofSite, OptionsStandBeforeTheWholeMutualBlock) {
  const std::string text =
      "mutual\ntheorem a : p := by\n  sorry\n\ntheorem b : q := by\n  simp\nend\n";
  const auto document = SiteOf(text, 0).ForSearch("omega");
  EXPECT_TRUE(document.text.starts_with("set_option maxHeartbeats 1000000\nmutual\n"));
  EXPECT_NE(document.text.find("theorem b : q := by\n  simp\nend\n"), std::string::npos);
  EXPECT_EQ(document.first_line, 3u);
  EXPECT_EQ(document.declaration_first_line, 2u);
  EXPECT_EQ(document.declaration_last_line, 3u);
}

TEST(ProofSite, AuxiliaryCommandsStandBeforeTheDeclaration) {
  const std::string text = "def a := 1\n\n/-- doc -/\ntheorem t : p := by\n  sorry\n";
  const Proof proof{.tactics = "exact u", .auxiliary = "lemma u : p := by\n  simp\n"};
  const auto document = LastSite(text).ForConfirmation(proof);
  EXPECT_EQ(document.text,
            "def a := 1\n\nset_option debug.skipKernelTC false\nlemma u : p := by\n  simp\n\n"
            "/-- doc -/\ntheorem t : p := by\n  exact u\n");
  EXPECT_TRUE(document.InDeclaration({.line = 4})) << "an error in them counts as the proof's";
  EXPECT_FALSE(document.InDeclaration({.line = 2}));
  EXPECT_EQ(document.first_line, 8u);
  EXPECT_EQ(document.declaration_last_line, 8u);
}

std::string Inserted(std::string text, size_t declaration, const std::string& auxiliary) {
  const size_t place = PlaceOfAuxiliary(text, FindDeclarations(text).at(declaration));
  InsertAuxiliary(text, place, auxiliary);
  return text;
}

TEST(InsertAuxiliary, GoesToTheBeginningOfALine) {
  EXPECT_EQ(Inserted("namespace N\n  theorem t : p := q\n", 0, "lemma u : p\n"),
            "namespace N\nlemma u : p\n\n  theorem t : p := q\n");
  EXPECT_EQ(Inserted("def a := 1 theorem t : p := q\n", 1, "lemma u : p\n"),
            "def a := 1 \nlemma u : p\n\ntheorem t : p := q\n");
  EXPECT_EQ(Inserted("mutual\ntheorem s : p := q\ntheorem t : p := q\nend\n", 1, "lemma u : p\n"),
            "lemma u : p\n\nmutual\ntheorem s : p := q\ntheorem t : p := q\nend\n");
}

TEST(InsertAuxiliary, KeepsTheLineBreaksOfTheFile) {
  EXPECT_EQ(Inserted("theorem t : p := q\r\n", 0, "set_option maxRecDepth 9 in\n"),
            "set_option maxRecDepth 9 in\r\ntheorem t : p := q\r\n");
}

TEST(LinesOfAuxiliary, CountsUpToTheDeclaration) {
  for (const std::string auxiliary : {"", "lemma u : p\n", "set_option maxRecDepth 9 in\n",
                                      "lemma u : p\n\nset_option a 1 in\nset_option b 1 in\n"}) {
    std::string text = "def a := 1\n\ntheorem t : p := q\n";
    InsertAuxiliary(text, text.find("theorem"), auxiliary);
    const auto declarations = FindDeclarations(text);
    const core::LineIndex lines(text);
    EXPECT_EQ(lines.LineOf(declarations.back().range.begin) - LinesOfAuxiliary(auxiliary), 2u)
        << text;
  }
}

TEST(ProofSite, EachHoleOfADeclarationIsItsOwnSite) {
  const std::string text = "theorem t : p := by\n  have h : q := by\n    sorry\n  sorry\n";
  const auto first = SiteOf(text, 0, 0).ForSearch("first_one");
  const auto second = SiteOf(text, 0, 1).ForSearch("second_one");
  EXPECT_NE(first.text.find("    first_one\n  sorry"), std::string::npos);
  EXPECT_NE(second.text.find("    sorry\n  second_one"), std::string::npos);
}

}  // namespace
}  // namespace zermelo::syntax
