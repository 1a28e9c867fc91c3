#include "syntax/file_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zermelo::syntax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using ConstantKind = FileConstant::Kind;

std::vector<FileConstant> Read(const std::string& text) { return ConstantsOf(File(text)); }

TEST(FileConstants, KindsOfDeclarations) {
  const auto constants = Read(
      "namespace A\n"
      "abbrev State := String → Nat\n"
      "def f (n : Nat) : Nat := n + 1\n"
      "def Rel (n : Nat) : Prop := f n = n\n"
      "inductive T where\n  | leaf\n  | node (l r : T)\n"
      "inductive Even : Nat → Prop where\n  | zero : Even 0\n  | step : Even n → Even (n + 2)\n"
      "theorem t : f 1 = 2 := rfl\n"
      "instance : Add T := ⟨fun a _ => a⟩\n"
      "example : True := trivial\n"
      "end A\n");
  std::vector<std::string> names;
  std::vector<ConstantKind> kinds;
  for (const FileConstant& constant : constants) {
    names.push_back(constant.name);
    kinds.push_back(constant.kind);
  }
  EXPECT_THAT(names, ElementsAre("A.State", "A.f", "A.Rel", "A.T", "A.Even", "A.t", ""));
  EXPECT_THAT(kinds,
              ElementsAre(ConstantKind::kType, ConstantKind::kFunction, ConstantKind::kFunction,
                          ConstantKind::kType, ConstantKind::kPredicate, ConstantKind::kTheorem,
                          ConstantKind::kInstance));
  EXPECT_FALSE(constants[1].proposition);
  EXPECT_TRUE(constants[2].proposition);
  EXPECT_EQ(constants[5].declaration, 5U);
}

TEST(FileConstants, AFunctionIsEndlessIfItCallsItselfWithoutAPattern) {
  const auto constants = Read(
      "def log (n : Nat) : Nat := if n ≤ 1 then 0 else 1 + log (n / 2)\n"
      "def len : List Nat → Nat\n  | [] => 0\n  | _ :: xs => len xs + 1\n"
      "def sum (n : Nat) : Nat := match n with\n  | 0 => 0\n  | n + 1 => sum n + 1\n"
      "def twice (n : Nat) : Nat := if n = 0 then log n else n + n\n"
      "def digits : Nat → List Nat\n  | n => if n < 10 then [n] else digits (n / 10) ++ [n % 10]\n"
      "def fst : Nat × Nat → Nat\n  | ⟨a, _⟩ => if a = 0 then 0 else fst (a - 1, 0)\n");
  std::vector<bool> endless;
  for (const FileConstant& constant : constants) endless.push_back(constant.endless);
  EXPECT_THAT(endless, ElementsAre(true, false, false, false, true, false));
}

TEST(FileConstants, ConstructorsOfTypes) {
  const auto constants = Read(
      "inductive T where\n  | leaf\n  | node (l r : T)\n"
      "inductive Light | red | green\n"
      "inductive Box : Type where\n  | mk : Nat → Box\n"
      "inductive Star (R : α → α → Prop) : α → α → Prop where\n  | refl (x) : Star R x x\n");
  EXPECT_THAT(constants[0].constructors, ElementsAre("T.leaf", "T.node"));
  EXPECT_THAT(constants[0].plain, ElementsAre("T.leaf"));
  EXPECT_TRUE(constants[0].recursive);
  EXPECT_THAT(constants[1].plain, ElementsAre("Light.red", "Light.green"));
  EXPECT_FALSE(constants[1].recursive);
  EXPECT_FALSE(constants[2].recursive);
  EXPECT_EQ(constants[3].parameters, 1U);
}

TEST(FileConstants, ATypeOfPredicatesMakesPredicates) {
  const auto constants = Read(
      "abbrev Lang (α : Type) := List α → Prop\n"
      "inductive Star (L : Lang α) : Lang α where\n  | nil : Star L []\n"
      "  | app : L u → Star L v → Star L (u ++ v)\n"
      "def cat (L M : Lang α) : Lang α := fun w => ∃ u v, u ++ v = w ∧ L u ∧ M v\n"
      "def size (L : Lang α) (n : Nat) : Nat := n\n");
  ASSERT_EQ(constants.size(), 4U);
  EXPECT_EQ(constants[0].kind, ConstantKind::kType);
  EXPECT_EQ(constants[1].kind, ConstantKind::kPredicate);
  EXPECT_THAT(constants[1].rules,
              ElementsAre(" : Star L []", " : L u → Star L v → Star L (u ++ v)"));
  EXPECT_TRUE(constants[2].proposition);
  EXPECT_FALSE(constants[3].proposition);
}

