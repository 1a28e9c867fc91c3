#include "serve/snippet_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Audit, FindsNothingInAnHonestProof) {
  const auto audit = Audit(
      "import Mathlib\nopen Nat in\n/-- no axiom, no sorry -/\ntheorem t : 1 = 1 := by\n  rfl\n");
  EXPECT_THAT(audit.findings, IsEmpty());
  EXPECT_THAT(audit.unfinished, IsEmpty());
  EXPECT_FALSE(audit.defines_syntax);
}

TEST(Audit, FindsCheats) {
  for (const char* cheat : {
           "axiom cheat : False",
           "set_option debug.skipKernelTC true",
           "set_option warn.sorry false",
           "set_option «warn».sorry false in",
           "run_cmd Lean.addDecl d",
           "#eval 1",
           "@[implemented_by f] def g := 1",
           "theorem t : 1 = 2 := by native_decide",
       }) {
    EXPECT_FALSE(Audit(cheat).findings.empty()) << cheat;
  }
}

TEST(Audit, DistinguishesUnfinishedPartsFromCheats) {
  const auto audit = Audit("theorem a : p := sorry\ntheorem b : p := by\n  admit\n-- sorry\n");
  EXPECT_THAT(audit.findings, IsEmpty());
  EXPECT_THAT(audit.unfinished, ElementsAre(0, 2));
}

TEST(Audit, DetectsTextsThatDefineSyntax) {
  EXPECT_TRUE(Audit("macro \"x\" : term => `(1)").defines_syntax);
  EXPECT_TRUE(Audit("local notation \"x--\" => 1").defines_syntax);
  EXPECT_FALSE(Audit("theorem t : notation_free := trivial").defines_syntax);
}

TEST(WithoutProofs, KeepsEverythingExceptTheProofs) {
  EXPECT_EQ(WithoutProofs("def f := 1\ntheorem t (n : Nat) : n = n := by\n  rfl\n\n"
                          "example : f = 1 := rfl\n"),
            "def f := 1\ntheorem t (n : Nat) : n = n := by sorry\n\n"
            "example : f = 1 := by sorry\n");
}

TEST(ExtractLean, TakesTheLastLeanBlock) {
  EXPECT_EQ(ExtractLean("First\n```lean4\na\n```\nno:\n```lean4\nb\n```\n```python\nc\n```\n"),
            "b\n");
}

TEST(ExtractLean, TakesAnUnlabelledBlockIfThereIsNoOther) {
  EXPECT_EQ(ExtractLean("so\n```\ntheorem t\n```\n"), "theorem t\n");
}

TEST(ExtractLean, TakesABlockThatTheModelDidNotClose) {
  EXPECT_EQ(ExtractLean("```lean\nby simp<|im_end|>\n<|im_start|>"), "by simp\n");
}

TEST(ExtractLean, TakesEverythingWithoutABlockAndDropsSpecialTokens) {
  EXPECT_EQ(ExtractLean("  by omega</s>"), "by omega\n");
  EXPECT_EQ(ExtractLean("simp<｜end▁of▁sentence｜>"), "simp\n");
}

TEST(ExtractLean, LeansOwnPipesAreNoSpecialTokens) {
  EXPECT_EQ(ExtractLean("exact f <| g x |> h<|end|>"), "exact f <| g x |> h\n");
  EXPECT_EQ(ExtractLean("exact f <|g x|> h"), "exact f <|g x|> h\n");
}

TEST(OpensFence, OnlyFencesCount) {
  EXPECT_TRUE(OpensFence("Use `simp`.\n```lean4\n/-- `a` -/\ntheorem t : p := by\n"));
  EXPECT_FALSE(OpensFence("```lean4\ntheorem t : p\n```\nProve it with `simp`.\n"));
  EXPECT_FALSE(OpensFence("Prove `t`, or ``u`."));
}

TEST(Assemble, AddsTheStatementsImportsToCodeWithoutImports) {
  EXPECT_EQ(Assemble("import A\nimport B\n\ntheorem t : p := sorry\n", "theorem t : p := h\n"),
            "import A\nimport B\ntheorem t : p := h\n");
  const std::string own = "import C\ntheorem t : p := h\n";
  EXPECT_EQ(Assemble("import A\ntheorem t : p := sorry\n", own), own);
}

TEST(Assemble, ReplacesTheSorryByABareProof) {
  EXPECT_THAT(Assemble("theorem t : p := by\n  sorry\n", "intro x\nsimp\n"),
              HasSubstr("by\n  intro x\n  simp"));
  EXPECT_THAT(Assemble("theorem t : p := by\n  sorry\n", "by\n  omega\n"),
              HasSubstr("by\n  omega"));
}

TEST(Assemble, DoesNotLetABareProofAddCommands) {
  const std::string code = "simp\n)\n#eval 1\n";
  EXPECT_EQ(Assemble("theorem t : p := (by sorry)\n", code), code);
}

}  // namespace
}  // namespace zermelo::serve
