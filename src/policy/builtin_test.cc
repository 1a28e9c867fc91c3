#include "policy/builtin.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "policy/testing/propose.h"

namespace zermelo::policy {
namespace {

using testing::AllFrom;
using testing::From;
using testing::Has;
using ::testing::HasSubstr;
using testing::Learned;
using ::testing::Not;
using testing::Propose;

TEST(Builtin, LearnedTacticsAreProposedWithTheHypothesesOfTheGoal) {
  StepContext context;
  const auto goal = "a : Nat\nh : a ∣ 3\n⊢ a = 1";
  context.learned = {Learned(goal, "exact far h", 0.2), Learned(goal, "exact near h", 0.9),
                     Learned("s : String\n⊢ s = s", "exact other s", 1)};
  const auto candidates = Propose("n : Nat\nhn : n ∣ 7\n⊢ n = 1", context);
  EXPECT_EQ(From(candidates, "learned"), "exact near hn");
  EXPECT_TRUE(Has(candidates, "exact far hn"));
  EXPECT_FALSE(Has(candidates, "exact other s")) << "nothing is a string here";
}

TEST(Builtin, LearnedTacticsNameInaccessibleHypotheses) {
  StepContext context;
  context.learned = {Learned("a : Nat\nh : a ∣ 3\n⊢ a = 1", "exact near h", 0.9)};
  EXPECT_EQ(From(Propose("n✝ : Nat\nh✝ : n✝ ∣ 7\n⊢ n✝ = 1", context), "learned"),
            "rename_i n h\nexact near h");
}

TEST(Builtin, DiagonalsNeedASquareFunction) {
  EXPECT_THAT(AllFrom("α : Type\nf : α → α → Prop\n⊢ ∃ p, ∀ (a : α), f a ≠ p", "classical"),
              HasSubstr("refine ⟨fun x => ¬ f x x, ?_⟩"));
  EXPECT_THAT(AllFrom("f : Nat → Nat → Nat\n⊢ ¬∀ (g : Nat → Nat), ∃ a, f a = g", "classical"),
              HasSubstr("intro hneg\nobtain ⟨a, ha⟩ := hneg (fun x => f x x + 1)"));
  EXPECT_THAT(AllFrom("α β : Type\nf : α → β → Prop\n⊢ ∃ p, ∀ (a : α), f a ≠ p", "classical"),
              Not(HasSubstr("f x x")));
  EXPECT_THAT(AllFrom("α β : Type\nf : α → α → β\nt : β → β\n"
                      "h : ∀ (g : α → β), ∃ a, f a = g\n⊢ ∃ b, t b = b",
                      "classical"),
              HasSubstr("h (fun x => t (f x x))"));
}

TEST(Builtin, LeastElementsOfWhatHoldsSomewhere) {
  const std::string somewhere =
      AllFrom("p : Nat → Prop\nn : Nat\nh : ∃ k, p (k + n)\n⊢ ∃ k, p (k + n) ∧ ∀ m < k, ¬p (m + n)",
              "classical");
  EXPECT_THAT(somewhere, HasSubstr("obtain ⟨n1, hn⟩ := h")) << "n is taken";
  EXPECT_THAT(somewhere, HasSubstr("(fun k : Nat => p (k + n)) m"));
  EXPECT_THAT(AllFrom("p : Nat → Prop\nh : p 7\n⊢ ∃ n, p n ∧ ∀ m < n, ¬p m", "classical"),
              HasSubstr("obtain ⟨n, hn⟩ := (⟨7, h⟩ : ∃ n, p n)"));
}

TEST(Builtin, ABoundedPredicateHasAGreatestPlace) {
  const std::string all = AllFrom(
      "p : Nat → Prop\nb : Nat\nh : ∀ (n : Nat), p n → n ≤ b\nh0 : p 0\n⊢ ∃ m, p m ∧ ∀ (n : Nat), "
      "p n → n ≤ m",
      "classical");
  EXPECT_THAT(all, HasSubstr("| succ b ih => by_cases hlast : p (b + 1) <;> grind"));
}

TEST(Builtin, ColoursOfAFewThingsAreTried) {
  EXPECT_TRUE(Has(Propose("α : Type\nc : α → Bool\na b : α\nh : c a ≠ c b\n⊢ False"),
                  "cases ha : c a <;> cases hb : c b <;> grind"));
}

TEST(Builtin, PigeonsNeedFewerHoles) {
  EXPECT_THAT(AllFrom("f : Fin 3 → Fin 2\n⊢ ∃ i j, i ≠ j ∧ f i = f j", "classical"),
              HasSubstr("have key : f 0 = f 1 ∨ f 0 = f 2 ∨ f 1 = f 2 := by omega"));
  EXPECT_EQ(AllFrom("f : Fin 2 → Fin 2\n⊢ ∃ i j, i ≠ j ∧ f i = f j", "classical"), "");
}

TEST(Builtin, WhatDividesTwoLinearTermsDividesTheirDifference) {
  const auto common = [](const char* state) { return AllFrom(state, "divisors/common"); };
  EXPECT_THAT(common("d n : Nat\nh : d ∣ 2 * n + 1\nk : d ∣ n + 1\n⊢ d = 1"),
              HasSubstr("have hg := Nat.dvd_sub (Nat.dvd_mul_left_of_dvd (k) 2) "
                        "(Nat.dvd_mul_left_of_dvd (h) 1)\n"
                        "rw [show 2 * (n + 1) - 1 * (2 * n + 1) = 1 by omega] at hg\n"));
  EXPECT_EQ(common("d e n : Nat\nh : d ∣ n\nk : e ∣ n + 1\n⊢ d = 1"), "");
  EXPECT_EQ(common("d n : Nat\nh : d ∣ n\nk : d ∣ 2 * n\n⊢ d = 1"), "");
}

TEST(Builtin, FoldsAreKnownFromAnyBeginning) {
  EXPECT_THAT(AllFrom("n : Nat\n⊢ List.foldl (fun s i => s + i) 0 (List.range n) = n ^ 2", "folds"),
              HasSubstr("induction n <;> grind [List.range_succ]\n"));
  EXPECT_THAT(
      AllFrom("xs : List Int\n⊢ List.foldl (fun s x => s + x) 0 xs = xs.sum", "folds"),
      HasSubstr("have fold : ∀ (l : List Int) c, List.foldl (fun s x => s + x) c l = "
                "c + List.foldl (fun s x => s + x) 0 l := by\n  intro l\n  induction l <;> grind\n"
                "induction xs <;> grind []\n"));
  EXPECT_EQ(AllFrom("xs : List Nat\n⊢ List.foldl f 7 xs = 7", "folds"), "");
}

TEST(Builtin, PropertiesOfFunctionsAreUnfolded) {
  EXPECT_TRUE(Has(Propose("f : Nat → Nat\nh : Function.Injective f\n⊢ Function.Injective (f ∘ f)"),
                  "simp only [Function.Injective, Function.comp_apply] at *"));
}

TEST(Builtin, OneOfSeveralEquations) {
  EXPECT_THAT(AllFrom("a b : Int\nh : a ^ 2 = b ^ 2\n⊢ a = b ∨ a = -b", "arith"),
              HasSubstr("have hf : (a - b) * ((a - (-b))) = 0 := by grind"));
  EXPECT_THAT(AllFrom("a b : Nat\nh : a ^ 2 = b ^ 2\n⊢ a = b ∨ a = b + 1", "arith"),
              Not(HasSubstr("(a - b)")))
      << "the difference of natural numbers";
}

TEST(Builtin, LawsOfAHypothesisAreReadInBothDirections) {
  const auto candidates = Propose(
      "α : Type\nf : α → α → α\nassoc : ∀ (a b c : α), f (f a b) c = f a (f b c)\n"
      "idem : ∀ (a : α), f a a = a\na b : α\n⊢ f a (f a b) = f a b");
  EXPECT_EQ(From(candidates, "laws"), "have := fun a b c => (assoc a b c).symm\ngrind");
  EXPECT_EQ(From(Propose("f : Nat → Nat\nh : ∀ (n : Nat), f (n + 1) = f n\n⊢ f 2 = f 0"), "laws"),
            "")
      << "numbers have procedures of their own";
}

TEST(Builtin, StrictlyImplicitVariablesAreIntroduced) {
  EXPECT_TRUE(Has(Propose("f : Nat → Nat\n⊢ ∀ ⦃a b : Nat⦄, f a = f b → a = b"), "intro a b"));
}

TEST(Builtin, PredicatesOfTheLibraryAreTakenApart) {
  const auto accessible = Propose(
      "α : Type\nr : α → α → Prop\na b : α\nh : Acc r a\nhab : r a b\nhba : r b a\n⊢ False");
  EXPECT_TRUE(Has(accessible, "induction h generalizing b <;> grind"));
  EXPECT_TRUE(
      Has(Propose("r : Nat → Nat → Prop\nh : Equivalence r\n⊢ r 1 1"), "cases h <;> grind"));
  const std::string along =
      AllFrom("r : Nat → Nat → Prop\nh : WellFounded r\nn : Nat\n⊢ ¬r n n", "library_predicates");
  EXPECT_THAT(along, HasSubstr("induction n using h.induction <;> grind"));
  EXPECT_EQ(AllFrom("xs : List Nat\nn : Fin 3\nh : 0 < 1\n⊢ 1 = 2", "library_predicates"), "");
  EXPECT_EQ(AllFrom("p : Nat → Prop\nh : p 1\n⊢ 1 = 2", "library_predicates"), "");
}

TEST(Builtin, DefinitionsOfTheLibraryAreUnfolded) {
  const std::string state = "xs ys : List Nat\nα : Type\na : α\n⊢ xs.foo ys = []";
  StepContext context;
  context.definitions = {"List.foo", "List.bar"};
  const auto candidates = Propose(state, context);
  EXPECT_TRUE(Has(candidates, "simp_all [List.foo, List.bar]"));
  EXPECT_TRUE(Has(candidates, "induction xs generalizing ys <;> simp_all [List.foo, List.bar]"));
  EXPECT_TRUE(Has(candidates, "unfold List.foo"));
  EXPECT_FALSE(Has(candidates, "cases a <;> simp_all [List.foo, List.bar]"));
  EXPECT_EQ(From(Propose(state), "library_definitions"), "");
}

TEST(Builtin, TheoremsOfTheSameNameAreAppliedAndWrappedPropertiesTakenOut) {
  StepContext context;
  context.namesakes = {"List.foo", "Array.«foo{»"};
  const std::string state = "t : Tree Nat\nh : t.WF\n⊢ t.foo";
  const std::string tactic = From(Propose(state, context), "namesakes");
  EXPECT_THAT(tactic, HasSubstr("first\n  | (apply List.foo <;> first | assumption"));
  EXPECT_THAT(tactic, HasSubstr("exact t.1 | exact t.2"));
  EXPECT_EQ(From(Propose(state), "namesakes"), "");
}

TEST(Builtin, InstancesOfTwoVariablesBeginWithDifferentTerms) {
  const std::string all = AllFrom(
      "f : Nat → Nat\nh : ∀ (m n : Nat), m < n → f m < f n\nn : Nat\nih : n ≤ f n\n⊢ n + 1 ≤ f (n "
      "+ 1)",
      "instances");
  EXPECT_THAT(all, HasSubstr("have := h (n + 1) n\nhave := h n (n + 1)\n"));
}

TEST(Builtin, LeavesOutTheHeuristicsThatAreNamed) {
  const auto goal = "n : Nat\nh : n ∣ 6\n⊢ n * (n + 1) % 2 = 0";
  StepContext context;
  context.state = syntax::ParseProofState(goal);
  context.learned = {Learned("a : Nat\nh : a ∣ 3\n⊢ a = 1", "exact near h", 0.9)};
  const auto all = MakeBuiltinPolicy()->Propose(context, 200);
  const auto some = MakeBuiltinPolicy("induction, learned")->Propose(context, 200);
  ASSERT_NE(From(all, "induction"), "");
  ASSERT_NE(From(all, "learned"), "");
  EXPECT_EQ(From(some, "induction"), "");
  EXPECT_EQ(From(some, "learned"), "");
  for (const Candidate& each : all) {
    if (each.origin == "induction" || each.origin == "learned") continue;
    EXPECT_TRUE(Has(some, each.tactic)) << each.tactic;
  }
}

TEST(Builtin, AnUnknownHeuristicIsAnErrorThatListsThem) {
  EXPECT_TRUE(CheckHeuristics(""));
  EXPECT_TRUE(CheckHeuristics("divisors/gcd,cases"));
  const auto checked = CheckHeuristics("cases,magic");
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("magic"));
  EXPECT_THAT(checked.error().hint, HasSubstr("divisors/gcd"));
}

TEST(Builtin, CheapestFirstWithoutDuplicatesAndNoMoreThanAsked) {
  StepContext context;
  context.state = syntax::ParseProofState("n : Nat\nh : n % 7 = 3\n⊢ (2 * n + 1) % 7 = 0");
  const auto candidates = MakeBuiltinPolicy()->Propose(context, 10);
  ASSERT_EQ(candidates.size(), 10u);
  EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end(),
                             [](auto& a, auto& b) { return a.cost < b.cost; }));
  std::set<std::string> tactics;
  for (const Candidate& candidate : candidates) tactics.insert(candidate.tactic);
  EXPECT_EQ(tactics.size(), 10u);
}

