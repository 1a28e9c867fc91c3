#include "syntax/proof/auxiliary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/proof/extraction.h"

namespace zermelo::syntax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Theorem TheFile() {
  Theorem input;
  input.header =
      "import Mathlib\nopen Real Nat\nnamespace N\nvariable (k : Nat)\n"
      "lemma helper : 1 = 1 := rfl\ndef double (n : Nat) := 2 * n\n\n";
  input.name = "N.two";
  return input;
}

/// The context of a reply whose last declaration is the theorem.
tl::expected<CommandsBefore, std::string> ContextIn(const std::string& before,
                                                    const Theorem& input = TheFile()) {
  const File code(before + "theorem two : 2 = 2 := by\n  rfl\n");
  return ReadCommandsBefore(code, code.declarations().back(), input);
}

TEST(CommandsBeforeTest, DeclarationsAreRenamedAfterTheTheorem) {
  const auto context = ContextIn("lemma a : 1 = 1 := rfl\n\ntheorem b : 1 = 1 := a\n\n");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary, "lemma two_a : 1 = 1 := rfl\n\ntheorem two_b : 1 = 1 := two_a\n");
  EXPECT_EQ(context->renaming.Apply("exact a.trans (b (a := 1)) -- a"),
            "exact two_a.trans (two_b (a := 1)) -- a");
}

TEST(CommandsBeforeTest, NamesUsedByTheFileAreAvoided) {
  auto input = TheFile();
  input.taken = {"two_a", "two_c"};
  const auto context = ContextIn("lemma a : 1 = 1 := rfl\n\nlemma two_c : 1 = 1 := rfl\n\n", input);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary, "lemma two_a' : 1 = 1 := rfl\n\nlemma two_c' : 1 = 1 := rfl\n");
}

TEST(CommandsBeforeTest, DeclarationsOfTheFileAreNotRepeated) {
  const auto context = ContextIn(
      "import Mathlib\nopen Real Nat\nnamespace N\nvariable (k : Nat)\n"
      "lemma helper : 1 = 1 := rfl\ndef double (n : Nat) := 3 * n\n\n/-! Now. -/\n");
  ASSERT_TRUE(context) << context.error();
  EXPECT_EQ(context->auxiliary, "");
  EXPECT_THAT(context->opens, IsEmpty());
}

TEST(CommandsBeforeTest, ALemmaWithAKnownNameAndAnotherStatementIsKept) {
  const auto context = ContextIn("lemma helper : 2 = 2 := rfl\n\n");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary, "lemma two_helper : 2 = 2 := rfl\n");
}

TEST(CommandsBeforeTest, OpensAndOptionsAreAnOptionalContext) {
  const auto context = ContextIn(
      "set_option maxHeartbeats 400000\nset_option debug.skipKernelTC true\n"
      "open Real Nat\nopen Finset (sum_comm)\nlemma a : 1 = 1 := rfl\n\n");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary, "lemma two_a : 1 = 1 := rfl\n");
  EXPECT_EQ(context->auxiliary_in_context,
            "section\nset_option maxHeartbeats 400000\nopen Finset (sum_comm)\n\n"
            "lemma two_a : 1 = 1 := rfl\nend\n");
  EXPECT_THAT(context->opens, ElementsAre("open Finset ( sum_comm )"));
  EXPECT_THAT(context->options, ElementsAre("set_option maxHeartbeats 400000"));
}

TEST(CommandsBeforeTest, CommandsAttachedToTheTheoremArePartOfTheContext) {
  const auto context = ContextIn("set_option maxRecDepth 9 in\nopen Finset in\n/-- two -/\n");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary_in_context, "");
  EXPECT_THAT(context->opens, ElementsAre("open Finset"));
  EXPECT_THAT(context->options, ElementsAre("set_option maxRecDepth 9"));
}

