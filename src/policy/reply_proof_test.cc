#include "policy/reply_proof.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "core/testing/sanitizers.h"
#include "syntax/proof/proof_text.h"

namespace zermelo::policy {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

syntax::Theorem Example() {
  syntax::Theorem theorem =
      syntax::TheoremOf("theorem My.two (n : Nat) (h : n = 1) :\n    n + 1 = 2");
  theorem.header = "import Lean\nopen Nat\n\ndef double (n : Nat) := 2 * n\n\n";
  return theorem;
}

/// "tactics", or "auxiliary / tactics" if there are auxiliary declarations; or "REFUSAL: message".
std::string Read(std::string_view reply, llm::ReplyKind kind = llm::ReplyKind::kBlock,
                 std::string_view prefix = {}) {
  const auto proof = ReadProof(kind, Example(), reply, prefix);
  if (!proof) return fmt::format("{}: {}", Name(proof.error().refusal), proof.error().message);
  return proof->auxiliary.empty() ? proof->tactics : proof->auxiliary + " / " + proof->tactics;
}
std::string ReadBlock(const std::string& code) {
  return Read("Plan.\n```lean4\n" + code + "\n```");
}

TEST(ReadProofTest, TheStatementIsRepeated) {
  EXPECT_EQ(ReadBlock("theorem My.two (n : Nat) (h : n = 1) :\n    n + 1 = 2 := by\n"
                      "  subst h\n  rfl"),
            "subst h\nrfl");
}

TEST(ReadProofTest, LayoutAndCommentsDoNotChangeAStatement) {
  EXPECT_EQ(ReadBlock("import Mathlib\nopen Nat\n\n/-- two -/\nlemma two (n : Nat) -- a number\n"
                      " (h : n = 1) : n + 1 = 2 := by subst h; rfl"),
            "subst h; rfl");
}

TEST(ReadProofTest, AChangedStatementIsRefusedWithTheDifference) {
  EXPECT_EQ(ReadBlock("theorem My.two (n : Nat) (h : n = 1) : n + 1 ≤ 2 := by omega"),
            "statement_changed: the statement was changed: `≤` instead of `=`");
  EXPECT_EQ(ReadBlock("theorem My.two (n : Nat) : n + 1 = 2 := by omega"),
            "statement_changed: the statement was changed: `:` instead of `(`");
  EXPECT_EQ(ReadBlock("theorem My.two (n : Nat) (h : n = 1) : n + 1 = 2 ∨ True := by simp"),
            "statement_changed: the statement was changed: `∨` instead of its end");
}

TEST(ReadProofTest, AnotherNameIsAllowedWithTheSameStatement) {
  EXPECT_EQ(ReadBlock("example (n : Nat) (h : n = 1) : n + 1 = 2 := by omega"), "omega");
  EXPECT_EQ(ReadBlock("theorem other : True := by trivial"),
            "no_theorem: there is no `My.two` in the reply");
}

TEST(ReadProofTest, OnlyTheProof) {
  EXPECT_EQ(ReadBlock("  subst h\n  rfl"), "subst h\nrfl");
  EXPECT_EQ(ReadBlock("by\n  subst h\n  rfl"), "subst h\nrfl");
  EXPECT_EQ(ReadBlock(":= by omega"), "omega");
  EXPECT_EQ(ReadBlock("-- nothing"), "no_tactic_proof: the reply has no tactic");
}

TEST(ReadProofTest, ATermBecomesATactic) {
  EXPECT_EQ(ReadBlock("theorem two (n : Nat) (h : n = 1) : n + 1 = 2 := h ▸ rfl"), "exact h ▸ rfl");
  EXPECT_EQ(ReadBlock("theorem two (n : Nat) (h : n = 1) : n + 1 = 2 :=\n  h ▸\n    rfl"),
            "exact (\n  h ▸\n    rfl)");
  EXPECT_THAT(ReadBlock("theorem two (n : Nat) (h : n = 1) : n + 1 = 2\n  | 0 => rfl"),
              StartsWith("no_tactic_proof"));
}

TEST(ReadProofTest, AuxiliaryDeclarationsAreKept) {
  const std::string target =
      "theorem My.two (n : Nat) (h : n = 1) : n + 1 = 2 := by\n  exact aux h";
  const std::string code =
      "import Lean\nset_option maxRecDepth 9\ndef double (n : Nat) := 3 * n\n\n"
      "lemma aux {n : Nat} (h : n = 1) : n + 1 = 2 := by\n  omega\n\n" +
      target + "\n\ntheorem after : True := trivial";
  EXPECT_EQ(ReadBlock(code),
            "lemma two_aux {n : Nat} (h : n = 1) : n + 1 = 2 := by\n  omega\n / exact two_aux h")
      << "the file has a `double`; what follows the theorem is ignored";

  const auto proof = ReadProof(llm::ReplyKind::kBlock, Example(), "```lean4\n" + code + "\n```", "",
                               /*keeps_auxiliary=*/false);
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->auxiliary, "");
}