TEST(FileConstants, LawsOfAClassAreTheorems) {
  const auto constants = Read(
      "class Ord (α : Type) where\n"
      "  le : α → α → Prop\n"
      "  bot : α\n"
      "  refl : ∀ a, le a a\n"
      "  bot_le : ∀ a : α,\n    le bot a ↔ True\n");
  ASSERT_EQ(constants.size(), 3U);
  EXPECT_EQ(constants[0].name, "Ord.refl");
  EXPECT_EQ(constants[1].name, "Ord.bot_le");
  EXPECT_EQ(constants[1].signature, ": ∀ a : α,\n    le bot a ↔ True");
  EXPECT_THAT(constants[2].fields, ElementsAre("Ord.le", "Ord.bot"));
}

TEST(FileConstants, ANotationStandsForWhatItMentions) {
  const auto constants = Read("def f (a b : Nat) := a\ninfixl:65 \" ⊕⊕ \" => f\n");
  ASSERT_EQ(constants.size(), 2U);
  EXPECT_EQ(constants[1].kind, ConstantKind::kNotation);
  EXPECT_THAT(constants[1].symbols, ElementsAre("⊕⊕"));
  EXPECT_TRUE(MayMean(constants[1].names, "f"));
}

TEST(FileConstants, NamesAsTheyAreWritten) {
  const NameSet names = NamesIn("t.left.size = List.map f xs ∧ (g t).depth = 0");
  for (const char* meant :
       {"Tree.size", "Tree.left", "List.map", "f", "A.f", "B.List.map", "Tree.depth", "g"}) {
    EXPECT_TRUE(MayMean(names, meant)) << meant;
  }
  for (const char* other : {"Tree.map", "map", "size'", "f.A", ""}) {
    EXPECT_FALSE(MayMean(names, other)) << other;
  }
}

TEST(FileConstants, NamesThatTheLibraryExportsNeedTheirRoot) {
  const auto constants = Read("def insert := 1\ndef T.insert := 1\ndef sort := 1\n");
  EXPECT_EQ(constants[0].name, "insert");
  EXPECT_EQ(constants[0].reference, "_root_.insert");
  EXPECT_EQ(constants[1].reference, "T.insert");
  EXPECT_EQ(constants[2].reference, "sort");
  EXPECT_TRUE(Writes(NamesIn("size (_root_.insert x t)"), "insert"));
}

TEST(FileConstants, FunctionsAfterWhere) {
  const auto constants = Read(
      "def rev (xs : List Nat) : List Nat := go [] xs\nwhere\n"
      "  go : List Nat → List Nat → List Nat\n    | acc, [] => acc\n    | acc, x :: xs => go (x :: "
      "acc) xs\n"
      "  done (n : Nat) : Prop := n = 0\n  termination_by n\n"
      "def p : Point where\n  x := 1\n  y := 2\n");
  ASSERT_EQ(constants.size(), 4U);
  const auto named = [&](std::string_view name) {
    return *std::ranges::find(constants, name, &FileConstant::name);
  };
  EXPECT_TRUE(named("rev.go").recursive);
  EXPECT_FALSE(named("rev.go").endless);
  EXPECT_EQ(named("rev.go").signature, ": List Nat → List Nat → List Nat");
  EXPECT_EQ(named("rev.go").declaration, named("rev").declaration);
  EXPECT_TRUE(named("rev.done").proposition);
  EXPECT_EQ(named("rev.done").parameters, 1U);
  EXPECT_FALSE(named("rev").endless);
}