TEST(CommandsBeforeTest, VariablesAndScopesOfLemmasStay) {
  const auto context = ContextIn(
      "section\nvariable (m : Nat)\nopen Finset\nlemma a : m = m := rfl\nend\n"
      "namespace Aux\nlemma b : 1 = 1 := rfl\nend Aux\n");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary,
            "section\nsection\nvariable (m : Nat)\n\nlemma two_a : m = m := rfl\nend\n"
            "namespace Aux\n\nlemma b : 1 = 1 := rfl\nend Aux\nend\n");
  EXPECT_THAT(context->opens, IsEmpty()) << "its scope has ended";
  EXPECT_EQ(context->renaming.Apply("exact Aux.b"), "exact Aux.b");
}

TEST(CommandsBeforeTest, TheNamespaceAroundTheTheoremIsIgnored) {
  const auto context = ContextIn("namespace M\nlemma a : 1 = 1 := rfl\n\n");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary, "lemma two_a : 1 = 1 := rfl\n");
  EXPECT_EQ(context->renaming.Apply("exact M.a.trans a"), "exact two_a.trans two_a");
}

TEST(CommandsBeforeTest, NamesFromAnAnonymousTheoremUseItsLine) {
  auto input = TheFile();
  input.name = "";
  const auto context = ContextIn("lemma a : 1 = 1 := rfl\n\n", input);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->auxiliary, "lemma line_8_a : 1 = 1 := rfl\n");
}

TEST(CommandsBeforeTest, ForbiddenCommandsAreReported) {
  for (const std::string command :
       {"axiom a : False", "attribute [simp] foo", "macro \"m\" : tactic => `(tactic| rfl)",
        "initialize x : Nat <- pure 1", "notation \"x\" => 1"}) {
    const auto context = ContextIn(command + "\n");
    ASSERT_FALSE(context) << command;
    EXPECT_THAT(context.error(), HasSubstr(command.substr(0, command.find(' '))));
  }
}

TEST(CommandsBeforeTest, ManyNestedScopesTakeLinearTime) {
  std::string before;
  while (before.size() < 300'000) before += "namespace X\nlemma a : 1 = 1 := rfl\n";
  EXPECT_TRUE(ContextIn(before));
}

TEST(ProofFromPartsTest, LemmasAreRenamedAndThoseOfTheFileLeftOut) {
  auto input = TheFile();
  input.head = "theorem two : 2 = 2";
  const std::vector<AuxiliaryDeclaration> lemmas{
      {.name = "a", .signature = ": 1 = 1", .text = "theorem a : 1 = 1 := by\n  rfl"},
      {.name = "helper", .signature = ": 1 = 1", .text = "theorem helper : 1 = 1 := by\n  rfl"},
      {.name = "half", .signature = "", .text = "def half := a.symm", .is_lemma = false}};
  const auto proof = ProofFromParts(input, lemmas, " := by\n  have := a\n  exact half (a := 1)");
  ASSERT_TRUE(proof) << proof.error().message;
  EXPECT_EQ(proof->tactics, "have := two_a\nexact two_half (a := 1)");
  EXPECT_EQ(proof->auxiliary, "theorem two_a : 1 = 1 := by\n  rfl\n\ndef two_half := two_a.symm\n");
}

TEST(ProofFromPartsTest, ValueIsReadBehindItsHead) {
  auto input = TheFile();
  input.head = "theorem two : 2 = 2";
  const auto term = ProofFromParts(input, {}, " := rfl");
  ASSERT_TRUE(term);
  EXPECT_EQ(term->tactics, "exact rfl");
  const auto aligned = ProofFromParts(input, {}, " := by skip\n                          rfl");
  ASSERT_TRUE(aligned);
  EXPECT_EQ(aligned->tactics, "skip\nrfl") << "`rfl` is below `skip`";
  for (const char* value : {"", " := by", " := by\n  exact (", "\n| 0 => rfl"}) {
    EXPECT_FALSE(ProofFromParts(input, {}, value)) << value;
  }
}

}  // namespace
}  // namespace zermelo::syntax
