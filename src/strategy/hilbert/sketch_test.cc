#include "strategy/hilbert/sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lean/testing/fake_lean.h"

namespace zermelo::strategy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WithSorriesTest, ProofsOfTopLevelHavesBecomeSorries) {
  EXPECT_EQ(WithSorries("have h : a = b := by simp\n"
                        "have ⟨x, hx⟩ : ∃ x, p x := ⟨1, by\n  omega⟩\n"
                        "obtain ⟨y, hy⟩ : ∃ y, q y := by\n  exact foo\n"
                        "exact h.trans hx"),
            "have h : a = b := by\n  sorry\n"
            "have ⟨x, hx⟩ : ∃ x, p x := by\n  sorry\n"
            "obtain ⟨y, hy⟩ : ∃ y, q y := by\n  sorry\n"
            "exact h.trans hx");
}

TEST(WithSorriesTest, OtherTacticsAreUnchanged) {
  for (const char* tactics :
       {"have h := foo x", "have h (x : Nat) := foo x", "intro x; have h : p := by simp; exact h",
        "rcases h with h | h\n· have e : p := by simp\n  exact e\n· exact h", "", "sorry",
        "have h : p := by", "have", "⟨(", "obtain ⟨x, hx⟩ := h"}) {
    const std::string bare = WithSorries(tactics);
    if (std::string_view(tactics) != "have h : p := by") {
      EXPECT_EQ(bare, tactics);
    }
  }
}

TEST(SketchOfTest, HolesHaveUniqueNamesAndTheGoalsFromLean) {
  const auto site = lean::testing::GameSite(5);
  const std::string tactics =
      "have h : 1 := by\n  sorry\nhave h : 2 := by\n  sorry\n· have : 3 := by sorry\n  sorry";
  const auto document = site.ForConfirmation(tactics);
  lean::CheckResult checked;
  const core::LineIndex lines(document.text);
  const size_t second = document.text.find("sorry", document.text.find("h : 2"));
  checked.sorries.push_back({.at = syntax::PositionAt(lines, second), .goals = {"⊢ 2", "⊢ other"}});
  const Sketch sketch = SketchOf(tactics, document, checked);
  ASSERT_EQ(sketch.holes.size(), 4U);
  EXPECT_EQ(sketch.holes[0].name, "h");
  EXPECT_EQ(sketch.holes[0].goal, "");
  EXPECT_EQ(sketch.holes[1].name, "h_2");
  EXPECT_EQ(sketch.holes[1].goal, "⊢ 2");
  EXPECT_EQ(sketch.holes[2].name, "this");
  EXPECT_EQ(sketch.holes[3].name, "step");
}

TEST(TheoremsInTest, NamesAndStatementsWithoutProofs) {
  EXPECT_THAT(TheoremsIn("import X\ntheorem A.h1 (n : Nat) : n = n := by sorry\n"
                         "lemma h2 : ∃ x, x = 1 -- one\n  := by\n  sorry\ndef f := 1\n"),
              ElementsAre(Statement{"h1", "(n : Nat) : n = n"}, Statement{"h2", ": ∃ x, x = 1"}));
  EXPECT_TRUE(TheoremsIn("nothing here").empty());
}

TEST(TheoremOfStateTest, HypothesesBecomeArguments) {
  const auto theorem = TheoremOfState(
      "case h\nα : Type u_1\ninst✝ : DecidableEq α\nn m : Nat\n"
      "h : n =\n    m\nx : Nat := n + 1\nh✝ : m = x\n⊢ n = m");
  ASSERT_TRUE(theorem);
  EXPECT_EQ(theorem->signature,
            "(α : Type _) [DecidableEq α] (n : Nat) (m : Nat) (h : n = m) (x : Nat) "
            "(x_eq : x = n + 1) (h_1 : m = x) : n = m");
  EXPECT_EQ(theorem->arguments, " α n m h x rfl h_1");
  EXPECT_FALSE(TheoremOfState(""));
  EXPECT_FALSE(TheoremOfState("nonsense"));
}