TEST(FileConstants, AFunctionBesideWhereAndHowItEnds) {
  const auto constants = Read(
      "def f (n : Nat) : Nat := go n\nwhere go (n : Nat) : Nat :=\n  match n with\n  | 0 => 0\n"
      "  | n + 1 => go n\n"
      "def g (n : Nat) : Nat := go n\nwhere\n  /-- Goes. -/\n  @[specialize] go (n : Nat) : Nat "
      ":=\n"
      "    if n = 0 then 0 else go (n - 1)\n  termination_by n\ndecreasing_by\n  simp_wf\n  omega "
      "[h]\n");
  std::vector<std::string> names;
  for (const FileConstant& constant : constants) names.push_back(constant.name);
  EXPECT_THAT(names, UnorderedElementsAre("f", "f.go", "g", "g.go"));
  const auto go = std::ranges::find(constants, "f.go", &FileConstant::name);
  EXPECT_TRUE(go->recursive);
  EXPECT_EQ(go->signature, "(n : Nat) : Nat");
}

TEST(FileConstants, WhatCannotBeUnfolded) {
  const auto constants = Read("opaque P : Nat → Prop\naxiom G : Type\n");
  ASSERT_EQ(constants.size(), 2U);
  EXPECT_EQ(constants[0].kind, FileConstant::Kind::kOpaque);
  EXPECT_EQ(constants[1].kind, FileConstant::Kind::kOpaque);
}

TEST(FileConstants, TheoremsHaveTheVariablesOfTheirSection) {
  const auto constants = Read(
      "section\nvariable {G : Type} [Group G] (a b c : G)\n"
      "theorem cancel (h : a * b = a * c) : b = c := p\ntheorem other : True := trivial\nend\n"
      "noncomputable section\nvariable (n : Nat)\nend\ntheorem last : n = n := rfl\n");
  EXPECT_EQ(constants[0].signature, "{G : Type} [Group G] (a b c : G) (h : a * b = a * c) : b = c");
  EXPECT_EQ(constants[0].parameters, 4U);
  EXPECT_EQ(constants[1].signature, ": True");
  EXPECT_EQ(constants[2].signature, ": n = n");
}

TEST(FileConstants, TheoremsBelowAnOpenNamespaceNeedTheirRoot) {
  const auto constants = Read(
      "open List\ndef twice := 1\ntheorem length_append : P := p\ntheorem Mine.map_map : P := p\n");
  EXPECT_EQ(constants[0].reference, "twice");
  EXPECT_EQ(constants[1].reference, "_root_.length_append");
  EXPECT_EQ(constants[2].reference, "Mine.map_map");
  EXPECT_EQ(Read("open List in\ntheorem map_map : P := p\n")[0].reference, "_root_.map_map");
}

TEST(FileConstants, VariablesMayBeCapitalLetters) {
  const NameSet names = NamesIn("M.run s (u ++ v) = Γ₁.lookup x + G'.size + T0.depth.succ");
  for (const char* meant : {"DFA.run", "Env.lookup", "Graph.size", "Tree.depth", "Nat.succ"}) {
    EXPECT_TRUE(MayMean(names, meant)) << meant;
  }
  EXPECT_FALSE(BeginsWithVariable("List.map"));
  EXPECT_FALSE(BeginsWithVariable("DFA.run"));
}

TEST(FileConstants, OpenTheoremsThatAProofNames) {
  auto constants = Read(
      "theorem A.one : P := sorry\ntheorem two : P := sorry\ntheorem three : P := p\n"
      "def four := 4\n");
  for (FileConstant& constant : constants) constant.open = constant.name != "three";
  EXPECT_THAT(OpenTheoremsIn("simp [one, three, four, h.two]", constants), ElementsAre("A.one"));
  EXPECT_THAT(OpenTheoremsIn("rw [A.one]; exact two x", constants), ElementsAre("A.one", "two"));
  EXPECT_THAT(OpenTheoremsIn("omega", constants), IsEmpty());
  const Goal goal{.hypotheses = {{.names = {"n", "two"}, .type = "P"}}};
  EXPECT_THAT(OpenTheoremsIn("exact one two", constants, &goal), ElementsAre("A.one"));
  EXPECT_THAT(OpenTheoremsIn("exact _root_.two", constants, &goal), ElementsAre("two"));
}

TEST(FileConstants, AnyBytesAreRead) {
  for (const char* text : {"", "inductive", "class where", "structure A where\n :", "notation \"\"",
                           "inductive A | | |", "\xff\xfe", "inductive A where | a : (((", "def"}) {
    EXPECT_THAT(NamesIn(text).fields, IsEmpty());
    Read(text);
  }
}

}  // namespace
}  // namespace zermelo::syntax
