#include "syntax/lexer.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace zermelo::syntax {
namespace {

using Kind = TokenKind;

std::vector<std::string> Texts(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : Lex(text)) texts.emplace_back(TextOf(text, token));
  return texts;
}

// The kind of a text that is one token; fails the test otherwise.
Kind KindOf(std::string_view text) {
  const std::vector<Token> tokens = Lex(text);
  EXPECT_EQ(tokens.size(), 1u) << text;
  EXPECT_EQ(tokens.at(0).end, text.size()) << text;
  EXPECT_FALSE(tokens.at(0).unterminated) << text;
  return tokens.at(0).kind;
}

TEST(Lexer, ACommentHoldsNoOtherThatBeginsAtItsSecondCharacter) {
  const std::string_view text = "/-/- -/ x -- -/";
  const std::vector<Token> tokens = Lex(text);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(TextOf(text, tokens[0]), "/-/- -/");
  EXPECT_EQ(TextOf(text, tokens[1]), "x");
  EXPECT_EQ(KindOf("/- /- -/ -/"), Kind::kBlockComment);
}

using Words = std::vector<std::string>;

TEST(Lexer, NamesMayHavePrimesSubscriptsMarksAndGreek) {
  for (const char* name :
       {"h₁'", "α", "ℕ", "get!", "x?", "_root_.Nat.succ", "«weird name».b", "𝒜", "é"}) {
    EXPECT_EQ(KindOf(name), Kind::kWord) << name;
  }
}

TEST(Lexer, SorryInsideANameIsPartOfTheName) {
  EXPECT_EQ(Texts("h.sorry sorry_lemma «sorry» sorry' sorry"),
            (Words{"h.sorry", "sorry_lemma", "«sorry»", "sorry'", "sorry"}));
}

TEST(Lexer, LambdaAndPiAreNotLetters) { EXPECT_EQ(Texts("λx"), (Words{"λ", "x"})); }