TEST(AssembledTest, SorriesBecomeCalls) {
  Sketch sketch;
  sketch.tactics =
      "have h1 : n = n := by\n  sorry\nrcases h1 with h | h\n· have e : p := sorry\n  exact e\n"
      "· exact h";
  sketch.holes = {{.name = "h1", .goal = "n : Nat\n⊢ n = n"}, {.name = "e", .goal = "⊢ p"}};
  EXPECT_EQ(Assembled(sketch, {{"t_h1", "(n : Nat) : n = n"}, {"t_e", "(h : q) : p"}}),
            "have h1 : n = n := by\n  exact t_h1 n\nrcases h1 with h | h\n"
            "· have e : p := by\n    first | exact t_e | (apply t_e <;> assumption)\n  exact e\n"
            "· exact h");
}

TEST(CountLinesTest, IgnoresBlankLinesAndComments) {
  EXPECT_EQ(CountLines("simp\n\n-- a remark\n  omega -- another\n/- and\nso on -/\n"), 2U);
}

TEST(UnknownNamesTest, ReadsMessagesOfDifferentLeanVersions) {
  std::vector<lean::Diagnostic> diagnostics(4);
  diagnostics[0].message = "unknown identifier 'foo.bar'";
  diagnostics[1].message = "Unknown constant `Nat.baz`";
  diagnostics[2].message = "type mismatch `x`";
  diagnostics[3].message = "Unknown identifier `foo.bar`";
  EXPECT_THAT(UnknownNames(diagnostics), ElementsAre("foo.bar", "Nat.baz"));
}

TEST(LemmaNameTest, IsMadeOfTheLastComponents) {
  EXPECT_EQ(LemmaName("A.t", "h1"), "t_h1");
  EXPECT_EQ(LemmaName("", "this"), "goal_this");
}

TEST(StatementTest, IsALemmaWithItsProof) {
  const Statement theorem{.name = "a", .signature = "(n : Nat) : p n"};
  const auto proof = MakeProof("intro x\nexact y", "set_option maxRecDepth 1000 in\n");
  EXPECT_EQ(
      LemmaOf(theorem, proof).Text(),
      "set_option maxRecDepth 1000 in\ntheorem a (n : Nat) : p n := by\n  intro x\n  exact y\n");
}

class ProblemOfTest : public ::testing::Test {
 protected:
  ProblemOfTest() {
    theorem.context.theorem.header = "import X\nvariable (q : Prop)\n";
    theorem.context.theorem.taken = {"f"};
  }
  Problem theorem{.site = lean::testing::GameSite(1), .goals = {}, .context = {}};
};

TEST_F(ProblemOfTest, StatementIsATheoremInTheSameFile) {
  const auto problem = ProblemOf(theorem, {.name = "t_h", .signature = "(n : Nat) : n = n"});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->context.theorem.name, "t_h");
  EXPECT_EQ(problem->context.theorem.head, "theorem t_h (n : Nat) : n = n");
  EXPECT_EQ(problem->context.theorem.header, theorem.context.theorem.header);
  EXPECT_THAT(problem->site.ForConfirmation("rfl").text, HasSubstr("variable (q : Prop)\n"));
}

TEST_F(ProblemOfTest, TextBeyondOneTheoremIsRejected) {
  for (const char* statement :
       {": p := by trivial\naxiom f : False\ntheorem g : p", ": p /-", ": (p", ": sorry = 1",
        ": p := trivial\n\n#eval 1\nexample : p", ""}) {
    EXPECT_FALSE(ProblemOf(theorem, {.name = "t_h", .signature = statement})) << statement;
  }
}

TEST_F(ProblemOfTest, NegationIsATheoremInTheSameFile) {
  const auto problem = NegationOf(theorem, {.name = "t_h", .signature = "(n : Nat) : n = 1"});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->context.theorem.name, "t_h_is_false");
  EXPECT_THAT(problem->context.theorem.head, HasSubstr("¬"));
}

}  // namespace
}  // namespace zermelo::strategy