TEST(Builtin, NoGoalsNoCandidates) { EXPECT_TRUE(Propose("").empty()); }

TEST(Builtin, MathlibTacticsOnlyWithMathlib) {
  const std::string state = "x : Nat\n⊢ x ^ 2 ≥ 0";
  EXPECT_FALSE(Has(Propose(state), "nlinarith"));
  StepContext context;
  context.has_mathlib = true;
  EXPECT_TRUE(Has(Propose(state, context), "nlinarith"));
}

TEST(Builtin, NamesInaccessibleHypothesesBeforeUsingThem) {
  const auto candidates = Propose("n✝ : Nat\na✝ : n✝ ∣ 6\n⊢ n✝ ≤ 6");
  for (const Candidate& candidate : candidates) {
    EXPECT_TRUE(candidate.tactic.starts_with("rename_i n a\n")) << candidate.tactic;
    EXPECT_EQ(candidate.tactic.find("✝"), std::string::npos) << candidate.tactic;
  }
}

TEST(Builtin, BashProvesBoundsThenDecides) {
  const std::string tactic =
      From(Propose("b : Nat\nh₀ : 0 < b\nh₁ : 3 * b ^ 2 + 2 * b + 1 = 57\n⊢ b = 4"), "bash/decide");
  EXPECT_THAT(tactic, HasSubstr("have hb_b : b ≤ 4 := by"));
  EXPECT_THAT(tactic, HasSubstr("revert b"));
  EXPECT_TRUE(tactic.ends_with("decide"));
}

