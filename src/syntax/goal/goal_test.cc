#include "syntax/goal/goal.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace zermelo::syntax {
namespace {

TEST(Goal, HasHypothesesAndTarget) {
  const ProofState state = ParseProofState("x y : Int\nh₀ : 0 < y\n⊢ x = 26");
  ASSERT_EQ(state.goals.size(), 1u);
  const Goal& goal = state.goals[0];
  ASSERT_EQ(goal.hypotheses.size(), 2u);
  EXPECT_EQ(goal.hypotheses[0].names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(goal.hypotheses[0].type, "Int");
  EXPECT_EQ(goal.hypotheses[1].type, "0 < y");
  EXPECT_EQ(goal.target, "x = 26");
  EXPECT_EQ(goal.tag, "");
}

TEST(Goal, BlankLinesSeparateGoalsAndCaseNamesThem) {
  const ProofState state =
      ParseProofState("case zero\nh : 0 < 1\n⊢ 0 = 25\n\ncase succ\nn✝ : Nat\n⊢ n✝ + 1 = 25\n");
  ASSERT_EQ(state.goals.size(), 2u);
  EXPECT_EQ(state.goals[0].tag, "zero");
  EXPECT_EQ(state.goals[1].tag, "succ");
  EXPECT_EQ(state.goals[1].hypotheses[0].names[0], "n✝");
}

TEST(Goal, IndentedLinesContinueATypeOrTheTarget) {
  const ProofState state = ParseProofState(
      "key :\n  ∀ (k : Nat),\n    t k = 20 ∧\n      t (k + 1) = 21\n⊢ a +\n    b = c");
  ASSERT_EQ(state.goals.size(), 1u);
  EXPECT_EQ(state.goals[0].target, "a + b = c");
  // A hypothesis whose type starts on the next line.
  ASSERT_EQ(state.goals[0].hypotheses.size(), 1u);
  EXPECT_EQ(state.goals[0].hypotheses[0].type, "∀ (k : Nat), t k = 20 ∧ t (k + 1) = 21");
}

TEST(Goal, LetVariablesHaveValues) {
  const ProofState state = ParseProofState("x : Nat := 3\n⊢ x = 3");
  ASSERT_EQ(state.goals.size(), 1u);
  EXPECT_EQ(state.goals[0].hypotheses[0].type, "Nat");
  EXPECT_EQ(state.goals[0].hypotheses[0].value, "3");
}

TEST(Goal, AColonInsideBracketsBelongsToTheType) {
  const ProofState state = ParseProofState("h : ∀ (n : Nat), n = n\n⊢ True");
  EXPECT_EQ(state.goals[0].hypotheses[0].names[0], "h");
  EXPECT_EQ(state.goals[0].hypotheses[0].type, "∀ (n : Nat), n = n");
}

TEST(Goal, InaccessibleNamesHaveADagger) {
  EXPECT_TRUE(IsInaccessible("n✝¹"));
  EXPECT_FALSE(IsInaccessible("n'"));
}

TEST(Goal, ALetInsideATypeIsNoValue) {
  const ProofState state = ParseProofState(
      "h :\n  let y := 5;\n  y = x\nz : Nat := let y := 2; y\nw : have k := 1; k = 1 := rfl\n"
      "s : f (a := 1) = { b := 2 }\n⊢ True");
  const auto& hypotheses = state.goals.at(0).hypotheses;
  ASSERT_EQ(hypotheses.size(), 4u);
  EXPECT_EQ(hypotheses[0].type, "let y := 5; y = x");
  EXPECT_EQ(hypotheses[0].value, "");
  EXPECT_EQ(hypotheses[1].type, "Nat");
  EXPECT_EQ(hypotheses[1].value, "let y := 2; y");
  EXPECT_EQ(hypotheses[2].type, "have k := 1; k = 1");
  EXPECT_EQ(hypotheses[2].value, "rfl");
  EXPECT_EQ(hypotheses[3].value, "");
}

TEST(Goal, AValueMayBeginOnTheNextLine) {
  const ProofState state = ParseProofState("f : Nat → Nat :=\n  fun n ↦\n    n + 1\n⊢ f 1 = 2");
  EXPECT_EQ(state.goals.at(0).hypotheses.at(0).type, "Nat → Nat");
  EXPECT_EQ(state.goals[0].hypotheses[0].value, "fun n ↦ n + 1");
}

TEST(Goal, SymbolsInStringsAndCharactersMeanNothing) {
  const ProofState state =
      ParseProofState("h : s = \"(⊢ := \\\" : \"\nc : Char := '('\nd : Nat := 1\n⊢ s ≠ \"⊢\"");
  const auto& hypotheses = state.goals.at(0).hypotheses;
  ASSERT_EQ(hypotheses.size(), 3u);
  EXPECT_EQ(hypotheses[0].type, "s = \"(⊢ := \\\" : \"");
  EXPECT_EQ(hypotheses[0].value, "");
  EXPECT_EQ(hypotheses[1].value, "'('");
  EXPECT_EQ(hypotheses[2].value, "1");
  EXPECT_EQ(state.goals[0].target, "s ≠ \"⊢\"");
}

TEST(Goal, ATurnstileInsideATextIsNoTarget) {
  const ProofState state = ParseProofState("h : Γ ⊢ φ\nk :\n  Γ\n    ⊢ ψ\n⊢ Γ ⊢ φ ∧ ψ");
  ASSERT_EQ(state.goals.size(), 1u);
  EXPECT_EQ(state.goals[0].hypotheses.at(0).type, "Γ ⊢ φ");
  EXPECT_EQ(state.goals[0].hypotheses.at(1).type, "Γ ⊢ ψ");
  EXPECT_EQ(state.goals[0].target, "Γ ⊢ φ ∧ ψ");
}

TEST(Goal, ConvGoalsHaveABar) {
  const ProofState state = ParseProofState("a b : Nat\n| a + b\n\ncase x\n| b");
  ASSERT_EQ(state.goals.size(), 2u);
  EXPECT_TRUE(state.goals[0].conv);
  EXPECT_EQ(state.goals[0].target, "a + b");
  EXPECT_EQ(state.goals[1].tag, "x");
  EXPECT_FALSE(ParseProofState("⊢ |a| = a").goals.at(0).conv);
}

TEST(Goal, QuotedNamesMayHaveBlanksAndColons) {
  const ProofState state = ParseProofState("x «a b» «c : d».e y✝¹ : Nat\n⊢ True");
  EXPECT_EQ(state.goals.at(0).hypotheses.at(0).names,
            (std::vector<std::string>{"x", "«a b»", "«c : d».e", "y✝¹"}));
}

/// States with every kind of name, type and value, the same for the same seed.
class RandomStates {
 public:
  explicit RandomStates(unsigned seed) : random_(seed) {}

  ProofState State() {
    ProofState state;
    for (size_t i = Below(4); i > 0; --i) state.goals.push_back(NewGoal());
    return state;
  }

  /// The text with some blanks outside of names, strings and characters turned into line breaks.
  std::string Wrapped(const std::string& text) {
    std::string wrapped;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool may = i >= 2 && text[i] == ' ' && (text[i - 1] == ',' || text[i - 1] == ';');
      wrapped +=
          may && Below(2) == 0 ? "\n" + std::string(2 * (1 + Below(3)), ' ') : text.substr(i, 1);
    }
    return wrapped;
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  template <size_t kSize>
  std::string OneOf(const char* const (&texts)[kSize]) {
    return texts[Below(kSize)];
  }

  std::string Name() {
    return OneOf({"a", "h₁", "n✝", "x✝¹", "inst✝", "«a : b»", "this", "f'", "α"});
  }
  std::string Type() {
    return OneOf({"Nat", "∀ (n : ℕ), n = n", "let y := 5; y = 5", "s = \"⊢ :=\"", "Γ ⊢ φ",
                  "c = '('", "f (x := 1)", "{x // x ∈ S}", "a ∣ b ∨ |a| = b", "have h := p; q, r"});
  }

  Hypothesis NewHypothesis() {
    Hypothesis hypothesis;
    for (size_t i = 1 + Below(3); i > 0; --i) hypothesis.names.push_back(Name());
    hypothesis.type = Type();
    if (Below(3) == 0) hypothesis.value = Type();
    return hypothesis;
  }

  Goal NewGoal() {
    Goal goal;
    if (Below(2) == 0) goal.tag = OneOf({"inl", "h.succ", "_", "«a b»", "inr.x✝"});
    for (size_t i = Below(4); i > 0; --i) goal.hypotheses.push_back(NewHypothesis());
    goal.target = Type();
    goal.conv = Below(4) == 0;
    return goal;
  }

  std::mt19937 random_;
};

TEST(Goal, WhatIsPrintedIsParsedToTheSame) {
  RandomStates states(7);
  for (int i = 0; i < 2000; ++i) {
    const ProofState state = states.State();
    const std::string text = Printed(state);
    EXPECT_EQ(ParseProofState(text), state) << text;
    const std::string wrapped = states.Wrapped(text);
    EXPECT_EQ(ParseProofState(wrapped), state) << wrapped;
  }
}

TEST(RenameInaccessible, GivesTheNameItsBaseAndItsIndex) {
  const auto renamed = [](std::string_view printed) {
    return RenameInaccessible(printed, [](const InaccessibleName& name) {
      EXPECT_TRUE(name.text.starts_with(name.base));
      return std::string(name.base) + "#" + std::to_string(name.index);
    });
  };
  EXPECT_EQ(renamed("n✝ : Nat\n⊢ f  n✝¹⁰.g = Foo.x✝"), "n#0 : Nat\n⊢ f  n#10.g = Foo.x#0");
  EXPECT_EQ(renamed("✝ x✝.y✝²"), "#0 x#0.y#2");
  EXPECT_EQ(renamed("x⁻¹ = n"), "x⁻¹ = n");
}

TEST(WithoutInaccessibleNames, NumbersThemInOrder) {
  EXPECT_EQ(WithoutInaccessibleNames("n✝ : Nat\nh : n✝ = 0\n⊢ n✝ = m✝¹"),
            "✝1 : Nat\nh : ✝1 = 0\n⊢ ✝1 = ✝2");
  EXPECT_EQ(WithoutInaccessibleNames("a✝ : p\n⊢ p"), WithoutInaccessibleNames("h✝ : p\n⊢ p"));
  EXPECT_EQ(WithoutInaccessibleNames("h✝ : p\n⊢ p\n\nx✝ : q\n⊢ q"), "✝1 : p\n⊢ p\n\n✝1 : q\n⊢ q");
  EXPECT_EQ(WithoutInaccessibleNames("n : Nat\n⊢ (h₁✝ : p)"), "n : Nat\n⊢ (✝1 : p)");
  EXPECT_EQ(WithoutInaccessibleNames("n✝ : Nat\n⊢ ⟨↑n✝, -n✝⟩ = n✝.a"),
            "✝1 : Nat\n⊢ ⟨↑✝1, -✝1⟩ = ✝1.a");
}

TEST(WithoutHypothesisNames, TellsGoalsApartUpToTheirNames) {
  const auto plain = [](const char* goal) { return WithoutHypothesisNames(goal); };
  EXPECT_EQ(plain("x y : Nat\nh : x < y\n⊢ x ≤ y"), plain("a b : Nat\nlt : a < b\n⊢ a ≤ b"));
  EXPECT_NE(plain("x y : Nat\nh : x < y\n⊢ x ≤ y"), plain("x y : Nat\nh : x < y\n⊢ y ≤ x"));
  EXPECT_EQ(plain("h : p ∧ q\n⊢ h.left = h.left"), plain("k : p ∧ q\n⊢ k.left = k.left"));
  EXPECT_NE(plain("h : p\n⊢ q h"), plain("h✝ : p\n⊢ q h✝")) << "no tactic can refer to that one";
  EXPECT_EQ(plain("h✝ : p\n⊢ q"), plain("k✝ : p\n⊢ q"));
  EXPECT_EQ(plain("n : Nat\n⊢ n +\n    1 = 1"), plain("m : Nat\n⊢ m + 1 = 1"));
  EXPECT_NE(plain("n : Nat\n⊢ Nat.succ n = m"), plain("Nat.succ : Nat\n⊢ n Nat.succ = m"));
  EXPECT_NE(plain("re : p\n⊢ q → (a * b).re = 0"), plain("im : p\n⊢ q → (a * b).im = 0"));
  EXPECT_NE(plain("⊢ \" \".length = 2"), plain("⊢ \"  \".length = 2"));
  EXPECT_EQ(plain("«a b» : Nat\n⊢ «a b» = 0"), plain("c : Nat\n⊢ c = 0"));
}

TEST(Goal, AnyTextIsAccepted) {
  for (const char* text : {"", "\n\n\n", "⊢", "no goals", ": :", "   ", "case", "((((", "h :\n⊢ x",
                           "\xff\xfe : \x80\n⊢ \xc3"}) {
    EXPECT_LE(ParseProofState(text).goals.size(), 1u) << text;
    static_cast<void>(WithoutHypothesisNames(text));
  }
}

}  // namespace
}  // namespace zermelo::syntax