TEST(ReadProofTest, AxiomsAndMacrosAreForbidden) {
  const std::string target = "theorem My.two (n : Nat) (h : n = 1) : n + 1 = 2 := by\n  omega";
  EXPECT_EQ(ReadBlock("axiom cheat : False\n" + target),
            "forbidden: the reply must not contain `axiom`");
  EXPECT_THAT(ReadBlock("macro \"omega\" : tactic => `(tactic| sorry)\n" + target),
              StartsWith("forbidden"));
  EXPECT_THAT(ReadBlock("instance : OfNat Nat 2 := ⟨1⟩\nattribute [simp] foo\n" + target),
              StartsWith("forbidden"));
}

TEST(ReadProofTest, AContinuation) {
  const auto kind = llm::ReplyKind::kContinuation;
  EXPECT_EQ(Read("  subst h\n  rfl\n```\nDone.", kind), "subst h\nrfl");
  EXPECT_EQ(Read("\n  subst h\n  rfl", kind), "subst h\nrfl") << "STP begins like this";
  EXPECT_EQ(Read(" subst h", kind), "subst h");
  EXPECT_EQ(Read("  omega\n\ntheorem next : True := by\n  trivial\n", kind), "omega");
  EXPECT_EQ(Read("  /- First h. -/\n  subst h\n  -- Then rfl.\n  rfl\n", kind),
            "/- First h. -/\nsubst h\n-- Then rfl.\nrfl");
}

TEST(ReadProofTest, AContinuationOfAPrefixIsTheWholeProof) {
  const std::string prefix = "  have h' : n = 1 := by\n    exact h\n";
  EXPECT_EQ(Read("  subst h'\n  rfl\n", llm::ReplyKind::kContinuation, prefix),
            "have h' : n = 1 := by\n  exact h\nsubst h'\nrfl");
  EXPECT_EQ(Read("```lean4\nomega\n```", llm::ReplyKind::kBlock, prefix),
            "have h' : n = 1 := by\n  exact h\nomega");
  EXPECT_EQ(
      Read("```lean4\nhave h' : n = 1 := by exact h\nomega\n```", llm::ReplyKind::kBlock, prefix),
      "have h' : n = 1 := by exact h\nomega")
      << "the reply repeats the prefix";
}

TEST(ReadProofTest, SorryIsReported) {
  const auto proof = ReadProof(llm::ReplyKind::kBlock, Example(), "```lean4\nsubst h\nsorry\n```");
  ASSERT_TRUE(proof);
  EXPECT_TRUE(proof->has_sorry);
  EXPECT_FALSE(
      ReadProof(llm::ReplyKind::kBlock, Example(), "```lean4\nrfl -- sorry\n```")->has_sorry);
}

TEST(ReadProofTest, ATruncatedReplyLosesItsLastTactic) {
  const auto proof =
      ReadProof(llm::ReplyKind::kBlock, Example(), "```lean4\n  subst h\n  nlinarith [sq_n");
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->tactics, "subst h");
  EXPECT_TRUE(proof->was_cut);
  EXPECT_THAT(ReadBlock("simp [(h"), StartsWith("not_self_contained"));
}

TEST(ReadProofTest, NothingCanCloseWhatTheFileOpened) {
  EXPECT_THAT(ReadBlock("rfl)\n-/ axiom x : False"), StartsWith("no_theorem"));
  EXPECT_THAT(ReadBlock("exact rfl)"), StartsWith("not_self_contained"));
  EXPECT_THAT(ReadBlock("rfl /- "), StartsWith("not_self_contained"));
}