TEST(Lexer, CharactersAreNotPrimes) {
  EXPECT_EQ(Texts(R"(h' 'a' '\n' '"' '\x41' '\\' 'α' f'x')"),
            (Words{"h'", "'a'", "'\\n'", "'\"'", "'\\x41'", "'\\\\'", "'α'", "f'x'"}));
  EXPECT_EQ(KindOf("'\\u03b1'"), Kind::kChar);
  EXPECT_EQ(Texts("f ⁻¹' s '' t"), (Words{"f", "⁻", "¹'", "s", "''", "t"}));
}

TEST(Lexer, CommentsNestAndAreTrivia) {
  const std::string text = "a /- x /- y -/ \" -/ b -- sorry \"\nc";
  const auto tokens = Lex(text);
  ASSERT_EQ(tokens.size(), 5u);
  EXPECT_EQ(tokens[1].kind, Kind::kBlockComment);
  EXPECT_EQ(tokens[3].kind, Kind::kLineComment);
  EXPECT_EQ(TextOf(text, tokens[3]), "-- sorry \"");
  EXPECT_EQ(LexCode(text).size(), 3u);
}

TEST(Lexer, DocCommentsAreNotTrivia) {
  EXPECT_EQ(KindOf("/-- a /- b -/ -/"), Kind::kDocComment);
  EXPECT_EQ(KindOf("/-! a -/"), Kind::kModuleDoc);
  EXPECT_EQ(KindOf("/--/"), Kind::kBlockComment);
  EXPECT_EQ(KindOf("/---/"), Kind::kBlockComment);
}

TEST(Lexer, LineCommentStopsBeforeCrLf) {
  const std::string text = "-- x\r\ny";
  EXPECT_EQ(Lex(text)[0].end, 4u);
}

TEST(Lexer, StringsHideTheirContent) {
  EXPECT_EQ(KindOf(R"("a \" -- /- \\")"), Kind::kString);
  EXPECT_EQ(KindOf(R"(r"a\")"), Kind::kString);
  EXPECT_EQ(KindOf(R"X(r##"a "# b"##)X"), Kind::kString);
  EXPECT_EQ(Texts(R"(r #"x")"), (Words{"r", "#", "\"x\""}));
}

TEST(Lexer, InterpolatedStringIsOneToken) {
  EXPECT_EQ(KindOf(R"(s!"a {f "}" ++ s!"{b}" ++ {x := '"'}} \{ c")"), Kind::kString);
  EXPECT_EQ(KindOf(R"(m!"{r"}"} {/- } -/ h'}")"), Kind::kString);
  EXPECT_EQ(Texts(R"(s! "x")").size(), 2u);
}

TEST(Lexer, NumbersAndProjections) {
  EXPECT_EQ(Texts("h.1.2 1.5e3 0xFF [1..2] 1_000"),
            (Words{"h", ".", "1", ".", "2", "1.5e3", "0xFF", "[", "1", "..", "2", "]", "1_000"}));
}

TEST(Lexer, SymbolsAreTheLongestMatch) {
  EXPECT_EQ(Texts("a:=b<;>c=>d|e||f ⟨g⟩ @[h]"),
            (Words{"a", ":=", "b", "<;>", "c", "=>", "d", "|", "e", "||", "f", "⟨", "g", "⟩", "@[",
                   "h", "]"}));
  EXPECT_EQ(Texts("#eval x"), (Words{"#eval", "x"}));
}

TEST(Lexer, CountsColumnsInCodePoints) {
  const std::string text = "/- 𝒜 -/ ∀ x,\r\n  \t«a b» y";
  const auto tokens = LexCode(text);
  EXPECT_EQ(tokens[0].column, 8u);
  EXPECT_TRUE(tokens[0].first_on_line);
  EXPECT_EQ(tokens[1].column, 10u);
  EXPECT_FALSE(tokens[1].first_on_line);
  EXPECT_EQ(tokens[3].column, 3u);
  EXPECT_EQ(tokens[3].line, 1u);
  EXPECT_EQ(tokens[4].column, 9u);
}

TEST(Lexer, MarksUnterminatedTokens) {
  for (const char* text : {"/- a", "\"a", "s!\"{", "r#\"a\"", "«a", "\"\\", "/-"}) {
    const auto tokens = Lex(text);
    ASSERT_EQ(tokens.size(), 1u) << text;
    EXPECT_TRUE(tokens[0].unterminated) << text;
  }
}

TEST(Lexer, AcceptsAnyBytes) {
  std::string text;
  for (int i = 0; i < 256; ++i) text += static_cast<char>(255 - i);
  size_t end = 0;
  for (const Token& token : Lex(text)) {
    EXPECT_GE(token.begin, end);
    end = token.end;
  }
  EXPECT_EQ(end, text.size());
}

TEST(Lexer, DeepNestingNeedsNoStack) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "s!\"{";
  EXPECT_EQ(Lex(text).size(), 1u);
}

std::vector<std::string> PrintedTexts(std::string_view goal) {
  std::vector<std::string> texts;
  for (const Token& token : LexPrinted(goal)) texts.emplace_back(TextOf(goal, token));
  return texts;
}

TEST(LexPrinted, MarksOfInaccessibleNamesBelongToTheirWords) {
  EXPECT_EQ(PrintedTexts("⟨n✝¹², h₁'✝⟩"), (Words{"⟨", "n✝¹²", ",", "h₁'✝", "⟩"}));
  EXPECT_EQ(PrintedTexts("↑x✝.den + Foo.y✝.1"), (Words{"↑", "x✝.den", "+", "Foo.y✝", ".", "1"}));
  EXPECT_EQ(PrintedTexts("✝ x⁻¹ [s✝]"), (Words{"✝", "x", "⁻", "¹", "[", "s✝", "]"}));
  EXPECT_EQ(Texts("n✝"), (Words{"n", "✝"})) << "not in code";
}

TEST(NamespaceOf, EndsAtTheLastDotOutsideQuotes) {
  EXPECT_EQ(NamespaceOf("A.«b.c».d"), "A.«b.c»");
  EXPECT_EQ(NamespaceOf("A.«b.c»"), "A");
  EXPECT_EQ(NamespaceOf("«b.c»"), "");
  EXPECT_EQ(NamespaceOf(""), "");
}

TEST(Unquoted, LeavesTheRest) { EXPECT_EQ(Unquoted("«debug».«a b»"), "debug.a b"); }

TEST(NameComponents, KeepQuotedDots) {
  EXPECT_EQ(NameComponents("A.«b.c».d"), (std::vector<std::string_view>{"A", "«b.c»", "d"}));
  EXPECT_TRUE(NameComponents("").empty());
}

}  // namespace
}  // namespace zermelo::syntax
