#include "trust/source/source_tokens.h"

#include <gtest/gtest.h>

namespace zermelo::trust {
namespace {

bool Sees(std::string_view text, std::string_view word) {
  const SourceTokens source(text);
  for (const auto& token : source.tokens()) {
    if (token.kind == SourceToken::Kind::kWord && token.text == word) return true;
  }
  return false;
}

TEST(SourceTokens, CommentsAndStringsAreNoCode) {
  for (const char* text :
       {"-- sorry", "x -- sorry", "(-- sorry\n)", "/- a /- sorry -/ b -/",
        "/-- sorry -/ def x := 1", "def s := \"sorry\"", "f (\"sorry\")", "def c := 'a' -- sorry",
        "def s := r\"sorry\"", "theorem h' : p := -- sorry\n  x", "infixl:65 \" ⊕ \" => f -- sorry",
        "def s := \"a \\{ sorry }\"", "def s := \"{\" -- sorry", "f (\"{\", \"}\") -- sorry",
        "theorem t : c = '\"' := x -- sorry"}) {
    EXPECT_FALSE(Sees(text, "sorry")) << text;
    EXPECT_FALSE(CouldHideCode(text)) << text;
  }
}

TEST(SourceTokens, HolesOfInterpolatedStringsAreCode) {
  EXPECT_TRUE(Sees("def s := s!\"a {sorry} b\"", "sorry"));
  EXPECT_TRUE(Sees("def s := s!\"{f \"x\" /- -/ s!\"{sorry}\"}\"", "sorry"));
  EXPECT_FALSE(Sees("def s := s!\"{x}\" -- sorry", "sorry"));
}

// Each hides code from a lexer that knows the core tokens only; Lean 4.28 runs it.
TEST(SourceTokens, AmbiguousTextIsAllCode) {
  for (const char* text :
       {"c ≠'\"' := by decide\nsorry\ntheorem u : c ≠'\"'", "0 +--0 sorry", "0 x--0 sorry",
        "a\"b sorry \"", "+r\"\\\" \" sorry \" \"", "+s!\"{\" sorry", "f ≠'«' sorry",
        "throwError \"{f \"}\" ++ sorry }\"", "/--/ \" -/ sorry /- \" -/", "«a\n\"» sorry \"",
        "foo'\"' sorry '\"'", "syntax \"f(\" interpolatedStr(term)\nf(\"{f \"}\" ++ sorry }\""}) {
    EXPECT_TRUE(Sees(text, "sorry")) << text;
  }
}

// Lean 4.28 reads each as a token of the file's own, or a number, and `elab`.
TEST(SourceTokens, AWordBeginsWhereATokenOfTheFileEnds) {
  for (const char* text : {"notation \"+x\" => 1\n+xelab", "notation \" a+x \" => 1\na+xelab",
                           "notation \"#x\" => 1\n#xelab", "notation \"\\x2bx\" => 1\n+xelab",
                           "notation r\"+x\" => 1\n+xelab", "notation \"+\\u0078\" => 1\n+xelab",
                           "h =Qelab", "def x := 0b1elab", "def x := 0o7elab"}) {
    EXPECT_TRUE(Sees(text, "elab")) << text;
  }
  for (const char* text : {"notation \"x\" => 1\nxelab", "notation \"+x\" => 1\n+yelab", "+xelab",
                           "notation \"+x\" => 1\nxelab", "def x := 0xelab"}) {
    EXPECT_FALSE(Sees(text, "elab")) << text;
  }
}

TEST(SourceTokens, TokensKeepTheirLines) {
  const SourceTokens source("«x\ny» --\nsorry", SourceTokens::Part::kEverything);
  EXPECT_EQ(source.tokens().back().text, "sorry");
  EXPECT_EQ(source.tokens().back().line, 2U);
}

}  // namespace
}  // namespace zermelo::trust