TEST(ReadProofTest, StringsKeepTheirLines) {
  EXPECT_EQ(ReadBlock("theorem My.two (n : Nat) (h : n = 1) : n + 1 = 2 := by\n"
                      "    exact f \"a\n    b\"\n    rfl"),
            "exact f \"a\n    b\"\nrfl");
}

TEST(ReadProofTest, NoCode) {
  EXPECT_EQ(Read("I do not know."), "no_code: the reply has no code block");
  EXPECT_EQ(Read("<think>so"), "no_code: the reply ends before the thinking does");
}

TEST(ReadTacticTest, OneTactic) {
  EXPECT_EQ(ReadTactic(" cases n with\n | zero => rfl\n | succ => simp\n").value(),
            "cases n with\n | zero => rfl\n | succ => simp");
  EXPECT_EQ(ReadTactic("simp [").error().refusal, syntax::Refusal::kNotSelfContained);
  EXPECT_EQ(ReadTactic("").error().refusal, syntax::Refusal::kNoCode);
}

/// Holds for every reply, however corrupted: a proof that is found can be spliced into a file and
/// leaves what follows the hole as it was.
void CheckReply(const std::string& reply) {
  const std::string file =
      "theorem My.two : 1 + 1 = 2 := by\n  sorry\n\ntheorem after : True := trivial\n";
  const auto hole = syntax::FindDeclarations(file).at(0).holes.at(0);
  for (const auto kind : {llm::ReplyKind::kContinuation, llm::ReplyKind::kBlock}) {
    const auto proof = ReadProof(kind, Example(), reply);
    if (!proof) continue;
    for (const syntax::Proof& variant : proof->Variants()) {
      ASSERT_TRUE(syntax::IsSelfContained(variant.tactics)) << reply;
      auto text = syntax::SpliceProof(file, hole, variant.tactics).text;
      ASSERT_TRUE(text.ends_with("\n\ntheorem after : True := trivial\n")) << reply;
      syntax::InsertAuxiliary(text, 0, variant.auxiliary);
      const auto found = syntax::FindDeclarations(text);
      ASSERT_EQ(found.size(), 2 + syntax::FindDeclarations(variant.auxiliary).size()) << text;
      ASSERT_EQ(found.back().full_name, "after") << text;
    }
  }
  const auto tactic = ReadTactic(reply);
  ASSERT_TRUE(!tactic || syntax::IsSelfContained(*tactic)) << reply;
}

TEST(ReadProofTest, CorruptedRepliesAreHarmless) {
  const std::vector<std::string> pieces{
      "```lean4\n",
      "```",
      "```\n",
      "<think>",
      "</think>",
      "theorem My.two (n : Nat) (h : n = 1) :\n    n + 1 = 2 := by\n",
      "  subst h\n",
      "  rfl\n",
      "theorem",
      "lemma a : True := by\n  trivial\n",
      ":= by",
      ":=",
      "by\n",
      "(",
      ")",
      "⟨",
      "⟩",
      "/-",
      "-/",
      "--",
      "\"",
      "\n",
      " ",
      "\t",
      "sorry",
      "·",
      "|",
      "\xff",
      "\xe2\x84",
      std::string(1, '\0'),
      "«",
      "where",
      "example : True := ",
      "namespace X\n",
      "end X\n",
      "open Y\n",
      "section\n",
      "mutual\n",
      "set_option maxRecDepth 9 in\n",
      "@[simp] ",
      "axiom",
      "#exit\n",
      ":::",
      "import A\n",
      "'",
      "s!\"{",
      "}"};
  std::mt19937 random(7);
  for (size_t round = core::testing::Rounds(20'000); round > 0; --round) {
    std::string reply;
    for (size_t i = random() % 12; i > 0; --i) reply += pieces[random() % pieces.size()];
    CheckReply(reply);
  }
}

TEST(ReadProofTest, ALongReplyTakesLinearTime) {
  for (const std::string piece :
       {"```\n", "<think>", "</think>", "(", "/-", "theorem a : b := by\n", "  simp\n"}) {
    std::string reply = "```lean4\n";
    while (reply.size() < 300'000) reply += piece;
    CheckReply(reply);
  }
}

}  // namespace
}  // namespace zermelo::policy