TEST(Builtin, BashSkipsClaimsThatAreFalse) {
  EXPECT_EQ(From(Propose("b : Nat\nh : b < 50\n⊢ b * b ≠ 49"), "bash/decide"), "");
  EXPECT_NE(From(Propose("b : Nat\nh : b < 50\n⊢ b * b ≠ 50"), "bash/decide"), "");
}

TEST(Builtin, BashUsesTheNegatedTargetForBounds) {
  const std::string tactic =
      From(Propose("a b : Int\nh₀ : 0 < a\nh₁ : 0 < b\nh₂ : 11 ∣ a * b + 1\n⊢ 7 ≤ a + b"),
           "bash/decide");
  EXPECT_THAT(tactic, HasSubstr("Decidable.byContradiction fun hneg"));
}

TEST(Builtin, ResiduesOfAPolynomial) {
  const std::string state = "a : Int\n⊢ a ^ 2 % 4 = 0 ∨ a ^ 2 % 4 = 1";
  bool found = false;
  for (const Candidate& candidate : Propose(state)) {
    found |=
        candidate.tactic.find("a % 4 = 0 ∨ a % 4 = 1 ∨ a % 4 = 2 ∨ a % 4 = 3") != std::string::npos;
  }
  EXPECT_TRUE(found);
}

