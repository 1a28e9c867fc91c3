// What the built-in policy makes of the declarations of the user's file.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/builtin.h"
#include "policy/testing/propose.h"

namespace zermelo::policy {
namespace {

using testing::Below;
using testing::From;
using testing::Has;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Propose;

TEST(Builtin, MaxIsMonotoneInAnExponent) {
  StepContext context = Below(
      "inductive Tree where\n  | leaf\n  | node (l r : Tree)\n"
      "def Tree.size : Tree → Nat\n  | leaf => 0\n  | node l r => l.size + 1 + r.size\n"
      "def Tree.height : Tree → Nat\n  | leaf => 0\n  | node l r => 1 + max l.height r.height\n");
  const auto has = [&](const std::string& target) {
    return std::ranges::any_of(Propose("t : Tree\n⊢ " + target, context), [](const Candidate& one) {
      return one.tactic.find("Nat.le_max_left") != std::string::npos;
    });
  };
  EXPECT_TRUE(has("t.size < 2 ^ t.height"));
  EXPECT_FALSE(has("t.size < t.height ^ 2"));
}

TEST(Builtin, AMachineIsFollowedThroughItsInstructions) {
  StepContext context = Below(
      "inductive Op where\n  | add\n  | push (n : Int)\n"
      "def exec : List Op → List Int → List Int\n  | [], s => s\n"
      "  | .push n :: p, s => exec p (n :: s)\n  | .add :: p, a :: b :: s => exec p ((a + b) :: "
      "s)\n"
      "  | .add :: p, s => exec p s\n");
  const auto candidates =
      Propose("p q : List Op\ns : List Int\n⊢ exec (p ++ q) s = exec q (exec p s)", context);
  const auto has = [&](const std::string& text) {
    return std::ranges::any_of(candidates, [&](const Candidate& one) {
      return one.tactic.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(
      has("induction p generalizing s with\n| nil => simp [exec]\n| cons i p ih => cases i"));
  EXPECT_TRUE(has("rcases s with _ | ⟨a, _ | ⟨b, s⟩⟩ <;> first"));
  EXPECT_FALSE(has("rcases p with _ | ⟨a, _ |"));
}

TEST(Builtin, LawsOfAClassAreInstantiatedAtTheTermsOfTheGoal) {
  StepContext context = Below(
      "class Grp (G : Type) where\n  mul : G → G → G\n  one : G\n  inv : G → G\n"
      "  assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)\n  one_mul : ∀ a, mul one a = a\n"
      "  inv_mul : ∀ a, mul (inv a) a = one\n"
      "theorem cancel {G : Type} [Grp G] (a b c : G) (h : mul a b = mul a c) : b = c := sorry\n");
  const auto candidates = Propose("G : Type\ni : Grp G\na : G\n⊢ mul a (inv a) = one", context);
  const std::string grind = "grind [_=_ Grp.assoc, Grp.one_mul, Grp.inv_mul]";
  EXPECT_EQ(From(candidates, "laws"), grind) << "a theorem with a condition is no law";
  EXPECT_TRUE(Has(candidates,
                  "try have := Grp.one_mul a\ntry have := Grp.inv_mul a\n"
                  "try have := Grp.one_mul (inv a)\ntry have := Grp.inv_mul (inv a)\n"
                  "try have := Grp.one_mul (one : G)\ntry have := Grp.inv_mul (one : G)\n"
                  "try have := Grp.one_mul (mul a (inv a))\n"
                  "try have := Grp.inv_mul (mul a (inv a))\n" +
                      grind));
}

TEST(Builtin, FewInstancesOfLawsComeBeforeMany) {
  StepContext context = Below(
      "class Mon (M : Type) where\n  mul : M → M → M\n  one : M\n"
      "  assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)\n  one_mul : ∀ a, mul one a = a\n");
  const auto candidates =
      Propose("M : Type\ni : Mon M\na : M\nm n : Nat\n⊢ mul (f (m + n)) a = mul a a", context);
  std::string with_terms;
  for (const Candidate& each : candidates) {
    if (each.origin == "laws" && each.tactic.starts_with("try have")) with_terms += each.tactic;
  }
  const size_t few = with_terms.find("grind (instances := 200) [_=_ Mon.assoc, Mon.one_mul]");
  EXPECT_LT(few, with_terms.find("grind [_=_ Mon.assoc, Mon.one_mul]"));
  EXPECT_THAT(with_terms, HasSubstr("Mon.one_mul a\n"));
  EXPECT_THAT(with_terms, Not(HasSubstr("(m + n)\n"))) << "no element of M";
}

TEST(Builtin, SimpIsNotGivenWhatWouldRewriteEverything) {
  StepContext context = Below(
      "def op (a b : Nat) : Nat := a + b\n"
      "theorem cancel (a b c : Nat) (h : op a b = op a c) : b = c := sorry\n"
      "theorem op_comm (a b : Nat) : op a b = op b a := sorry\n");
  const auto candidates = Propose("x y : Nat\n⊢ op x y = op y x", context);
  EXPECT_TRUE(Has(candidates, "simp_all [op, op_comm]"));
  EXPECT_TRUE(Has(candidates, "grind [op, op_comm, cancel]"));
  EXPECT_TRUE(Has(candidates, "apply cancel"));
}

TEST(Builtin, AClassWithoutInstancesHasNothingToDoWithTheGoal) {
  StepContext context = Below(
      "class Unit (α : Type) where\n  one : α\n"
      "theorem Unit.eq_one {α : Type} [Unit α] (f : α → α) : f one = one := sorry\n"
      "structure Pair where\n  a : Nat\n  b : Nat\n"
      "def Pair.one : Pair := ⟨1, 1⟩\ndef Pair.swap (p : Pair) : Pair := ⟨p.b, p.a⟩\n");
  for (const Candidate& each : Propose("⊢ Pair.one.swap = Pair.one", context))
    EXPECT_THAT(each.tactic, Not(HasSubstr("Unit.eq_one")));
  EXPECT_TRUE(
      Has(Propose("α : Type\ni : Unit α\nf : α → α\n⊢ f one = one", context), "apply Unit.eq_one"));
}

TEST(Builtin, WithTheoremsAboutThemOnlyRecursiveFunctionsAreUnfolded) {
  StepContext context = Below(
      "def op (a b : Nat) : Nat := a + b\n"
      "def pow (a : Nat) : Nat → Nat\n  | 0 => 0\n  | n + 1 => op (pow a n) a\n"
      "theorem op_assoc (a b c : Nat) : op (op a b) c = op a (op b c) := sorry\n");
  const auto candidates = Propose("a m n : Nat\n⊢ pow a (m + n) = op (pow a m) (pow a n)", context);
  EXPECT_TRUE(Has(candidates, "induction n <;> grind [pow, op_assoc]"));
  EXPECT_TRUE(Has(candidates, "induction n <;> grind [pow, op, op_assoc]"));
}

TEST(Builtin, ProductsAreMultiplesInAnInduction) {
  StepContext context = Below("def fact : Nat → Nat\n  | 0 => 1\n  | n + 1 => (n + 1) * fact n\n");
  EXPECT_TRUE(Has(Propose("k n : Nat\nh : k ≤ n\n⊢ k ∣ fact n", context),
                  "induction n <;> grind [fact, Nat.dvd_mul_right, Nat.dvd_mul_left_of_dvd]"));
}

TEST(Builtin, AFunctionThatSimpUnfoldsWithoutEndIsReadByItsOwnInduction) {
  StepContext context = Below("def log (n : Nat) : Nat := if n ≤ 1 then 0 else 1 + log (n / 2)\n");
  const auto candidates = Propose("n : Nat\n⊢ log n ≤ n", context);
  const auto own =
      std::ranges::find(candidates, "fun_induction log n <;> grind", &Candidate::tactic);
  const auto simp = std::ranges::find(candidates, "simp [log]", &Candidate::tactic);
  ASSERT_TRUE(own != candidates.end() && simp != candidates.end());
  EXPECT_LT(own - candidates.begin(), simp - candidates.begin());
}

TEST(Builtin, InductionWithTheUsersFunctions) {
  StepContext context = Below(
      "def app : List α → List α → List α\n"
      "  | [], ys => ys\n  | x :: xs, ys => x :: app xs ys\n");
  const auto candidates =
      Propose("α : Type\nxs ys : List α\n⊢ app (app xs ys) ys = app xs (app ys ys)", context);
  EXPECT_TRUE(Has(candidates, "induction xs <;> simp_all [app]"));
  EXPECT_TRUE(Has(candidates, "induction xs generalizing ys <;> simp_all [app]"));
}

constexpr const char* kLists =
    "def rev : List α → List α\n  | [] => []\n  | x :: xs => rev xs ++ [x]\n"
    "theorem rev_append (xs ys : List α) : rev (xs ++ ys) = rev ys ++ rev xs := sorry\n";

TEST(Builtin, InductionOnWhatOnlyAChainOrAHypothesisMentions) {
  StepContext context = Below(
      "def evens : List Nat → List Nat\n  | [] => []\n  | x :: xs => if x % 2 = 0 then x :: evens "
      "xs else evens xs\n");
  EXPECT_TRUE(Has(Propose("xs : List Nat\n⊢ xs.reverse.evens = xs.evens.reverse", context),
                  "induction xs <;> grind [evens]"));
  const auto candidates = Propose("xs : List Nat\ny : Nat\nh : y ∈ evens xs\n⊢ y % 2 = 0", context);
  EXPECT_TRUE(Has(candidates, "induction xs <;> grind [evens]"));
  EXPECT_TRUE(Has(candidates, "fun_induction evens xs <;> grind [evens]"));
}

TEST(Builtin, TheoremsOfTheFileAreUsedInEveryWay) {
  StepContext context = Below(kLists);
  const auto candidates = Propose("α : Type\nxs : List α\n⊢ rev (rev xs) = xs", context);
  for (const char* tactic :
       {"simp [rev, rev_append]", "grind [rev, rev_append]", "rw [rev_append]", "apply rev_append",
        "first\n  | (apply rev_append <;> (try assumption) <;> first | omega | grind)",
        "induction xs <;> simp [rev, rev_append, *]", "induction xs <;> grind [rev, rev_append]",
        "fun_induction rev xs <;> simp_all [rev, rev_append]"}) {
    EXPECT_TRUE(Has(candidates, tactic)) << tactic;
  }
}

TEST(Builtin, ArithmeticIsNotDisturbedByWhatTheFileHolds) {
  StepContext context = Below(std::string(kLists) +
                              "inductive Ev : Nat → Prop where\n  | zero : Ev 0\n"
                              "theorem amc (x y : Int) (h : x + y = 4) : x = 4 - y := by omega\n"
                              "theorem sq (n : Nat) (h₀ : n % 3 = 1) : n ^ 2 % 3 = 1 := sorry\n");
  for (const char* state :
       {"n : Nat\nh₀ : n % 7 = 3\n⊢ (2 * n + 1) % 7 = 0", "x y : Int\n⊢ x ^ 2 + y ^ 2 ≠ 3",
        "f : Nat → Nat\nh : ∀ (x : Nat), f x = 2 * x\n⊢ f 3 + f 4 = 14",
        "n : Nat\n⊢ Nat.gcd (21 * n + 4) (14 * n + 3) = 1"}) {
    const auto with = Propose(state, context), without = Propose(state);
    ASSERT_EQ(with.size(), without.size()) << state;
    for (size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].tactic, without[i].tactic);
  }
}

TEST(Builtin, RuleInductionWithTheIndicesGeneralized) {
  StepContext context = Below(
      "inductive Ev : Nat → Prop where\n  | zero : Ev 0\n"
      "  | step (n : Nat) : Ev n → Ev (n + 2)\n");
  const auto on_variable = Propose("m n : Nat\nh : Ev n\nk : Ev m\n⊢ Ev (m + n)", context);
  EXPECT_TRUE(Has(on_variable, "induction h generalizing m"));
  EXPECT_TRUE(Has(on_variable, "cases h"));
  EXPECT_TRUE(Has(on_variable, "apply Ev.step <;> try assumption"));
  EXPECT_TRUE(Has(Propose("n : Nat\nh : Ev (n + 2)\n⊢ Ev n", context),
                  "generalize hi0 : (n + 2) = i0 at h\n"
                  "induction h generalizing n <;> (try cases hi0)"));
}

TEST(Builtin, InductionOnTheDataThatAPredicateIsAbout) {
  StepContext context = Below("inductive Ev : Nat → Prop where\n  | zero : Ev 0\n");
  const auto candidates = Propose("m n : Nat\nf : Nat → Nat\n⊢ Ev (f n + n)", context);
  const auto tries_induction_on = [&](const std::string& variable) {
    return std::ranges::any_of(candidates, [&](const Candidate& candidate) {
      return candidate.tactic.starts_with("induction " + variable + " <;> simp_all [Nat.mul_add");
    });
  };
  EXPECT_TRUE(tries_induction_on("n"));
  EXPECT_FALSE(tries_induction_on("m")) << "the goal does not mention it";
  EXPECT_FALSE(tries_induction_on("f")) << "it is a function";
}

constexpr const char* kPrograms =
    "inductive Com where\n  | skip\n  | seq (c d : Com)\n  | loop (c : Com)\n"
    "inductive Run : Com → Nat → Nat → Prop where\n  | skip : Run .skip n n\n"
    "  | seq : Run c m n → Run d n k → Run (.seq c d) m k\n  | stop : Run (.loop c) n n\n"
    "  | go : Run c m n → Run (.loop c) n k → Run (.loop c) m k\n"
    "def Same (c d : Com) : Prop := ∀ m n, Run c m n ↔ Run d m n\n";

TEST(Builtin, RunsOfProgramsAreTakenApart) {
  StepContext context = Below(kPrograms);
  const auto opened = [&](const std::string& state) {
    for (const Candidate& candidate : Propose(state, context)) {
      if (candidate.tactic.starts_with("(try simp only [Same]")) return candidate.tactic;
    }
    return std::string();
  };
  const std::string seq = opened("c d e : Com\n⊢ Same ((c.seq d).seq e) (c.seq (d.seq e))");
  EXPECT_THAT(seq, HasSubstr("cases ‹Run (Com.seq ..) ..›"));
  EXPECT_THAT(seq, Not(HasSubstr("Com.skip ..")));
  EXPECT_THAT(opened("c d : Com\n⊢ Same c.loop d.loop"), Not(HasSubstr("Com.loop ..")))
      << "it would go on for ever";
}

TEST(Builtin, ALoopStaysTheSameInAnInduction) {
  StepContext context = Below(kPrograms);
  EXPECT_TRUE(Has(Propose("c : Com\nm n : Nat\nh : Run c.loop m n\n⊢ m ≤ n", context),
                  "generalize hi0 : (c.loop) = i0 at h\n"
                  "induction h <;> (try cases hi0)"));
}

TEST(Builtin, TheValueOfARecursiveCallBecomesAVariable) {
  StepContext context = Below(
      "def ins (x : Nat) : List Nat → List Nat\n  | [] => [x]\n"
      "  | y :: l => if x ≤ y then x :: y :: l else y :: ins x l\n"
      "def isort : List Nat → List Nat\n  | [] => []\n  | x :: l => ins x (isort l)\n"
      "inductive Sorted : List Nat → Prop where\n  | nil : Sorted []\n");
  const auto generalized = [&](const std::string& state) {
    for (const Candidate& candidate : Propose(state, context)) {
      if (candidate.tactic.find("generalize isort l = r at *") != std::string::npos)
        return candidate.tactic;
    }
    return std::string();
  };
  EXPECT_THAT(generalized("l : List Nat\n⊢ Sorted (isort l)"),
              HasSubstr("| cons y l ih =>\n  simp only [isort]\n"));
  EXPECT_EQ(generalized("l : List Nat\n⊢ isort l = []"), "") << "nothing is said of the value";
  EXPECT_EQ(generalized("l : List Nat\n⊢ Sorted (ins 1 l)"), "") << "isort is not called";
}

TEST(Builtin, InductionWaitsUntilAnAbbreviationIsUnfolded) {
  StepContext context = Below(std::string(kPrograms) +
                              "def len : Com → Nat\n  | .seq c d => len c + len d\n  | _ => 1\n"
                              "def Short (c : Com) (P : Nat → Prop) : Prop := P (len c)\n");
  const auto cost = [&](const std::string& state) {
    for (const Candidate& candidate : Propose(state, context)) {
      if (candidate.tactic.starts_with("induction c <;> simp_all")) return candidate.cost;
    }
    return 0.0;
  };
  const double unfolded = cost("c : Com\n⊢ 0 < len c");
  EXPECT_GT(unfolded, 0);
  EXPECT_GT(cost("c : Com\nh : len c = 1\n⊢ Short c fun n => 0 < n"), unfolded);
}

TEST(Builtin, AutomataRunFromEveryState) {
  StepContext context = Below(
      "structure DFA (α σ : Type) where\n  start : σ\n  step : σ → α → σ\n  final : σ → Bool\n"
      "def DFA.run (A : DFA α σ) : σ → List α → σ\n  | q, [] => q\n"
      "  | q, a :: w => A.run (A.step q a) w\n"
      "def DFA.compl (A : DFA α σ) : DFA α σ := { A with final := fun q => !A.final q }\n"
      "def DFA.prod (A : DFA α σ) (B : DFA α τ) : DFA α (σ × τ) where\n"
      "  start := (A.start, B.start)\n  step p a := (A.step p.1 a, B.step p.2 a)\n"
      "  final p := A.final p.1 && B.final p.2\n");
  const auto first = [&](const std::string& state) {
    return From(Propose(state, context), "starting_points");
  };
  EXPECT_THAT(
      first("A B : DFA α σ\nw : List α\n⊢ A.final (A.run A.start w) = B.final (B.run B.start w)"),
      HasSubstr("generalize A.start = q0 at *\ngeneralize B.start = q1 at *\n"
                "induction w generalizing q0 q1 <;> first"));
  const auto all = [&](const std::string& target) {
    std::string text;
    for (const Candidate& one :
         Propose("A : DFA α σ\nB : DFA α τ\nw : List α\n⊢ " + target, context))
      if (one.origin == "starting_points") text += one.tactic + "\n";
    return text;
  };
  EXPECT_THAT(
      all("A.compl.final (A.compl.run A.compl.start w) = !A.final (A.run A.start w)"),
      HasSubstr("suffices h : ∀ q0, A.compl.final (A.compl.run q0 w) = !A.final (A.run q0 w) "
                "from h _"));
  EXPECT_THAT(all("(A.prod B).final ((A.prod B).run (A.prod B).start w) = "
                  "(A.final (A.run A.start w) && B.final (B.run B.start w))"),
              HasSubstr("∀ q1 q2, (A.prod B).final ((A.prod B).run (q1, q2) w) = "
                        "(A.final (A.run q1 w) && B.final (B.run q2 w)) from h _ _"));
  EXPECT_EQ(first("A : DFA α σ\nq : σ\nw : List α\n⊢ A.run q w = q"), "");
}

TEST(Builtin, FunctionsAreComparedAtAnArgument) {
  StepContext context = Below(
      "def update (s : Nat → Nat) (x v : Nat) : Nat → Nat :=\n"
      "  fun y => if y = x then v else s y\n");
  EXPECT_TRUE(Has(Propose("s : Nat → Nat\nx : Nat\n⊢ update s x (s x) = s", context),
                  "funext x1\nsimp only [update]\nrepeat' split\nall_goals simp_all"));
}

TEST(Builtin, EnumerationsAreSplitAtOnce) {
  StepContext context = Below(
      "inductive Light | red | green\n"
      "def flip : Light → Light\n  | .red => .green\n  | .green => .red\n");
  EXPECT_TRUE(Has(Propose("k l : Light\nh : flip k = flip l\n⊢ k = l", context),
                  "cases k <;> cases l <;> first | rfl | contradiction | (simp_all [flip]; done) | "
                  "grind [flip]"));
  const auto candidates = Propose("l : Light\n⊢ ∃ k, flip k = l", context);
  EXPECT_TRUE(std::ranges::any_of(candidates, [](const Candidate& candidate) {
    return candidate.tactic.find("exact ⟨Light.green, ") != std::string::npos;
  }));
}

TEST(Builtin, FunctionsWithTheNameOfAnExportAreNamedFromTheRoot) {
  StepContext context = Below(
      "inductive T where\n  | leaf\n  | node (l r : T)\n"
      "def insert (x : Nat) : T → T\n  | .leaf => .leaf\n  | t => t\n");
  const auto candidates = Propose("x : Nat\nt : T\n⊢ _root_.insert x t = t", context);
  EXPECT_TRUE(Has(candidates, "simp [_root_.insert]"));
  EXPECT_TRUE(Has(candidates, "fun_induction _root_.insert x t <;> grind [_root_.insert]"));
}

TEST(Builtin, ElementsOfAQuotientAreEqualIfTheyAreRelated) {
  StepContext context =
      Below("def same : Setoid Nat where\n  r a b := a % 3 = b % 3\n  iseqv := sorry\n");
  const auto candidates =
      Propose("a : Nat\n⊢ Quotient.mk same (a + 3) = Quotient.mk same a", context);
  EXPECT_TRUE(Has(candidates, "apply Quotient.sound"));
  EXPECT_TRUE(std::ranges::any_of(candidates, [](const Candidate& candidate) {
    return candidate.tactic.find(
               "(apply Quotient.sound; simp_all [HasEquiv.Equiv, Setoid.r, "
               "same]; done)") != std::string::npos;
  }));
}

TEST(Builtin, ElementsOfQuotientsAreClasses) {
  StepContext context = Below(
      "def same : Setoid Nat where\n  r a b := a % 3 = b % 3\n  iseqv := sorry\n"
      "def Mod3 : Type := Quotient same\n");
  EXPECT_TRUE(Has(Propose("a b : Mod3\n⊢ a = b", context),
                  "induction a using Quotient.ind\ninduction b using Quotient.ind"));
  EXPECT_TRUE(Has(Propose("r : Nat → Nat → Prop\nx : Quot r\n⊢ x = x", context),
                  "induction x using Quot.ind"));
}

TEST(Builtin, MonadsAreUnfoldedForProgramsInDoNotation) {
  const auto with_monads = [](const std::vector<Candidate>& candidates) {
    return std::ranges::count(candidates, "monads", &Candidate::origin);
  };
  StepContext context = Below(
      "def half (n : Nat) : Option Nat := if n % 2 = 0 then some (n / 2) else none\n"
      "def quarter (n : Nat) : Option Nat := do\n  let m ← half n\n  half m\n");
  EXPECT_GT(with_monads(Propose("n : Nat\nh : quarter n = some 1\n⊢ n = 4", context)), 0);
  EXPECT_EQ(with_monads(Propose("n : Nat\nh : half n = some 1\n⊢ n = 2", context)), 0);
}

}  // namespace
}  // namespace zermelo::policy
