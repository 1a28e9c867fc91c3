// The typing rules and definitional equality: for each, what is accepted because of it, and what is
// rejected for lack of it.
#include "kernel/check.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <thread>

#include "kernel/testing/check_fixture.h"

namespace zermelo::kernel {
namespace {

using testing::CheckTest;
using testing::TestEnvironment;

// --- typing ---------------------------------------------------------------------------------

TEST_F(CheckTest, PreludeIsAccepted) {
  env_.AddPrelude().AddQuotient();
  Accepts();
}

TEST_F(CheckTest, DeclarationsMayBeAddedInAnyOrderThatHasNoCycle) {
  env_.Prove("late", "Eq.{1} Nat (Nat.add 1 1) 2", "Eq.refl.{1} Nat 2");
  env_.AddPrelude();
  EXPECT_EQ(env_.Judge(Order::kByDependence).outcome, Decision::kAccepted);
  Rejects("which is not declared before it");
}

TEST_F(CheckTest, CycleIsRejected) {
  env_.Axiom("False", "Prop").Prove("a", "False", "b").Prove("b", "False", "a");
  const CheckReport verdict = env_.Judge(Order::kByDependence);
  EXPECT_EQ(verdict.outcome, Decision::kRejected);
  EXPECT_EQ(verdict.reason, "it depends on itself");
}

TEST_F(CheckTest, OwnValueIsNotVisible) {
  env_.Axiom("False", "Prop").Prove("a", "False", "a");
  Rejects("not declared before it");
}

TEST_F(CheckTest, PolymorphicIdentityAppliesToItself) {
  env_.Define("id.{u}", "(A : Sort u) -> A -> A", "fun (A : Sort u) (a : A) => a");
  env_.Define("twice.{u}", "(A : Sort u) -> A -> A",
              "fun (A : Sort u) => id.{u} (A -> A) (id.{u} A)");
  Accepts();
}

TEST_F(CheckTest, UniverseOfAnArgument) {
  env_.Define("id.{u}", "(A : Sort u) -> A -> A", "fun (A : Sort u) (a : A) => a");
  env_.Define("bad.{u}", "Sort (u + 1)", "id.{u} (Sort u) (Sort u)");
  Rejects("number 1 of id");
}

TEST_F(CheckTest, UniverseOfFunctionsIsImax) {
  env_.Define("good.{u}", "Sort (imax u 0 + 1)", "Sort (imax u 0)");
  env_.Define("all.{u}", "Prop", "(P : Sort u -> Prop) (A : Sort u) -> P A");
  env_.Define("pi.{u, v}", "(A : Sort u) -> (A -> Sort v) -> Sort (imax u v)",
              "fun (A : Sort u) (B : A -> Sort v) => (a : A) -> B a");
  Accepts();
}

TEST_F(CheckTest, TypeInTypeIsRejected) {
  env_.Define("bad.{u}", "Sort u", "Sort u");
  Rejects("does not have the declared type");
}

TEST_F(CheckTest, PredicativeFunctionTypeIsTooLarge) {
  env_.Define("bad", "Type", "(A : Type) -> A");
  Rejects("does not have the declared type");
}

TEST_F(CheckTest, ArgumentOfTheWrongType) {
  env_.AddPrelude().Define("bad", "Nat", "Nat.succ Bool.true");
  Rejects("number 1 of Nat.succ");
}

TEST_F(CheckTest, ApplicationOfNoFunction) {
  env_.AddPrelude().Define("bad", "Nat", "Nat.zero Nat.zero");
  Rejects("not a function");
}

TEST_F(CheckTest, TermInPlaceOfAType) {
  env_.AddPrelude().Axiom("bad", "Nat.zero");
  Rejects("a term is used as a type");
}

TEST_F(CheckTest, TheoremStatesAProposition) {
  env_.AddPrelude().Prove("bad", "Nat", "Nat.zero");  // lean-kernel-arena, nonPropThm
  Rejects("not a proposition");
}

TEST_F(CheckTest, LetIsReplacedByItsValue) {
  env_.AddPrelude();
  env_.Define("good", "Nat", "let T : Type := Nat; let f : T -> Nat := Nat.succ; f 3");
  Accepts();
}

TEST_F(CheckTest, LetValueHasItsType) {
  env_.AddPrelude().Define("bad", "Nat", "let x : Nat := Bool.true; 3");
  Rejects("value of a `let`");
}

TEST_F(CheckTest, UniverseParametersAreDeclaredOnce) {
  env_.Define("bad.{u, u}", "Sort (u + 1)", "Sort u");
  Rejects("declared twice");
}

TEST_F(CheckTest, UniverseParametersAreDeclared) {
  env_.Define("bad.{u}", "Sort (v + 1)", "Sort v");
  Rejects("parameter v is not declared");
}

TEST_F(CheckTest, UniverseParametersOfConstantsAreDeclared) {
  env_.AddPrelude().Define("bad.{u}", "Nat", "let x : Type (v + 1) := List.{v + 1} (Type v); 3");
  Rejects("parameter v is not declared");
}

TEST_F(CheckTest, UniverseParametersOfConstantsInTypesAreDeclared) {
  env_.Define("id.{u}", "(A : Sort u) -> A -> A", "fun (A : Sort u) (a : A) => a");
  env_.Axiom("bad", "id.{v} Prop Prop");
  Rejects("parameter v is not declared");
}

TEST_F(CheckTest, DomainOfAFunctionIsChecked) {
  env_.AddPrelude();
  env_.Define("bad", "Nat -> Nat", "fun (x : (fun (y : Bool) => Nat) 3) => x");
  Rejects("an argument has the wrong type");
}

TEST_F(CheckTest, NumberOfUniverseParameters) {
  env_.AddPrelude().Define("bad", "Nat", "List.nil.{0, 0} Nat");
  Rejects("List.nil has 1 universe parameters, not 2");
}

// Opaque values, too: lean4#14498.
TEST_F(CheckTest, FreeVariablesAndMetavariablesAreRejected) {
  for (const ExprKind kind :
       {ExprKind::kFVar, ExprKind::kMVar, ExprKind::kSort, ExprKind::kLocal}) {
    TestEnvironment env;
    Terms& terms = env.terms();
    uint32_t part = Index(terms.ParseName("x"));
    if (kind == ExprKind::kSort) part = Index(terms.Level({LevelKind::kMVar, part}));
    if (kind == ExprKind::kLocal) part = Index(env.Term("Prop"));
    Declaration bad = env.Named("bad", "Prop");
    bad.info = Opaque{terms.Expr({.kind = kind, .a = part}), false};
    env.Add(bad);
    EXPECT_EQ(env.Judge().reason, "there is a free variable or a metavariable");
  }
}

TEST_F(CheckTest, LooseBoundVariableIsRejected) {
  Declaration bad = env_.Named("bad", "Prop");
  bad.type = env_.terms().Expr({.kind = ExprKind::kBVar, .a = 0});
  bad.info = Axiom{};
  env_.Add(bad);
  Rejects("no binder");
}

TEST_F(CheckTest, DuplicateNamesAreNotAdded) {
  env_.AddPrelude();
  Declaration again = env_.Named("Nat", "Prop");
  again.info = Axiom{};
  EXPECT_FALSE(env_.environment().Add(again));
}

TEST_F(CheckTest, UnsafeAndPartialDeclarationsAreSkippedAndNotMentioned) {
  env_.AddPrelude().Define("bad", "Eq.{1} Nat 0 1", "bad", Safety::kUnsafe);
  env_.Define("worse", "Eq.{1} Nat 0 1", "worse", Safety::kPartial);
  Accepts();
  env_.Prove("wrong", "Eq.{1} Nat 0 1", "worse");
  Rejects("worse, which is unsafe or partial");
}

TEST_F(CheckTest, OpaqueConstantsAreCheckedAndNotUnfolded) {
  env_.AddPrelude();
  Declaration opaque = env_.Named("secret", "Nat");
  opaque.info = Opaque{env_.Term("2"), false};
  env_.Add(opaque);
  Accepts();
  Different("Nat", "secret", "2");
}

TEST_F(CheckTest, TrustedDeclarationsAreNotChecked) {
  env_.From(Origin::kTrusted).AddPrelude().From(Origin::kChecked);
  Declaration declaration = env_.Named("wrong", "Eq.{1} Nat 0 1");
  declaration.info = Theorem{env_.Term("Eq.refl.{1} Nat 0")};
  env_.Add(declaration, Origin::kTrusted);
  env_.Prove("uses", "Eq.{1} Nat 0 1", "wrong");
  Accepts();
}

TEST_F(CheckTest, WhatAnImportSaysDoesNotDependOnWhoDeclaresTheNamesThatItHides) {
  env_.From(Origin::kTrusted).AddPrelude();
  env_.Axiom("honest", "Eq.{1} Nat 0 hidden");  // `hidden` is in no import
  env_.Define("also", "Nat", "hidden");
  env_.From(Origin::kChecked)
      .Define("hidden", "Nat", "1")
      .Prove("claim", "Eq.{1} Nat 0 hidden", "honest");
  Rejects("it mentions the imported honest");
}

TEST_F(CheckTest, NorDoesADefinition) {
  env_.From(Origin::kTrusted).AddPrelude().Define("also", "Nat", "hidden");
  env_.From(Origin::kChecked).Define("hidden", "Nat", "1").Define("uses", "Nat", "also");
  Rejects("it mentions the imported also");
}

TEST_F(CheckTest, NorDoesALiteral) {
  env_.From(Origin::kTrusted).AddPrelude();
  env_.Define("Char", "Type", "Nat").Define("Char.ofNat", "Nat -> Char", "fun (n : Nat) => n");
  env_.Define("String", "Type", "Nat").Define("text", "String", "\"a\"");
  env_.From(Origin::kChecked);
  env_.Define("String.ofList", "List.{0} Char -> String",
              "fun (l : List.{0} Char) => Nat.succ text");
  Rejects("it mentions the imported text");
}

// Nat.sub is another function there, which is hidden only because this file declares Char.ofNat.
TEST_F(CheckTest, NothingIsBelievedOfAnImportForWhatIsDeclaredHere) {
  env_.From(Origin::kTrusted).AddPrelude().Axiom("String", "Type");
  env_.Define("tag", "String -> Nat -> Nat", "fun (s : String) (n : Nat) => n");
  env_.Define("helper", "Nat -> Nat", "fun (n : Nat) => tag \"a\" n");
  env_.Define("Nat.sub", "Nat -> Nat -> Nat", "fun (x y : Nat) => helper x");
  env_.Axiom("lie", "(x y : Nat) -> Eq.{1} Nat (Nat.sub x y) x");
  env_.From(Origin::kChecked).Define("Char.ofNat", "Nat", "0");
  env_.Prove("bad", "Eq.{1} Nat 0 1", "lie 1 1");
  EXPECT_NE(env_.Judge().outcome, Decision::kAccepted);
}

TEST_F(CheckTest, LiteralsOfImportsMeanWhatTheyMeantThere) {
  env_.From(Origin::kTrusted).AddPrelude();
  env_.Define("Char", "Type", "Nat").Define("Char.ofNat", "Nat -> Char", "fun (n : Nat) => n");
  env_.Axiom("String", "Type").Axiom("String.mk", "List.{0} Char -> String");
  env_.From(Origin::kChecked).Axiom("String.ofList", "List.{0} Char -> String");
  env_.Prove("same", "Eq.{1} String \"\" (String.mk (List.nil.{0} Char))",
             "Eq.refl.{1} String \"\"");
  Accepts();
  env_.Prove("other", "Eq.{1} String \"\" (String.ofList (List.nil.{0} Char))",
             "Eq.refl.{1} String \"\"");
  Rejects("its value does not have the declared type");
}

// --- definitional equality --------------------------------------------------------------------

TEST_F(CheckTest, Beta) {
  env_.AddPrelude();
  Equal("Nat", "(fun (x : Nat) => Nat.succ x) 2", "3");
}

TEST_F(CheckTest, Eta) {
  env_.AddPrelude();
  context_ = "(f : Nat -> Nat) -> ";
  Equal("Nat -> Nat", "fun (x : Nat) => f x", "f");
}

TEST_F(CheckTest, EtaComparesFunctions) {
  env_.AddPrelude();
  context_ = "(f g : Nat -> Nat) -> ";
  Different("Nat -> Nat", "fun (x : Nat) => f x", "g");
}

TEST_F(CheckTest, StructureEta) {
  env_.AddPrelude();
  context_ = "(p : Prod.{0,0} Nat Bool) -> ";
  Equal("Prod.{0,0} Nat Bool", "Prod.mk.{0,0} Nat Bool (#Prod.0 p) (#Prod.1 p)", "p");
}

TEST_F(CheckTest, StructureEtaNeedsAllFields) {
  env_.AddPrelude();
  context_ = "(p : Prod.{0,0} Nat Nat) -> ";
  Different("Prod.{0,0} Nat Nat", "Prod.mk.{0,0} Nat Nat (#Prod.0 p) (#Prod.0 p)", "p");
}

TEST_F(CheckTest, RecursorOfAStructureReducesByEta) {
  env_.AddPrelude();
  context_ = "(p : Prod.{0,0} Nat Bool) -> ";
  Equal("Nat",
        "Prod.rec.{1,0,0} Nat Bool (fun (q : Prod.{0,0} Nat Bool) => Nat) "
        "(fun (a : Nat) (b : Bool) => a) p",
        "#Prod.0 p");
}

TEST_F(CheckTest, UnitTypes) {
  env_.AddPrelude();
  context_ = "(a b : Unit) -> ";
  Equal("Unit", "a", "b");
}

// PUnit.{u} : Sort u. A proof without fields equals its constructor, too.
TEST_F(CheckTest, UnitsInASortThatMayBeProp) {
  env_.AddPrelude();
  const std::string all = "(motive : PUnit.{u} -> Sort v) (unit : motive PUnit.unit.{u}) ";
  env_.Add(testing::InductiveText{.level_params = {"u"},
                                  .types = {{"PUnit", "Sort u", {{"PUnit.unit", "PUnit.{u}"}}}},
                                  .rec_level_params = {"v", "u"},
                                  .recs = {{"PUnit.rec",
                                            all + "(t : PUnit.{u}) -> motive t",
                                            {{"PUnit.unit", "fun " + all + "=> unit"}}}}});
  const std::string binders = "(x : PUnit.{u}) (n : Nat) ";
  env_.Prove("claim.{u}",
             binders + "-> Eq.{1} Nat (PUnit.rec.{1, u} (fun (y : PUnit.{u}) => Nat) n x) n",
             "fun " + binders + "=> Eq.refl.{1} Nat n");
  Accepts();
}

// box : Sort u, so what cannot be projected out of it is compared in another way.
TEST_F(CheckTest, StructuresThatMayBeProofsAreUnfoldedWhereTheirFieldsCannotBeCompared) {
  env_.AddPrelude();
  const std::string all =
      "(A : Sort u) (motive : Box.{u} A -> Prop) (mk : (a : A) -> motive (Box.mk.{u} A a))";
  env_.Add(testing::InductiveText{
      .level_params = {"u"},
      .types = {{"Box", "(A : Sort u) -> Sort u", {{"Box.mk", "(A : Sort u) -> A -> Box.{u} A"}}}},
      .rec_level_params = {"u"},
      .recs = {{"Box.rec",
                all + " (t : Box.{u} A) -> motive t",
                {{"Box.mk", "fun " + all + " (a : A) => mk a"}}}},
      .parameters = 1});
  env_.Define("f.{u}", "(A : Sort u) -> Box.{u} A -> Nat", "fun (A : Sort u) (b : Box.{u} A) => 0");
  const std::string binders = "(A : Sort u) (x : Box.{u} A) (a : A) ";
  env_.Prove("claim.{u}", binders + "-> Eq.{1} Nat (f.{u} A x) (f.{u} A (Box.mk.{u} A a))",
             "fun " + binders + "=> Eq.refl.{1} Nat (f.{u} A x)");
  Accepts();
}

TEST_F(CheckTest, TypesWithoutConstructorsAreNoUnits) {
  env_.AddPrelude();
  context_ = "(a b : Empty) -> ";
  Different("Empty", "a", "b");
}

TEST_F(CheckTest, ProofIrrelevance) {
  env_.AddPrelude();
  context_ = "(P : Prop) (a b : P) -> ";
  env_.Prove("claim", context_ + "Eq.{0} P a b", Function() + "Eq.refl.{0} P a");
  Accepts();
}

TEST_F(CheckTest, DataAreNotIrrelevant) {
  env_.AddPrelude();
  context_ = "(a b : Nat) -> ";
  Different("Nat", "a", "b");
}

// Sort u may be Prop or not: its inhabitants are not irrelevant (lean4#14807).
TEST_F(CheckTest, TypesThatMayBePropositionsAreNotIrrelevant) {
  env_.AddPrelude();
  context_ = "(A : Sort u) (a b : A) -> ";
  Different("A", "a", "b");
}

TEST_F(CheckTest, PropositionsUpToEqualityOfLevels) {
  env_.AddPrelude();
  context_ = "(P : Sort (imax 1 0)) (a b : P) -> ";
  env_.Prove("claim", context_ + "Eq.{0} P a b", Function() + "Eq.refl.{0} P a");
  Accepts();
}

TEST_F(CheckTest, KRecursorNeedsNoConstructor) {
  env_.AddPrelude();
  context_ = "(a : Nat) (h : Eq.{1} Nat a a) (x : Nat) -> ";
  Equal("Nat", "Eq.rec.{1,1} Nat a (fun (b : Nat) (t : Eq.{1} Nat a b) => Nat) x a h", "x");
}

TEST_F(CheckTest, KRecursorNeedsEqualIndices) {
  env_.AddPrelude();
  context_ = "(a c : Nat) (h : Eq.{1} Nat a c) (x : Nat) -> ";
  Different("Nat", "Eq.rec.{1,1} Nat a (fun (b : Nat) (t : Eq.{1} Nat a b) => Nat) x c h", "x");
}

TEST_F(CheckTest, QuotientsReduce) {
  env_.AddPrelude().AddQuotient();
  context_ =
      "(r : Nat -> Nat -> Prop) (h : (a b : Nat) -> r a b -> Eq.{1} Nat (Nat.succ a) (Nat.succ b)) "
      "-> ";
  Equal("Nat", "Quot.lift.{1,1} Nat r Nat Nat.succ h (Quot.mk.{1} Nat r 2)", "3");
}

TEST_F(CheckTest, UnfoldingStopsAtDifferentConstructors) {
  env_.AddPrelude();
  env_.Define("two", "Nat", "Nat.add 1 1").Define("three", "Nat", "Nat.add two 1");
  Different("Nat", "three", "two");
}

TEST_F(CheckTest, AQuotientIsOfTheQuotientType) {
  env_.AddPrelude();
  env_.Define("Quot.{u}", "(A : Sort u) (r : A -> A -> Prop) -> Sort u",
              "fun (A : Sort u) (r : A -> A -> Prop) => A");
  Declaration lift = env_.Named(
      "Quot.lift.{u, v}",
      "(A : Sort u) (r : A -> A -> Prop) (B : Sort v) (f : A -> B) -> ((a b : A) -> r a b -> "
      "Eq.{v} B (f a) (f b)) -> Quot.{u} A r -> B");
  lift.info = Quotient{Quotient::Kind::kLift};
  env_.Add(lift);
  Rejects("what it is a quotient of is no quotient");
}

TEST_F(CheckTest, CompiledCodeIsDeclined) {
  env_.AddPrelude();
  Declaration reduce = env_.Named("Lean.reduceBool", "Bool -> Bool");
  reduce.info = Opaque{env_.Term("fun (b : Bool) => b"), false};
  env_.Add(reduce);
  Claim("Bool", "Lean.reduceBool Bool.true", "Bool.true");
  Refuses(Decision::kDeclined, "compiled code");
}

// --- projections --------------------------------------------------------------------------------

TEST_F(CheckTest, ProjectionsReduce) {
  env_.AddPrelude();
  Equal("Bool", "#Prod.1 (Prod.mk.{0,0} Nat Bool 2 Bool.true)", "Bool.true");
}

TEST_F(CheckTest, ProjectionNamesItsStructure) {
  env_.AddPrelude();  // lean4#14631
  env_.Define("bad", "Prod.{0,0} Nat Nat -> Nat", "fun (p : Prod.{0,0} Nat Nat) => #And.0 p");
  Rejects("names the wrong structure");
}

TEST_F(CheckTest, ProjectionOfAFieldThatIsNotThere) {
  env_.AddPrelude();
  env_.Define("bad", "Prod.{0,0} Nat Nat -> Nat", "fun (p : Prod.{0,0} Nat Nat) => #Prod.2 p");
  Rejects("a field that does not exist");
}

TEST_F(CheckTest, ProjectionOfATypeWithSeveralConstructors) {
  env_.AddPrelude().Define("bad", "Nat -> Nat", "fun (n : Nat) => #Nat.0 n");
  Rejects("names the wrong structure");
}

// inductive Some (A : Type) : Prop | mk (a : A). Source: lean4#14613; nanoda, ProjFromProp.
TEST_F(CheckTest, DataAreNotProjectedOutOfProofs) {
  env_.AddPrelude();
  env_.Add(testing::InductiveText{
      .types = {{"Some", "Type -> Prop", {{"Some.mk", "(A : Type) -> A -> Some A"}}}},
      .recs = {{"Some.rec",
                "(A : Type) (motive : Some A -> Prop) -> ((a : A) -> motive (Some.mk A a)) -> "
                "(t : Some A) -> motive t",
                {{"Some.mk",
                  "fun (A : Type) (motive : Some A -> Prop) "
                  "(mk : (a : A) -> motive (Some.mk A a)) (a : A) => mk a"}}}},
      .parameters = 1});
  Accepts();
  env_.Define("bad", "(A : Type) -> Some A -> A", "fun (A : Type) (s : Some A) => #Some.0 s");
  Rejects("extracts data from a proof");
}

TEST_F(CheckTest, ProofsAreProjectedOutOfProofs) {
  env_.AddPrelude();
  env_.Prove("left", "(a b : Prop) -> And a b -> a", "fun (a b : Prop) (h : And a b) => #And.0 h");
  Accepts();
}

// --- quotients ----------------------------------------------------------------------------------

TEST_F(CheckTest, QuotientNeedsTheUsualEq) {
  env_.Axiom("Eq.{u}", "(A : Sort u) -> A -> A -> Prop").AddQuotient();
  Rejects("the usual Eq");
}

TEST_F(CheckTest, QuotientHasLeansTypes) {
  env_.AddPrelude();
  Declaration quot = env_.Named("Quot.{u}", "(A : Sort u) (r : A -> A -> Prop) -> Prop");
  quot.info = Quotient{Quotient::Kind::kType};
  env_.Add(quot);
  Rejects("type of a quotient constant differs");
}

TEST_F(CheckTest, QuotientHasLeansNames) {
  env_.AddPrelude();
  Declaration quot = env_.Named("Mine.{u}", "(A : Sort u) (r : A -> A -> Prop) -> Sort u");
  quot.info = Quotient{Quotient::Kind::kType};
  env_.Add(quot);
  Rejects("the name or the universes of a quotient constant");
}

// --- limits -------------------------------------------------------------------------------------

TEST_F(CheckTest, DeepTermsAreDeclinedOrJudged) {
  env_.AddPrelude();
  Terms& terms = env_.terms();
  ExprId e = env_.Term("Nat.zero");
  const ExprId succ = env_.Term("Nat.succ");
  for (int i = 0; i < 2'000'000; ++i) {
    e = terms.Expr({.kind = ExprKind::kApp, .a = Index(succ), .b = Index(e)});
  }
  Declaration deep = env_.Named("deep", "Nat");
  deep.info = Definition{e, {}, Safety::kSafe};
  env_.Add(deep);
  CheckOptions options;
  options.limits.stack = size_t{16} << 20U;
  const CheckReport verdict = Check(env_.environment(), options);
  EXPECT_EQ(verdict.outcome, Decision::kDeclined);
  EXPECT_NE(verdict.reason.find("deeper recursion"), std::string::npos);
}

class EndlessWork : public CheckTest {
 protected:
  EndlessWork() {
    env_.AddPrelude();
    // Ackermann by unfolding: no shortcut, and no end in sight.
    env_.Define("iterate", "(Nat -> Nat) -> Nat -> Nat",
                "fun (f : Nat -> Nat) (n : Nat) => Nat.rec.{1} (fun (x : Nat) => Nat) (f 1) "
                "(fun (k ih : Nat) => f ih) n");
    env_.Define("ackermann", "Nat -> Nat -> Nat",
                "fun (m : Nat) => Nat.rec.{1} (fun (x : Nat) => Nat -> Nat) Nat.succ "
                "(fun (k : Nat) (ih : Nat -> Nat) => iterate ih) m");
    Claim("Nat", "ackermann 4 3", "7");
    options_.limits.bytes = size_t{1} << 30U;
  }
  CheckOptions options_;
};

TEST_F(EndlessWork, EndsAtTheLimitOfTime) {
  options_.limits.time = std::chrono::milliseconds(300);
  const CheckReport verdict = Check(env_.environment(), options_);
  EXPECT_EQ(verdict.outcome, Decision::kDeclined) << verdict.reason;
}

TEST_F(EndlessWork, EndsWhenItIsStopped) {
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  options_.limits.time = std::chrono::seconds(30);
  std::promise<void> nearly_done;
  options_.on_progress = [&](size_t done) {
    if (done + 1 == env_.environment().declarations().size()) nearly_done.set_value();
  };
  std::thread stopper([&] {
    nearly_done.get_future().wait();
    stop = true;
  });
  const CheckReport verdict = Check(env_.environment(), options_);
  stopper.join();
  EXPECT_EQ(verdict.outcome, Decision::kDeclined);
  EXPECT_EQ(verdict.reason, "the check was stopped");
}

TEST_F(CheckTest, WhatIsNotJudgedBeforeAStopIsDeclined) {
  env_.AddPrelude().Define("one", "Nat", "1");
  const std::atomic<bool> stop = true;
  for (const bool keep_going : {false, true}) {
    CheckOptions options;
    options.stop = &stop;
    options.keep_going = keep_going;
    options.threads = 2;
    size_t refused = 0;
    options.on_verdict = [&](const CheckReport&) { ++refused; };
    EXPECT_EQ(Check(env_.environment(), options).outcome, Decision::kDeclined);
    EXPECT_EQ(refused, 1U);
  }
}

TEST_F(CheckTest, AllRefusalsAreReportedOnRequest) {
  env_.AddPrelude()
      .Define("one", "Nat", "Nat")
      .Define("two", "Nat", "2")
      .Define("three", "Nat", "Bool");
  CheckOptions options;
  options.keep_going = true;
  std::vector<NameId> refused;
  options.on_verdict = [&](const CheckReport& verdict) { refused.push_back(verdict.declaration); };
  EXPECT_EQ(Check(env_.environment(), options).outcome, Decision::kRejected);
  EXPECT_EQ(refused, (std::vector{env_.terms().ParseName("one"), env_.terms().ParseName("three")}));
}

}  // namespace
}  // namespace zermelo::kernel