TEST(Builtin, AnEquationWithoutSolutionsModuloSomething) {
  const std::string tactic = From(Propose("x y : Int\n⊢ 4 * x ^ 3 - 7 * y ^ 3 ≠ 2003"), "residues");
  EXPECT_THAT(tactic, HasSubstr("congrArg (· % 7) he"));
}

TEST(Builtin, APowerHasFewResidues) {
  EXPECT_THAT(From(Propose("x y : Int\n⊢ x ^ 5 ≠ y ^ 2 + 4"), "residues/powers"),
              HasSubstr("have hp_x_5 : x ^ 5 % 11 = 0 ∨ x ^ 5 % 11 = 1 ∨ x ^ 5 % 11 = 10 := by"));
  // y ^ 3 does not matter modulo 7
  const std::string tactic =
      From(Propose("x y : Int\n⊢ 4 * x ^ 3 - 7 * y ^ 3 ≠ 2003"), "residues/powers");
  EXPECT_THAT(tactic, HasSubstr("x ^ 3 % 7 = 0 ∨ x ^ 3 % 7 = 1 ∨ x ^ 3 % 7 = 6"));
  EXPECT_THAT(tactic, Not(HasSubstr("hp_y")));
  // no candidate if the monomials, taken independently, allow a solution
  EXPECT_EQ(From(Propose("n : Int\n⊢ 30 ∣ n ^ 5 - n"), "residues/powers"), "");
}

TEST(Builtin, HypothesesLeaveFewerResidues) {
  const std::string tactic =
      From(Propose("a : Int\nb : Nat\nh₀ : a % 2 = 1\nh₁ : 4 ∣ b\n⊢ (a ^ 2 + ↑b ^ 2) % 8 = 1"),
           "residues/powers");
  EXPECT_THAT(tactic, HasSubstr("a % 8 = 1 ∨ a % 8 = 3 ∨ a % 8 = 5 ∨ a % 8 = 7 := by omega"));
  EXPECT_THAT(tactic, HasSubstr("(b : Int) % 8 = 0 ∨ (b : Int) % 8 = 4 := by omega"));
  EXPECT_THAT(tactic, HasSubstr("have hp_a_2 : a ^ 2 % 8 = 1 := by"));
}

TEST(Builtin, AModulusIsSplitIntoPrimePowers) {
  const std::string tactic = From(Propose("n : Int\n⊢ 60 ∣ n ^ 5 - n"), "residues/primes");
  for (const char* part : {"(n ^ 5 - n) % 4 = 0", "(n ^ 5 - n) % 3 = 0", "(n ^ 5 - n) % 5 = 0"}) {
    EXPECT_THAT(tactic, HasSubstr(part));
  }
  EXPECT_EQ(From(Propose("n : Nat\n⊢ 30 ∣ n ^ 5 - n"), "residues/primes"), "");  // Nat's -
}

TEST(Builtin, PowersHaveAPeriod) {
  const std::string tactic = From(Propose("n : Nat\n⊢ ¬7 ∣ 2 ^ n + 1"), "powers");
  EXPECT_THAT(tactic, HasSubstr("∀ q : Nat, (2 : Nat) ^ (3 * q + 0) % 7 = 1"));
}

