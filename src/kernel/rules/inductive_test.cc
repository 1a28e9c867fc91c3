// Inductive types: what Lean would declare is accepted; whatever differs from it is rejected.
#include "kernel/rules/inductive.h"

#include <functional>
#include <gtest/gtest.h>

#include "kernel/testing/lean_text.h"

namespace zermelo::kernel {
namespace {

using testing::InductiveText;
using testing::TestEnvironment;

class InductiveTest : public ::testing::Test {
 protected:
  void Accepts(const InductiveText& text) {
    env_.Add(text);
    const CheckReport verdict = env_.Judge();
    EXPECT_EQ(verdict.outcome, Decision::kAccepted) << env_.Print(verdict);
  }
  void Rejects(const InductiveText& text, const std::string& reason) {
    env_.Add(text);
    const CheckReport verdict = env_.Judge();
    EXPECT_EQ(verdict.outcome, Decision::kRejected) << env_.Print(verdict);
    EXPECT_NE(verdict.reason.find(reason), std::string::npos) << env_.Print(verdict);
  }

  TestEnvironment env_;
};

InductiveText Single(const std::string& name, const std::string& type,
                     std::vector<std::pair<std::string, std::string>> constructors) {
  return {.types = {{name, type, std::move(constructors)}}};
}

// inductive Tree : Type | node (children : List Tree) : Tree
InductiveText TreeText() {
  const std::string all =
      "(tree : Tree -> Sort u) (list : List.{0} Tree -> Sort u)"
      "(node : (c : List.{0} Tree) -> list c -> tree (Tree.node c))"
      "(nil : list (List.nil.{0} Tree))"
      "(cons : (h : Tree) (t : List.{0} Tree) -> tree h -> list t -> list (List.cons.{0} Tree h "
      "t))";
  return {
      .types = {{"Tree", "Type", {{"Tree.node", "List.{0} Tree -> Tree"}}}},
      .rec_level_params = {"u"},
      .recs =
          {{"Tree.rec",
            all + " (t : Tree) -> tree t",
            {{"Tree.node",
              "fun " + all +
                  " (c : List.{0} Tree) => node c (Tree.rec_1.{u} tree list node nil cons c)"}}},
           {"Tree.rec_1",
            all + " (t : List.{0} Tree) -> list t",
            {{"List.nil", "fun " + all + " => nil"},
             {"List.cons", "fun " + all +
                               " (h : Tree) (t : List.{0} Tree) => cons h t "
                               "(Tree.rec.{u} tree list node nil cons h) "
                               "(Tree.rec_1.{u} tree list node nil cons t)"}}}},
      .nested = 1,
      .recursive = true};
}

// inductive Acc {A : Sort v} (r : A -> A -> Prop) : A -> Prop | intro x (h : ∀ y, r y x -> Acc y)
InductiveText AccText() {
  const std::string all =
      "(A : Sort v) (r : A -> A -> Prop) (motive : (a : A) -> Acc.{v} A r a -> Sort u)"
      "(intro : (x : A) (h : (y : A) -> r y x -> Acc.{v} A r y) -> "
      "((y : A) (a : r y x) -> motive y (h y a)) -> motive x (Acc.intro.{v} A r x h))";
  return {.level_params = {"v"},
          .types = {{"Acc",
                     "(A : Sort v) -> (A -> A -> Prop) -> A -> Prop",
                     {{"Acc.intro",
                       "(A : Sort v) (r : A -> A -> Prop) (x : A) -> "
                       "((y : A) -> r y x -> Acc.{v} A r y) -> Acc.{v} A r x"}},
                     1}},
          .rec_level_params = {"u", "v"},
          .recs = {{"Acc.rec",
                    all + " (a : A) (t : Acc.{v} A r a) -> motive a t",
                    {{"Acc.intro",
                      "fun " + all +
                          " (x : A) (h : (y : A) -> r y x -> Acc.{v} A r y) => intro x h "
                          "(fun (y : A) (a : r y x) => Acc.rec.{u,v} A r motive intro y (h y a))"}},
                    1}},
          .parameters = 2,
          .recursive = true,
          .reflexive = true};
}

// mutual inductive Even : Nat -> Prop and Odd : Nat -> Prop
InductiveText EvenText() {
  const std::string all =
      "(even : (n : Nat) -> Even n -> Prop) (odd : (n : Nat) -> Odd n -> Prop)"
      "(zero : even 0 Even.zero)"
      "(succ : (n : Nat) (h : Odd n) -> odd n h -> even (Nat.succ n) (Even.succ n h))"
      "(osucc : (n : Nat) (h : Even n) -> even n h -> odd (Nat.succ n) (Odd.succ n h))";
  const std::string same = " even odd zero succ osucc ";
  return {
      .types =
          {{"Even",
            "Nat -> Prop",
            {{"Even.zero", "Even 0"}, {"Even.succ", "(n : Nat) -> Odd n -> Even (Nat.succ n)"}},
            1},
           {"Odd", "Nat -> Prop", {{"Odd.succ", "(n : Nat) -> Even n -> Odd (Nat.succ n)"}}, 1}},
      .recs = {{"Even.rec",
                all + " (n : Nat) (t : Even n) -> even n t",
                {{"Even.zero", "fun " + all + " => zero"},
                 {"Even.succ",
                  "fun " + all + " (n : Nat) (h : Odd n) => succ n h (Odd.rec" + same + "n h)"}},
                1},
               {"Odd.rec",
                all + " (n : Nat) (t : Odd n) -> odd n t",
                {{"Odd.succ",
                  "fun " + all + " (n : Nat) (h : Even n) => osucc n h (Even.rec" + same + "n h)"}},
                1}},
      .recursive = true};
}

// --- what is accepted -----------------------------------------------------------------------

TEST_F(InductiveTest, ReflexiveTypes) { Accepts(AccText()); }

TEST_F(InductiveTest, MutualTypes) {
  env_.AddPrelude();
  Accepts(EvenText());
}

TEST_F(InductiveTest, NestedTypes) {
  env_.AddPrelude();
  Accepts(TreeText());
}

TEST_F(InductiveTest, NestedRecursorsReduce) {
  env_.AddPrelude();
  Accepts(TreeText());
  env_.Define("size", "Tree -> Nat",
              "Tree.rec.{1} (fun (t : Tree) => Nat) (fun (l : List.{0} Tree) => Nat) "
              "(fun (c : List.{0} Tree) (n : Nat) => Nat.succ n) 0 "
              "(fun (h : Tree) (t : List.{0} Tree) (a b : Nat) => Nat.add a b)");
  env_.Define("leaf", "Tree", "Tree.node (List.nil.{0} Tree)");
  env_.Prove("two", "Eq.{1} Nat (size (Tree.node (List.cons.{0} Tree leaf (List.nil.{0} Tree)))) 2",
             "Eq.refl.{1} Nat 2");
  const CheckReport verdict = env_.Judge();
  EXPECT_EQ(verdict.outcome, Decision::kAccepted) << env_.Print(verdict);
}

// Structures and functions into any sort may be declared in Sort (max 1 u), but not in Sort u.
TEST_F(InductiveTest, TypesInASortThatMayBePropEliminateIntoPropOnly) {
  const std::string all =
      "(A : Sort u) (motive : Box.{u} A -> Prop) (mk : (a : A) -> motive (Box.mk.{u} A a))";
  InductiveText text{
      .level_params = {"u"},
      .types = {{"Box", "(A : Sort u) -> Sort u", {{"Box.mk", "(A : Sort u) -> A -> Box.{u} A"}}}},
      .rec_level_params = {"u"},
      .recs = {{"Box.rec",
                all + " (t : Box.{u} A) -> motive t",
                {{"Box.mk", "fun " + all + " (a : A) => mk a"}}}},
      .parameters = 1};
  Accepts(text);
}

// Neither is a structure whose terms are equal to what their projections make.
TEST_F(InductiveTest, IndexedTypesAreNoUnits) {
  env_.AddPrelude();
  const std::string all = "(motive : (n : Nat) -> Ix n -> Sort u) (mk : motive 0 Ix.mk)";
  Accepts({.types = {{"Ix", "Nat -> Type", {{"Ix.mk", "Ix 0"}}, 1}},
           .rec_level_params = {"u"},
           .recs = {{"Ix.rec",
                     all + " (n : Nat) (t : Ix n) -> motive n t",
                     {{"Ix.mk", "fun " + all + " => mk"}},
                     1}}});
  env_.Prove("bad", "(a b : Ix 0) -> Eq.{1} (Ix 0) a b",
             "fun (a b : Ix 0) => Eq.refl.{1} (Ix 0) a");
  EXPECT_EQ(env_.Judge().reason, "its value does not have the declared type");
}

TEST_F(InductiveTest, RecursiveTypesHaveNoEta) {
  env_.AddPrelude();
  const std::string all = "(motive : R -> Sort u) (mk : (r : R) -> motive r -> motive (R.mk r))";
  Accepts({.types = {{"R", "Type", {{"R.mk", "R -> R"}}}},
           .rec_level_params = {"u"},
           .recs = {{"R.rec",
                     all + " (t : R) -> motive t",
                     {{"R.mk", "fun " + all + " (r : R) => mk r (R.rec.{u} motive mk r)"}}}},
           .recursive = true});
  env_.Prove("bad", "(r : R) -> Eq.{1} R (R.mk (#R.0 r)) r", "fun (r : R) => Eq.refl.{1} R r");
  EXPECT_EQ(env_.Judge().reason, "its value does not have the declared type");
}

// --- the types themselves ---------------------------------------------------------------------

TEST_F(InductiveTest, NonPositiveOccurrence) {
  Rejects(Single("Bad", "Type", {{"Bad.mk", "(Bad -> Prop) -> Bad"}}), "non-positive");
}

TEST_F(InductiveTest, NonPositiveOccurrenceBehindADefinition) {
  env_.Define("Hidden", "Type -> Type", "fun (A : Type) => A -> Prop");
  Rejects(Single("Bad", "Type", {{"Bad.mk", "Hidden Bad -> Bad"}}), "non-positive");
}

// Lean calls it recursive, by its text, but gives it no induction hypothesis.
TEST_F(InductiveTest, OccurrenceThatADefinitionForgetsIsNone) {
  env_.AddPrelude().Define("Const", "Type -> Type", "fun (A : Type) => Nat");
  const std::string all = "(motive : Odd -> Sort u) (mk : (c : Const Odd) -> motive (Odd.mk c))";
  Accepts({.types = {{"Odd", "Type", {{"Odd.mk", "Const Odd -> Odd"}}}},
           .rec_level_params = {"u"},
           .recs = {{"Odd.rec",
                     all + " (t : Odd) -> motive t",
                     {{"Odd.mk", "fun " + all + " (c : Const Odd) => mk c"}}}},
           .recursive = true});
}

// What stands beside the type of an optional parameter is left out where `optParam` is unfolded to
// it; here it is unfolded to the other one.
TEST_F(InductiveTest, AnUnusualOptParam) {
  env_.AddPrelude().Define("optParam", "Type -> Type -> Type", "fun (a b : Type) => b");
  const std::string index = "((fun (x : Type) => 0) (T 0))";
  Rejects(
      {.types = {{"T", "Nat -> Type", {{"T.mk", "optParam (T " + index + ") (T 0) -> T 0"}}, 1}},
       .rec_level_params = {"u"},
       .recs = {{"T.rec", "Prop", {{"T.mk", "Prop"}}, 1}},
       .recursive = true},
      "a recursive field is not of a type of its block");
}

TEST_F(InductiveTest, OccurrenceInAnIndex) {
  Rejects(
      {.types = {{"Bad", "Prop -> Prop", {{"Bad.mk", "(P : Prop) -> Bad (Bad P) -> Bad P"}}, 1}}},
      "invalid occurrence");
}

TEST_F(InductiveTest, NonUniformParameter) {
  Rejects({.types = {{"Bad", "Type -> Type", {{"Bad.mk", "(A : Type) -> Bad (A -> A) -> Bad A"}}}},
           .parameters = 1},
          "invalid occurrence");
}

TEST_F(InductiveTest, NonUniformParameterInsideANestedType) {
  env_.AddPrelude();  // lean4#14582
  Rejects({.types = {{"Bad",
                      "Type -> Type",
                      {{"Bad.mk", "(A : Type) -> List.{0} (Bad (List.{0} A)) -> Bad A"}}}},
           .parameters = 1},
          "invalid occurrence");
}

TEST_F(InductiveTest, NestedInANonPositiveParameter) {
  env_.Axiom("Fake", "Type");
  const std::string all =
      "(A : Type) (motive : Neg A -> Sort u) (mk : (f : A -> Prop) -> motive (Neg.mk A f))";
  env_.Add(InductiveText{
      .types = {{"Neg", "Type -> Type", {{"Neg.mk", "(A : Type) -> (A -> Prop) -> Neg A"}}}},
      .rec_level_params = {"u"},
      .recs = {{"Neg.rec",
                all + " (t : Neg A) -> motive t",
                {{"Neg.mk", "fun " + all + " (f : A -> Prop) => mk f"}}}},
      .parameters = 1});
  Rejects(Single("Bad", "Type", {{"Bad.mk", "Neg Bad -> Bad"}}), "non-positive");
}

TEST_F(InductiveTest, NestedTypeThatDependsOnAField) {
  env_.AddPrelude();
  Rejects(Single("Bad", "Type",
                 {{"Bad.mk", "(n : Nat) -> List.{0} (Prod.{0,0} Bad (Eq.{1} Nat n n)) -> Bad"}}),
          "");
}

// A parameter that no constructor of the nested type uses is in no auxiliary type: it must be
// checked all the same. Source: lean4#14577; lean4lean, KernelHardening.
TEST_F(InductiveTest, PhantomParameterOfANestedTypeIsChecked) {
  env_.AddPrelude();
  const std::string all =
      "(A : Type) (b : Bool) (motive : L A b -> Sort u) (mk : motive (L.mk A b))";
  env_.Add(InductiveText{
      .types = {{"L", "Type -> Bool -> Type", {{"L.mk", "(A : Type) (b : Bool) -> L A b"}}}},
      .rec_level_params = {"u"},
      .recs = {{"L.rec", all + " (t : L A b) -> motive t", {{"L.mk", "fun " + all + " => mk"}}}},
      .parameters = 2});
  Rejects({.types = {{"E", "Nat -> Type", {{"E.mk", "(n : Nat) -> L (E n) n -> E n"}}}},
           .parameters = 1},
          "number 2 of L");
}

TEST_F(InductiveTest, FieldInALargerUniverse) {
  Rejects(Single("Bad", "Type", {{"Bad.mk", "(A : Type) -> Bad"}}), "larger universe");
}

TEST_F(InductiveTest, FieldsOfPropositionsMayBeLarge) {
  const std::string all = "(motive : Any -> Prop) (mk : (A : Type) -> motive (Any.mk A))";
  Accepts({.types = {{"Any", "Prop", {{"Any.mk", "(A : Type) -> Any"}}}},
           .recs = {{"Any.rec",
                     all + " (t : Any) -> motive t",
                     {{"Any.mk", "fun " + all + " (A : Type) => mk A"}}}}});
}

TEST_F(InductiveTest, FieldInAUniverseThatMayBeLarger) {
  Rejects({.level_params = {"u", "v"},
           .types = {{"Bad", "Sort (u + 1)", {{"Bad.mk", "(A : Sort (imax u v)) -> Bad.{u,v}"}}}}},
          "larger universe");
}

TEST_F(InductiveTest, ConstructorOfAnotherType) {
  env_.AddPrelude();
  Rejects(Single("Bad", "Type", {{"Bad.mk", "Nat"}}), "does not return its inductive type");
}

TEST_F(InductiveTest, ConstructorWithOtherUniverses) {
  Rejects({.level_params = {"u"}, .types = {{"Bad", "Type u", {{"Bad.mk", "Bad.{0}"}}}}},
          "does not return its inductive type");
}

TEST_F(InductiveTest, TypeThatIsNoSort) {
  env_.AddPrelude();
  Rejects(Single("Bad", "Nat -> Nat", {}), "a term is used as a type");
}

TEST_F(InductiveTest, MoreParametersThanTheTypeHas) {
  Rejects({.types = {{"Bad", "Type", {}}}, .parameters = 1}, "fewer parameters");
}

TEST_F(InductiveTest, MutualTypesInDifferentUniverses) {
  Rejects({.types = {{"A", "Type", {}}, {"B", "Prop", {}}}}, "different universes");
}

TEST_F(InductiveTest, MutualTypesWithDifferentParameters) {
  Rejects({.types = {{"A", "Type -> Type", {}}, {"B", "Prop -> Type", {}}}, .parameters = 1},
          "different parameters");
}

TEST_F(InductiveTest, ProjectionOfTheTypeThatIsBeingDeclared) {
  Rejects(Single("Bad", "Prop", {{"Bad.mk", "(P : Prop) (x : Bad) -> #Bad.0 x -> Bad"}}),
          "names the wrong structure");
}

// --- recursors --------------------------------------------------------------------------------

struct Change {
  const char* reason;
  std::function<void(InductiveText&)> change;
};

void ExpectRejected(const InductiveText& good, const std::vector<Change>& changes) {
  for (size_t i = 0; i < changes.size(); ++i) {
    TestEnvironment env;
    InductiveText text = good;
    changes[i].change(text);
    if (good.types[0].name != "Nat") env.Add(testing::NatText());
    if (good.types[0].name == "Tree") env.Add(testing::ListText());
    env.Add(text);
    const CheckReport verdict = env.Judge();
    EXPECT_EQ(verdict.outcome, Decision::kRejected) << i << ": " << env.Print(verdict);
    EXPECT_NE(verdict.reason.find(changes[i].reason), std::string::npos)
        << i << ": " << env.Print(verdict);
  }
}

void Replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// Sources: lean-kernel-arena, nat-rec-rules, rec-missing-ih, nat-rec-k-lie, large-elim-param.
TEST(RecursorTest, WhateverDiffersFromLeansIsRejected) {
  ExpectRejected(
      testing::NatText(),
      {{"rule 2",
        [](auto& t) { Replace(t.recs[0].rules[1].second, "zero succ n)", "zero succ Nat.zero)"); }},
       {"rule 2",
        [](auto& t) { Replace(t.recs[0].rules[1].second, "Nat.rec.{u}", "Nat.rec.{0}"); }},
       {"rule 1",
        [](auto& t) { Replace(t.recs[0].rules[0].second, "=> zero", "=> succ Nat.zero zero"); }},
       {"rule 1", [](auto& t) { std::swap(t.recs[0].rules[0], t.recs[0].rules[1]); }},
       {"record of the recursor", [](auto& t) { t.recs[0].rules.pop_back(); }},
       {"record of the recursor", [](auto& t) { t.k = true; }},
       {"record of the recursor", [](auto& t) { t.recs[0].indices = 1; }},
       {"type of the recursor",
        [](auto& t) { Replace(t.recs[0].type, "motive n -> motive", "motive"); }},
       {"universe parameters", [](auto& t) { t.rec_level_params = {}; }},
       {"universe parameters",
        [](auto& t) {
          t.rec_level_params = {"u", "v"};
        }},
       {"record of the type", [](auto& t) { t.recursive = false; }},
       {"record of the type", [](auto& t) { t.reflexive = true; }},
       {"record of the type", [](auto& t) { t.nested = 1; }},
       {"record of the type", [](auto& t) { t.types[0].indices = 1; }},
       {"is missing", [](auto& t) { t.recs[0].name = "Nat.recursor"; }},
       {"is missing", [](auto& t) { t.recs.clear(); }}});
}

TEST(RecursorTest, EqualityHasOneConstructorAndK) {
  ExpectRejected(testing::EqText(),
                 {{"record of the recursor", [](auto& t) { t.k = false; }},
                  {"record of the type", [](auto& t) { t.types[0].indices = 0; }},
                  {"declared twice", [](auto& t) {
                     t.rec_level_params = {"v", "v"};
                   }}});
}

TEST(RecursorTest, RuleOfAReflexiveTypeRecursesUnderBinders) {
  ExpectRejected(AccText(), {{"record of the type", [](auto& t) { t.reflexive = false; }},
                             {"rule 1", [](auto& t) {
                                Replace(t.recs[0].rules[0].second, "y (h y a))",
                                        "x (Acc.intro.{v} A r x h))");
                              }}});
}

TEST(RecursorTest, NestedTypesHaveARecursorEach) {
  ExpectRejected(TreeText(), {{"record of the type", [](auto& t) { t.nested = 0; }},
                              {"the wrong number of recursors", [](auto& t) { t.recs.pop_back(); }},
                              {"rule 2", [](auto& t) {
                                 Replace(t.recs[1].rules[1].second,
                                         "(Tree.rec.{u} tree list node nil cons h)",
                                         "(Tree.rec.{u} tree list node nil cons (Tree.node t))");
                               }}});
}

// A disjunction does not eliminate into data. Source: lean-kernel-arena, large elimination.
TEST(RecursorTest, PropositionsWithTwoConstructorsEliminateIntoPropOnly) {
  const auto text = [](const std::string& sort, std::vector<std::string> levels) {
    const std::string all = "(motive : Two -> " + sort + ") (a : motive Two.a) (b : motive Two.b)";
    return InductiveText{
        .types = {{"Two", "Prop", {{"Two.a", "Two"}, {"Two.b", "Two"}}}},
        .rec_level_params = std::move(levels),
        .recs = {{"Two.rec",
                  all + " (t : Two) -> motive t",
                  {{"Two.a", "fun " + all + " => a"}, {"Two.b", "fun " + all + " => b"}}}}};
  };
  TestEnvironment good, bad;
  good.Add(text("Prop", {}));
  EXPECT_EQ(good.Judge().outcome, Decision::kAccepted) << good.Print(good.Judge());
  bad.Add(text("Sort u", {"u"}));
  EXPECT_EQ(bad.Judge().reason, "its recursor has the wrong universe parameters");
}

// Prop up to equality of levels: lean4#14613, #14615.
TEST(RecursorTest, SortThatEqualsPropDoesNotEliminateIntoData) {
  const std::string all = "(motive : P -> Sort u) (mk : (b : Nat) -> motive (P.mk b))";
  TestEnvironment env;
  env.Add(testing::NatText());
  env.Add(InductiveText{.types = {{"P", "Sort (imax 1 0)", {{"P.mk", "Nat -> P"}}}},
                        .rec_level_params = {"u"},
                        .recs = {{"P.rec",
                                  all + " (t : P) -> motive t",
                                  {{"P.mk", "fun " + all + " (b : Nat) => mk b"}}}}});
  EXPECT_EQ(env.Judge().reason, "its recursor has the wrong universe parameters");
}

// --- orphans ----------------------------------------------------------------------------------

// Source: lean-kernel-arena, rec-orphan-bad-ind.
TEST(OrphanTest, RecursorsAndConstructorsBelongToATypeThatListsThem) {
  TestEnvironment env;
  env.AddPrelude();
  Declaration constructor = env.Named("Nat.third", "Nat");
  constructor.info = Constructor{env.terms().ParseName("Nat"), 2, 0, 0, false};
  env.Add(constructor);
  EXPECT_EQ(env.Judge().reason, "a constructor is not listed by any type of its block");

  TestEnvironment other;
  other.AddPrelude();
  Declaration recursor = other.Named("Nat.more", "(n : Nat) -> Eq.{1} Nat n 0");
  recursor.all = {other.terms().ParseName("Nat")};
  recursor.info = Recursor{};
  other.Add(recursor);
  EXPECT_EQ(other.Judge().reason, "its block has the wrong number of recursors");

  TestEnvironment alone;
  recursor = alone.Named("False.rec", "(P : Prop) -> P");
  recursor.info = Recursor{};
  alone.Add(recursor);
  EXPECT_EQ(alone.Judge().reason, "it belongs to no inductive type");
}

TEST(OrphanTest, ConstructorOfATrustedTypeIsNotAdded) {
  TestEnvironment env;
  Declaration type = env.Named("False", "Prop");
  type.all = {type.name};
  type.info = Inductive{};
  env.Add(type, Origin::kTrusted);
  Declaration constructor = env.Named("False.intro", "False");
  constructor.info = Constructor{type.name, 0, 0, 0, false};
  env.Add(constructor);
  EXPECT_EQ(env.Judge().reason, "the block of its inductive type is malformed");
}

}  // namespace
}  // namespace zermelo::kernel