TEST(Builtin, CofactorFromALinearSystem) {
  const std::string tactic =
      From(Propose("x y z : Int\nh₀ : (x - y) ^ 2 + (y - z) ^ 2 + (z - x) ^ 2 = x * y * z\n"
                   "⊢ x + y + z + 6 ∣ x ^ 3 + y ^ 3 + z ^ 3"),
           "divisors/cofactor");
  EXPECT_THAT(tactic, HasSubstr("x ^ 2"));
  EXPECT_THAT(tactic, HasSubstr("by grind⟩"));
}

TEST(Builtin, EqualRemaindersMakeADivisor) {
  EXPECT_THAT(
      From(Propose("n : Nat\nh : 171 % n = 80 % n\n⊢ n = 7 ∨ n = 13 ∨ n = 91"), "divisors/cases"),
      HasSubstr("n ∣ 91 := Nat.dvd_of_mod_eq_zero (Nat.sub_mod_eq_zero_of_mod_eq h)"));
}

TEST(Builtin, PowerInequalitiesFollowFromTheHypothesisTimesTheBase) {
  const auto proof = [](const char* state) { return AllFrom(state, "power_inequalities"); };
  const std::string bernoulli = proof("x : Int\nn : Nat\nh : -1 ≤ x\n⊢ 1 + ↑n * x ≤ (1 + x) ^ n");
  EXPECT_THAT(bernoulli, HasSubstr("try have hbase0 : (0 : Int) ≤ (1 + x) := by grind\n"
                                   "  try have := Int.mul_le_mul_of_nonneg_right ih hbase0\n"));
  EXPECT_THAT(
      bernoulli,
      HasSubstr("Int.mul_nonneg hnatural (Lean.Grind.OrderedRing.sq_nonneg (a := (x : Int)))"));
  EXPECT_THAT(proof("n : Nat\nh : 9 < n\n⊢ n ^ 3 < 2 ^ n"),
              HasSubstr("replace h : 10 ≤ n := by omega\ninduction h with"));
  EXPECT_THAT(proof("n : Nat\n⊢ ↑n < 2 ^ n"), HasSubstr("Rat.pow_succ")) << "the type is not known";
  EXPECT_EQ(proof("n : Nat\n⊢ n ^ n ≤ 2 ^ n"), "") << "n is in a base";
  EXPECT_EQ(proof("n m : Nat\nh : n ≤ m\n⊢ 2 ^ n ≤ 2 ^ m"), "") << "the hypothesis has a condition";
}

TEST(Builtin, AFactorialIsUnfoldedBesideAPower) {
  const auto candidates = Propose(
      "n : Nat\nh : 4 ≤ n\nf : Nat → Nat\nfs : ∀ (k : Nat), f (k + 1) = (k + 1) * f k\n⊢ 2 ^ n < f "
      "n");
  EXPECT_THAT(From(candidates, "power_inequalities"),
              HasSubstr("try have := Nat.mul_le_mul_right (f n) hbound\n  try have := fs n\n"));
}

TEST(Builtin, AFunctionThatAHypothesisDefinesIsReplaced) {
  const std::string state =
      "n : Nat\np : Nat → Nat\nh₀ : ∀ (x : Nat), p x = x ^ 2 + 1\nh₁ : p n = 10\n⊢ p (n + 1) = 17";
  EXPECT_TRUE(Has(Propose(state), "simp only [h₀] at h₁ ⊢\nclear h₀"));
  const std::string recursive = "p : Nat → Nat\nh₀ : ∀ (x : Nat), p x = p (x - 1) + 1\n⊢ p 3 = p 4";
  EXPECT_FALSE(Has(Propose(recursive), "simp only [h₀] at ⊢\nclear h₀"));
}

TEST(Builtin, ExtensionalityIntroducesAFreshName) {
  EXPECT_TRUE(Has(Propose("f : Nat → Nat\n⊢ (fun n => f n) = f"), "funext x"));
  const auto candidates = Propose("x : Nat\nf : Nat → Nat\n⊢ (fun n => f n) = f");
  EXPECT_TRUE(Has(candidates, "funext x1"));
  EXPECT_FALSE(Has(candidates, "funext x"));
}

TEST(Builtin, AWitnessInsideAWitness) {
  EXPECT_THAT(From(Propose("n : Nat\n⊢ ∃ m, m > n ∧ ∃ p, m * p ≤ m + p"), "witness"),
              HasSubstr("| exact ⟨n + 1, by first | omega | (simp; done) | grind, 0, "));
}

TEST(Builtin, EquationsSayWhatAWitnessMustBe) {
  EXPECT_TRUE(
      Has(Propose("x y : Int\nh : 3 * x + 5 * y = 1\n⊢ ∃ t, x = 2 + 5 * t ∧ y = -1 - 3 * t"),
          "exact ⟨(x - 2) / 5, by first | omega | (simp; done) | grind⟩"));
  EXPECT_TRUE(Has(Propose("p : Nat\nh : p % 2 = 1\n⊢ ∃ k, p ^ 2 = 8 * k + 1"),
                  "suffices hr : p ^ 2 % 8 = 1 % 8 from ⟨(p ^ 2 - 1) / 8, by omega⟩"));
  EXPECT_EQ(From(Propose("x : Int\n⊢ ∃ t u, x = t + u"), "witness/solved"), "");
}

TEST(Builtin, CofactorsOfDivisibilitiesThatFollowFromOthers) {
  EXPECT_EQ(
      From(Propose("a b c : Nat\nh : a ∣ b\nh' : a ∣ c\n⊢ a ∣ 3 * b + 5 * c"), "divisors/cofactor"),
      "obtain ⟨k1, hk1⟩ := h\nobtain ⟨k2, hk2⟩ := h'\nexact ⟨3 * k1 + 5 * k2, by grind⟩");
  EXPECT_EQ(From(Propose("a b c : Nat\nh : a ∣ b\n⊢ a ∣ b + c"), "divisors/cofactor"), "");
}

TEST(Builtin, SquaresAreCompleted) {
  const auto lines = [](const std::string& state) { return From(Propose(state), "arith"); };
  EXPECT_EQ(lines("x : Int\n⊢ x ^ 2 - 4 * x + 4 ≥ 0"),
            "have := Lean.Grind.OrderedRing.sq_nonneg (a := (2 * x - 4 : Int))\ngrind");
  EXPECT_THAT(lines("x y : Int\nh : x ^ 2 + y ^ 2 = 0\n⊢ x = 0"),
              HasSubstr("(show (2 * x : Int) * (2 * x) ≤ 0 by grind)"));
  EXPECT_THAT(lines("x y : Int\n⊢ x ^ 2 ≥ 3 * y ^ 2"), Not(HasSubstr("\ngrind\n")));
}

TEST(Builtin, ResiduesThatOnlyNonlinearHypothesesRestrictAreAllTried) {
  const auto candidates = Propose("n : Int\nh : n ^ 2 % 3 = 0\n⊢ n % 3 = 0");
  EXPECT_TRUE(std::ranges::any_of(candidates, [](const Candidate& candidate) {
    return candidate.tactic.find("n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega") !=
           std::string::npos;
  }));
}

TEST(Builtin, SquaresOfProductsAreCompleted) {
  const std::string cauchy =
      "a b c d : Rat\n⊢ (a * c + b * d) ^ 2 ≤ (a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2)";
  EXPECT_THAT(AllFrom(cauchy, "arith"),
              HasSubstr("sq_nonneg (a := (2 * a * d - 2 * b * c : Rat))\ngrind"));
  const std::string products =
      AllFrom("x y z : Int\n⊢ x * y * z * (x + y + z) ≤ x^2*y^2 + y^2*z^2 + z^2*x^2", "arith");
  EXPECT_THAT(products, HasSubstr("2 * x * y - x * z - y * z"));
  EXPECT_THAT(AllFrom("x : Int\n⊢ 2 * x ^ 2 ≤ x ^ 4 + 1", "arith"),
              HasSubstr("(2 * x ^ 2 - 2 : Int)"));
}

TEST(Builtin, DivisionByAVariableIsExplained) {
  EXPECT_THAT(
      AllFrom("a b : Nat\nh : 0 < b\n⊢ a ≤ b * ((a + b - 1) / b)", "arith"),
      HasSubstr("try have := Nat.div_add_mod (a + b - 1) b\ntry have := Nat.mod_lt (a + b - 1) "));
  EXPECT_THAT(AllFrom("a : Int\n⊢ a / 2 * 2 ≤ a", "arith"), Not(HasSubstr("mul_ediv_add_emod")));
}

TEST(Builtin, RootsOfAPolynomial) {
  EXPECT_EQ(From(Propose("x : Int\nh : x ^ 2 - x - 6 = 0\nhx : 0 < x\n⊢ x = 3"), "arith"),
            "have hf : (x + 2) * ((x - 3) * (1)) = 0 := by grind\n"
            "rcases Int.mul_eq_zero.mp hf with hr | hf\n· first | omega | grind\n"
            "rcases Int.mul_eq_zero.mp hf with hr | hf\n· first | omega | grind\nomega");
}

TEST(Builtin, SignsOfAProduct) {
  EXPECT_THAT(From(Propose("a b : Int\nh : a * b < 0\n⊢ a ≠ b"), "arith"),
              HasSubstr("rcases Int.lt_trichotomy a 0 with ha | ha | ha <;>"));
}

TEST(Builtin, EqualPowersOfNumbersThatAreNotLess) {
  EXPECT_THAT(From(Propose("x y : Nat\nh : x ^ 3 = y ^ 3\n⊢ x = y"), "arith"),
              HasSubstr("have := Nat.pow_lt_pow_left hlt (show 3 ≠ 0 by decide)"));
}

TEST(Builtin, WhatAHypothesisSaysExists) {
  EXPECT_TRUE(Has(Propose("α : Type\nR : α → α → Prop\nh : ∀ (x : α), ∃ y, R x y\nx : α\n⊢ R x x"),
                  "obtain ⟨y, hy⟩ := h x\nfirst | grind | simp_all"));
}

TEST(Builtin, SquaresOfMonomialsAreHints) {
  EXPECT_THAT(AllFrom("x y : Rat\n⊢ 1 ≤ (x * y - 1) ^ 2 + (x + y) ^ 2", "arith"),
              HasSubstr("sq_nonneg (a := (x * y : Rat))"));
}

TEST(Builtin, GcdOfLinearTermsByElimination) {
  const std::string tactic =
      From(Propose("n : Nat\n⊢ (21 * n + 4).gcd (14 * n + 3) = 1"), "divisors/gcd");
  EXPECT_THAT(tactic, HasSubstr("= 1 by omega"));
}

TEST(Builtin, ARecurrenceIsUnrolledUpToTheNumberThatIsAskedFor) {
  const auto unrolled = [](const std::string& number) {
    for (const Candidate& candidate : Propose(
             "a : Nat → Rat\nh : ∀ (n : Nat), a (n + 1) - a n = a 1 - a 0\nh1 : a 3 = 10\n⊢ a " +
             number + " = 19")) {
      if (candidate.tactic.starts_with("have step0 := h 0\nhave step1")) return candidate.tactic;
    }
    return std::string();
  };
  EXPECT_THAT(unrolled("6"), HasSubstr("have step5 := h 5\nclear h\n"));
  EXPECT_EQ(unrolled("2"), "") << "these are instances like others";
  EXPECT_EQ(unrolled("2019"), "");
}

TEST(Builtin, FarValuesOfAPeriodicSequence) {
  const std::string tactic = From(Propose("x : Nat → Int\nh₀ : x 0 = 1\nh₁ : x 1 = 3\nh₂ : ∀ (n : "
                                          "Nat), x (n + 2) = x (n + 1) - x n\n"
                                          "⊢ x 1000 = -3"),
                                  "sequences");
  EXPECT_THAT(tactic, HasSubstr("x (6 * k + 0) = 1"));
  EXPECT_THAT(tactic, HasSubstr("hpart_4 (166)"));
}

TEST(Builtin, WitnessesAreFoundWithoutLean) {
  EXPECT_THAT(From(Propose("⊢ ∃ x y, x * x + y * y = 65 ∧ x < y"), "witness"),
              HasSubstr("⟨4, 7, by decide⟩"));
}

TEST(Builtin, WithEffortItProposesMore) {
  const std::string state = "p q : Prop\nxs ys : List Nat\nh : p ∨ q\n⊢ xs.length = ys.length";
  StepContext context;
  EXPECT_FALSE(Has(Propose(state, context), "by_cases hc : xs = ys"));
  context.effort = 1;
  EXPECT_TRUE(Has(Propose(state, context), "by_cases hc : xs = ys"));
  EXPECT_GT(MakeBuiltinPolicy()->most_effort(), 0U);
}

TEST(Builtin, PremisesAreAppliedRewrittenWithAndGivenToAutomation) {
  const std::string state = "a b : Nat\n⊢ f (a + b) = f (b + a)";
  EXPECT_EQ(From(Propose(state), "premises"), "");
  StepContext context;
  context.premises = {"Nat.add_comm", "Nat.add_assoc"};
  const auto candidates = Propose(state, context);
  EXPECT_THAT(From(candidates, "premises"), HasSubstr("apply Nat.add_comm <;>"));
  EXPECT_TRUE(std::ranges::any_of(candidates, [](const Candidate& candidate) {
    return candidate.tactic.find("| (rw [Nat.add_comm] <;> ") != std::string::npos;
  }));
  EXPECT_TRUE(Has(candidates, "apply Nat.add_assoc"));
  EXPECT_TRUE(Has(candidates, "first\n  | grind [Nat.add_comm]\n  | grind [Nat.add_assoc]"));
}

TEST(Builtin, MatchingRulesAreStepsTheMoreSpecificTheCheaper) {
  StepContext context;
  context.rules.resize(2);
  context.rules[0].name = "Int.mul_emod";
  context.rules[0].signature = "(a b n : Int) : a * b % n = a % n * (b % n) % n";
  context.rules[1].name = "Int.sub_iff";
  context.rules[1].signature = "{m n k : Int} : m % n = k % n ↔ (m - k) % n = 0";
  const auto candidates =
      Propose("m x : Int\nh₂ : 6 * x % m = 1\nh₃ : (x - 6 ^ 2) % m = 0\n⊢ m = 43", context);
  EXPECT_EQ(From(candidates, "premises"), "rw [← Int.sub_iff] at h₃");
  EXPECT_TRUE(Has(candidates, "rw [Int.mul_emod] at h₂"));
}

TEST(Builtin, EquationsAndCongruencesOfHypothesesRewriteOthers) {
  EXPECT_TRUE(Has(Propose("f : Nat → Nat\nn : Nat\nh : ∀ (x : Nat), f (x + 1) = 2 * f x\n"
                          "k : f (n + 1) = 6\n⊢ f n = 3"),
                  "rw [h] at k"));
  const std::string step =
      "simp [Int.pow_succ, Int.mul_emod, Int.add_emod, Int.sub_emod, h₃] at h₂";
  EXPECT_TRUE(Has(Propose("m x : Int\nh₂ : 6 * x % m = 1\nh₃ : x % m = 36 % m\n⊢ m = 43"), step));
  EXPECT_FALSE(
      Has(Propose("m k x : Int\nh₂ : 6 * x % k = 1\nh₃ : x % m = 36 % m\n⊢ m = 43"), step));
}

TEST(Builtin, FunctionsAreChosenByWhatExistsForEachArgument) {
  EXPECT_TRUE(
      Has(Propose("f : A → B\nh : ∀ (b : B), ∃ a, f a = b\n⊢ ∃ g, ∀ (b : B), f (g b) = b"),
          "first | exact Classical.axiomOfChoice h | simpa only [Classical.skolem] using h"));
  EXPECT_TRUE(Has(Propose("f : A → B\nh : ∀ (b : B), ∃ a, f a = b\n"
                          "⊢ ∃ (g : B → A), (∀ (b : B), f (g b) = b) ∧ ∀ b, f (g b) = f (g b)"),
                  "obtain ⟨g, hg⟩ := Classical.axiomOfChoice h"));
}

TEST(Builtin, TheDiagonalDoesNotCaptureTheFunction) {
  const auto candidates = Propose("α : Type\nx : α → α → Prop\n⊢ ∃ x_1, ∀ (x_2 : α), ¬x x_2 = x_1");
  EXPECT_TRUE(std::ranges::any_of(candidates, [](const Candidate& candidate) {
    return candidate.tactic.starts_with("refine ⟨fun x1 => ¬ x x1 x1, ?_⟩");
  }));
}

TEST(Builtin, HomogeneousEquationsAreDescendedOn) {
  const auto descends = [](const char* state) {
    return std::ranges::count(Propose(state), "descent", &Candidate::origin);
  };
  EXPECT_EQ(descends("a b : Nat\nh : a * a = 2 * (b * b)\n⊢ b = 0"), 1);
  EXPECT_EQ(descends("x y z : Int\nh : x ^ 2 + y ^ 2 = 3 * z ^ 2\n⊢ x = 0"), 1);
  EXPECT_EQ(descends("q : Rat\nh : q ^ 2 = 2\n⊢ False"), 1);
  EXPECT_EQ(descends("x y z : Int\nh : x ^ 2 + y ^ 2 = z ^ 2\n⊢ x = 0"), 0);  // 3, 4, 5
  EXPECT_EQ(descends("a b : Nat\nh : a * a = 2 * (b * b) + 1\n⊢ b = 0"), 0);
  EXPECT_EQ(descends("q : Rat\nh : q ^ 2 = 4\n⊢ False"), 0);
  EXPECT_EQ(descends("n : Nat\nh : (n : Rat) ^ 2 = 2\n⊢ False"), 0);
  EXPECT_EQ(descends("x : Nat\nh : (((x ^ 12) ^ 12) ^ 12) ^ 12 = 0\n⊢ x = 0"), 0);
  const auto candidates = Propose("m n : Nat\nh : m ^ 2 = 2 * n ^ 2\n⊢ n = 0");
  const auto found = std::ranges::find(candidates, "descent", &Candidate::origin);
  ASSERT_NE(found, candidates.end());  // its own names do not capture those of the goal
  EXPECT_NE(found->tactic.find("∀ (n : Nat) (u v : Nat), u + v ≤ n → u ^ 2 = 2 * v ^ 2"),
            std::string::npos);
  EXPECT_NE(found->tactic.find("key _ m n (Nat.le_refl _)"), std::string::npos);
}

TEST(Builtin, StrangeTextIsHarmless) {
  std::string huge = "⊢ x";
  for (int i = 0; i < 20000; ++i) huge += " + x";
  std::string nested = "h : ";
  for (int i = 0; i < 3000; ++i) nested += "(";
  for (const std::string& state :
       {std::string("⊢ "), std::string("⊢ ∀"), std::string("h : ∃ x,\n⊢ ?m.1"),
        std::string("n : Nat\n⊢ 2 ^ 2 ^ 2 ^ 2 ^ 2 ^ n % 0 = 1"),
        std::string("x : Int\nh : x * x ≤ 99999999999999999999999\n⊢ x / 0 = 0"),
        std::string("\xff : \xfe\n⊢ \x80"), huge, nested + "\n⊢ True"}) {
    for (const Candidate& candidate : Propose(state)) EXPECT_FALSE(candidate.tactic.empty());
  }
}

}  // namespace
}  // namespace zermelo::policy
