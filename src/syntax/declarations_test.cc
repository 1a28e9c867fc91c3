#include "syntax/declarations.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "syntax/proof/proof_text.h"

namespace zermelo::syntax {
namespace {

using Names = std::vector<std::string>;

Names FullNames(std::string_view text) {
  Names names;
  for (const Declaration& d : FindDeclarations(text)) names.push_back(d.full_name);
  return names;
}

std::string Cut(std::string_view text, TextRange range) {
  return std::string(text.substr(range.begin, range.end - range.begin));
}

Declaration Only(std::string_view text) {
  std::vector<Declaration> found = FindDeclarations(text);
  EXPECT_EQ(found.size(), 1u) << text;
  return found.empty() ? Declaration{} : found[0];
}

// t: tactic, T: term, ?: ambiguous; one letter per hole.
std::string Positions(std::string_view text) {
  std::string letters;
  for (const Declaration& d : FindDeclarations(text)) {
    for (const Hole& hole : d.holes) {
      letters += hole.position == HolePosition::kTactic ? 't'
                 : hole.position == HolePosition::kTerm ? 'T'
                                                        : '?';
    }
  }
  return letters;
}

Names Labels(std::string_view text) {
  Names labels;
  for (const DeclarationHole& hole : Only(text).holes) labels.push_back(hole.label);
  return labels;
}

TEST(FindDeclarations, NothingToFind) {
  EXPECT_TRUE(FindDeclarations("").empty());
  EXPECT_TRUE(FindDeclarations("-- theorem a : 1 = 1 := by sorry").empty());
  EXPECT_TRUE(FindDeclarations("/- theorem a : p := by sorry\n-/\n/-! theorem b -/").empty());
}

TEST(FindDeclarations, SplitsADeclarationIntoItsParts) {
  const std::string text =
      "import A\n\n-- c\n/-- doc := by sorry -/\n@[simp] private theorem foo (x : ℕ) :\n"
      "    x = x := by\n  sorry -- c\n\n-- next\ndef b := 1";
  const auto found = FindDeclarations(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(Cut(text, found[0].range),
            text.substr(text.find("/--"), text.find(" -- c\n\n") - text.find("/--")));
  EXPECT_EQ(Cut(text, found[0].signature), " (x : ℕ) :\n    x = x");
  EXPECT_EQ(Cut(text, found[0].value), ":= by\n  sorry");
  EXPECT_EQ(found[0].keyword, "theorem");
  EXPECT_EQ(found[0].line, 5u);
  EXPECT_EQ(found[0].holes.size(), 1u);
  EXPECT_EQ(Cut(text, found[1].range), "def b := 1");
}

TEST(FindDeclarations, ResolvesNamespaces) {
  EXPECT_EQ(
      FullNames(
          "namespace A.B\nsection\nmutual\ntheorem a : p := x\nend\nend\nsection S.T\n"
          "theorem b : p := x\nend S.T\ntheorem _root_.c : p := x\nend A.B\nnamespace «x.y»\n"
          "lemma «weird name».h₁' : p := x\nexample : p := x\nend «x.y»\nend\ntheorem d : p := x"),
      (Names{"A.B.a", "A.B.b", "c", "«x.y».«weird name».h₁'", "", "d"}));
}

TEST(FindDeclarations, KnowsEveryModifier) {
  for (const char* modifiers :
       {"private ", "protected ", "noncomputable ", "@[simp, grind =] ", "public meta ",
        "open Nat in ", "open Nat (succ) in\n", "set_option a.b true in\n",
        "variable (x : Nat) in\n", "/-- sorry -/\n@[simp]\nprivate\n", "nonrec unsafe ",
        "open A in open B in\nset_option x 1 in\n@[simp] "}) {
    const std::string text =
        "def z := 1\n" + std::string(modifiers) + "theorem a : p := by sorry\n";
    const auto found = FindDeclarations(text);
    ASSERT_EQ(found.size(), 2u) << text;
    EXPECT_EQ(found[1].range.begin, 11u) << text;
    EXPECT_EQ(found[1].full_name, "a") << text;
  }
}

TEST(FindDeclarations, OpenInsideAProofDoesNotEndIt) {
  const std::string text =
      "theorem a : p := by\n  open Nat in simp\n  set_option x.y true in\n  sorry\n"
      "open Nat\ntheorem b : p := open Nat in sorry\n";
  EXPECT_EQ(FullNames(text), (Names{"a", "b"}));
  EXPECT_EQ(Positions(text), "tT");
}

TEST(Holes, ASorryForAllGoalsIsFilledWithOneProofOfThem) {
  const auto hole = [](const std::string& proof) {
    const std::string text = "theorem a : p := by\n  constructor\n  " + proof;
    const auto found = FindDeclarations(text);
    const DeclarationHole& only = found.at(0).holes.at(0);
    EXPECT_EQ(found[0].holes.size(), 1U) << text;
    return text.substr(only.begin, only.end - only.begin);
  };
  EXPECT_EQ(hole("all_goals sorry\n"), "all_goals sorry");
  EXPECT_EQ(hole("any_goals sorry\n  simp\n"), "any_goals sorry");
  EXPECT_EQ(hole("simp <;> all_goals sorry\n"), "sorry") << "it runs once for each goal of simp";
  EXPECT_EQ(hole("all_goals sorry; simp\n"), "sorry");
  EXPECT_EQ(hole("all_goals (sorry)\n"), "sorry");
  const std::string text =
      "theorem a : p := by\n  constructor\n  all_goals sorry\ntheorem b : q := r\n";
  EXPECT_EQ(SpliceProof(text, FindDeclarations(text)[0].holes[0], "· simp\n· omega").text,
            "theorem a : p := by\n  constructor\n  · simp\n  · omega\ntheorem b : q := r\n");
}

TEST(Holes, ADefaultOfAFieldIsNoProof) {
  const auto found = FindDeclarations(
      "structure P where\n  x : Fin 3 := ⟨0, by sorry⟩\n  h : x = x := by sorry\n"
      "def p : P := by sorry\n");
  ASSERT_EQ(found[0].holes.size(), 2U);
  EXPECT_TRUE(found[0].holes[0].provable);
  EXPECT_TRUE(found[0].holes[1].in_default);
  EXPECT_FALSE(found[0].holes[1].provable);
  EXPECT_FALSE(found[1].holes.at(0).in_default);
}

TEST(Holes, ASorryForTheGoalsOfATacticIsFilledWithOneProofOfThem) {
  const auto filled = [](const std::string& proof) {
    const std::string text = "theorem a : p := by" + proof;
    const auto found = FindDeclarations(text);
    EXPECT_EQ(found.at(0).holes.size(), 1U) << text;
    return SpliceProof(text, found[0].holes.at(0), "· simp\n· omega").text.substr(19);
  };
  EXPECT_EQ(filled("\n  cases h <;> sorry\n"), "\n  cases h\n  · simp\n  · omega\n");
  EXPECT_EQ(filled(" cases h <;> sorry\n"),
            " cases h\n                    · simp\n"
            "                    · omega\n");
  EXPECT_EQ(filled("\n  intro h\n  cases h  <;> sorry\n  rfl\n"),
            "\n  intro h\n  · cases h\n    · simp\n    · omega\n  rfl\n");
  EXPECT_EQ(filled("\n  · cases h <;> simp <;> sorry"),
            "\n  · cases h <;> simp\n    · simp\n    · omega");
  EXPECT_EQ(filled("\n  cases h <;> sorry <;> simp\n"),
            "\n  cases h <;> (· simp\n               · omega) <;> simp\n");
  EXPECT_EQ(filled("\n  cases h <;> -- all\n    sorry\n"),
            "\n  cases h <;> -- all\n    (· simp\n     · omega)\n");
  EXPECT_EQ(filled("\n  open A in cases h <;> sorry\n"),
            "\n  open A in cases h <;> (· simp\n                         · omega)\n");
  EXPECT_EQ(filled("\n  repeat cases h <;> sorry\n"),
            "\n  repeat cases h <;> (· simp\n                      · omega)\n");
}

TEST(FindDeclarations, CommandWordsInsideBracketsAndNamesAreNotCommands) {
  EXPECT_EQ(
      FullNames(
          "macro \"m\" : command => `(theorem a : p := sorry)\nderiving instance Repr for X\n"
          "attribute [instance] foo\ntheorem b : x.end = Foo.section := lemma\n#exit\ndef c := 1"),
      (Names{"b"}));
}

TEST(FindDeclarations, UnclosedBracketAffectsOneDeclaration) {
  EXPECT_EQ(FullNames("theorem a : (1 = 1 := by sorry\n\ntheorem b : (p) := by sorry\n"),
            (Names{"a", "b"}));
}

TEST(FindDeclarations, FindsTheValue) {
  const auto value = [](std::string_view text) { return Cut(text, Only(text).value); };
  EXPECT_EQ(value("theorem a : let f := 1; f = 1 := rfl"), ":= rfl");
  EXPECT_EQ(value("theorem a (h : |x| = 1) : |x| = f fun y => y := rfl"), ":= rfl");
  EXPECT_EQ(value("def f : Nat → Nat\n  | 0 => 1\n  | n => 2"), "| 0 => 1\n  | n => 2");
  EXPECT_EQ(value("theorem a : match x with | 0 => p | _ => q := rfl"), ":= rfl");
  EXPECT_EQ(value("instance (priority := low) : X where\n  a := 1"), "where\n  a := 1");
  EXPECT_EQ(value("inductive T : Type | a | b"), "| a | b");
  EXPECT_EQ(value("structure S (x := 1) extends B where\n  y : Nat"), "where\n  y : Nat");
  EXPECT_EQ(value("axiom a : p"), "");
}

TEST(FindDeclarations, NamesInstancesAndTwoWordKeywords) {
  EXPECT_EQ(Only("instance (priority := low) foo : X := x").name, "foo");
  EXPECT_EQ(Only("instance : X where\n").name, "");
  EXPECT_EQ(Only("theorem foo.{u} : p := x").name, "foo");
  EXPECT_EQ(Only("class inductive T | a").keyword, "class inductive");
}

TEST(FindDeclarations, KeepsDerivingAndFieldDocsInAStructure) {
  const std::string text = "structure S where\n  /-- d -/\n  private x : Nat\nderiving Repr\n";
  EXPECT_EQ(Only(text).range, (TextRange{0, text.size() - 1}));
}

TEST(Holes, OnlyRealSorriesCount) {
  EXPECT_EQ(
      Positions(
          "theorem sorry_x : p := by\n  -- sorry\n  /- sorry -/\n  exact h.sorry «sorry» \"sorry\" "
          "s!\"{sorry}\" sorry' (f x).sorry\n  admit\n"),
      "t");
}

TEST(Holes, TacticPositions) {
  for (const char* proof :
       {"sorry",
        "simp; sorry",
        "simp <;> sorry",
        "· sorry",
        "(sorry)",
        "{ sorry }",
        "case h => sorry",
        "next => sorry",
        "cases n with\n  | zero => sorry",
        "induction n with | a => simp | b k => sorry",
        "all_goals sorry",
        "first | fail | sorry",
        "have h : p := by sorry\n  simp",
        "match n with\n  | 0 => sorry",
        "if h : p then skip else sorry",
        "if h : p then skip\n  else if k : q then skip\n  else sorry",
        "exact foo (by sorry)",
        "calc a = b := by sorry\n    _ = c := h",
        "conv => lhs\n  sorry",
        "obtain ⟨x, h | h⟩ : p := h\n  sorry",
        "show p; sorry",
        "iterate 3 sorry",
        "rcases h with h | h\n  · simp\n  · sorry",
        "set_option x true in sorry",
        ". sorry",
        "simp at *\n  <;> sorry",
        "exact ⟨a, by\n    sorry⟩",
        "suffices h : p by sorry\n  simp",
        "have : |x| = 1 := by sorry",
        "cases h with\n  | inl h => have : |x| = |y| := by sorry\n  | b => x"}) {
    EXPECT_EQ(Positions("theorem a : p := by\n  " + std::string(proof) + "\n"), "t") << proof;
  }
}

TEST(Holes, TermPositions) {
  for (const char* proof :
       {":= sorry", ":= fun x => sorry", ":= by exact sorry", ":= ⟨sorry, h⟩", ":= f sorry",
        ":= by\n  have h := sorry\n  simp", ":= by\n  exact fun x =>\n    sorry",
        ":= by\n  calc a = b := sorry", ":= if h : p then sorry else x", "\n  | 0 => sorry",
        ":= match n with | 0 => by simp | _ => sorry", ":= by\n  show p from sorry",
        ":= by\n  exact match n with\n    | 0 => sorry", ":= ⟨by\n  simp, sorry⟩",
        ":= by\n  refine f ?_\n    sorry", ":=\n  have h := by simp\n  sorry"}) {
    EXPECT_EQ(Positions("theorem a : p " + std::string(proof) + "\n"), "T") << proof;
  }
}

TEST(Holes, UnknownArrowIsAmbiguous) {
  EXPECT_EQ(Positions("theorem a : p := by\n  my_tac x => sorry"), "?");
}

TEST(Holes, SeveralInOneDeclaration) {
  EXPECT_EQ(Positions("theorem a : p := ⟨sorry, by sorry⟩"), "Tt");
  EXPECT_EQ(Positions("theorem a : p := by\n  cases n with | zero => sorry | succ n ih => sorry"),
            "tt");
  EXPECT_EQ(Positions("theorem a : p := by\n  if h : p then sorry else sorry"), "tt");
  EXPECT_EQ(Positions("theorem a : p := if h : p then sorry else sorry"), "TT");
  EXPECT_EQ(Positions("theorem a : p := aux where\n  aux : q := by sorry\n  b : q := sorry"), "tT");
  EXPECT_EQ(Positions("def a := f a\ntermination_by x\ndecreasing_by sorry"), "t");
}

TEST(Holes, AreLabelledByTheInnermostHave) {
  EXPECT_EQ(Labels("theorem a : p := by\n  have h₁ : q := by\n    have : r := sorry\n    sorry\n"
                   "  obtain ⟨x⟩ : r := by sorry\n  suffices h₂ : q from sorry\n  show p\n  sorry"),
            (Names{"this", "h₁", "", "h₂", ""}));
  const std::string text = "theorem a : p := by\n  have h : q := sorry\n  sorry";
  const auto holes = Only(text).holes;
  EXPECT_EQ(holes[0].label_begin, text.find("have"));
  EXPECT_EQ(holes[1].label_begin, kNowhere);
}

TEST(Holes, KnowTheColumnOfTheirBlock) {
  const auto holes =
      Only("theorem a : p := by\n  constructor\n  · simp\n    sorry\n  · exact ⟨α, sorry⟩").holes;
  EXPECT_EQ(holes[0].block_column, 4u);
  EXPECT_EQ(holes[1].block_column, 4u);
}

TEST(Holes, DefinitionsAreProvableOnlyInProofs) {
  const auto holes = Only("def a : T :=\n  have h : p := sorry\n  ⟨sorry, by sorry⟩").holes;
  ASSERT_EQ(holes.size(), 3u);
  EXPECT_TRUE(holes[0].provable);
  EXPECT_FALSE(holes[1].provable);
  EXPECT_TRUE(holes[2].provable);
  for (const auto& hole : holes) EXPECT_TRUE(hole.in_definition);
}

TEST(Holes, ALineThatBeginsWithTheSizeOfASetIsNoCommand) {
  const std::string text =
      "theorem card_le (s t : Finset Nat) :\n    #s ≤ #t := by\n  sorry\n#guard "
      "true\n#new_command\n";
  const auto declarations = FindDeclarations(text);
  ASSERT_EQ(declarations.size(), 1u);
  ASSERT_EQ(declarations[0].holes.size(), 1u);
  EXPECT_TRUE(declarations[0].holes[0].provable);
  EXPECT_EQ(text.substr(declarations[0].range.end), "\n#guard true\n#new_command\n");
}

TEST(Holes, StatementsAreNotProvable) {
  const auto holes = Only("theorem a : sorry := by sorry").holes;
  EXPECT_TRUE(holes[0].in_signature);
  EXPECT_FALSE(holes[0].provable);
  EXPECT_TRUE(holes[1].provable);
}

TEST(Header, EndsAfterTheImports) {
  const auto body = [](std::string_view text) { return std::string(text.substr(HeaderEnd(text))); };
  EXPECT_EQ(body("/- © -/\nmodule\nprelude\npublic import A.B -- c\nimport all C\n\n-- x\ndef"),
            "\n-- x\ndef");
  EXPECT_EQ(body("import A\r\nopen B"), "open B");
  EXPECT_EQ(body("-- c\n\n/- d -/\nopen B"), "open B");
  EXPECT_EQ(body("open B"), "open B");
  EXPECT_EQ(body("import A"), "");
  EXPECT_EQ(body(""), "");
  EXPECT_EQ(ImportedModules(
                "module\npublic import A.«b c»\nmeta import all D import E\nopen F\nimport G"),
            (Names{"A.«b c»", "D", "E"}));
}

TEST(Header, InitIsSearchedUnlessTheFileImportsModulesOrIsAPrelude) {
  EXPECT_TRUE(IsPrelude("-- c\nprelude\nimport Init.Core"));
  EXPECT_TRUE(IsPrelude("module\n\nprelude\n"));
  EXPECT_FALSE(IsPrelude("import A\ndef prelude := 1"));
  EXPECT_EQ(ModulesToSearch("theorem t : p"), Names{"Init"});
  EXPECT_EQ(ModulesToSearch("import A\ntheorem t : p"), Names{"A"});
  EXPECT_EQ(ModulesToSearch("prelude\ntheorem t : p"), Names{});
}

TEST(StatementOnly, ReplacesTheValue) {
  const auto statement = [](std::string_view text) { return StatementOnly(text, Only(text)); };
  EXPECT_EQ(statement("@[simp] theorem a : p -- c\n  := by\n  simp\n"),
            "@[simp] theorem a : p := by sorry");
  EXPECT_EQ(statement("theorem a : (n : Nat) → p\n  | 0 => x"),
            "theorem a : (n : Nat) → p := by sorry");
  EXPECT_EQ(statement("axiom a : p"), "axiom a : p");
}

TEST(DeclarationTest, IsShownByItsFullNameOrItsLine) {
  EXPECT_EQ(Only("namespace A\ntheorem B.t : p := x").DisplayName(), "A.B.t");
  EXPECT_EQ(Only("-- c\nexample : p := x").DisplayName(), "example (line 2)");
  EXPECT_EQ(Only("instance : C := x").DisplayName(), "instance (line 1)");
}

TEST(DeclarationTest, IsNamedAsWrittenOrInFull) {
  const Declaration declaration = Only("namespace A.B\ntheorem C.t : p := x");
  for (const char* name : {"C.t", "A.B.C.t"}) EXPECT_TRUE(declaration.IsNamed(name)) << name;
  for (const char* name : {"t", "B.C.t", "A.t", ""}) EXPECT_FALSE(declaration.IsNamed(name));
  EXPECT_TRUE(Only("namespace A\ntheorem _root_.t : p := x").IsNamed("_root_.t"));
}

TEST(DeclarationTest, MatchesANameWithoutOuterNamespaces) {
  const Declaration declaration = Only("namespace A.B\ntheorem C.t : p := x");
  for (const char* name : {"t", "C.t", "B.C.t", "A.B.C.t"}) {
    EXPECT_TRUE(declaration.MatchesName(name)) << name;
  }
  for (const char* name : {"", "A.t", ".t", "A.B.C", "u"}) {
    EXPECT_FALSE(declaration.MatchesName(name)) << name;
  }
}

TEST(DeclarationTest, HasAProvableHole) {
  EXPECT_TRUE(Only("theorem a : p := by sorry").HasProvableHole());
  EXPECT_FALSE(Only("theorem a : p := x").HasProvableHole());
  EXPECT_FALSE(Only("def a : Nat := sorry").HasProvableHole());
}

TEST(DeclarationAt, TheEndBelongsToADeclarationUnlessTheNextBeginsThere) {
  const std::string text = "-- c\ndef a := (1)def b := 2\n\n";
  const auto found = FindDeclarations(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(DeclarationAt(found, 0), nullptr);
  EXPECT_EQ(DeclarationAt(found, text.find("def a")), &found[0]);
  EXPECT_EQ(DeclarationAt(found, text.find("def b")), &found[1]);
  EXPECT_EQ(DeclarationAt(found, found[1].range.end), &found[1]);
  EXPECT_EQ(DeclarationAt(found, found[1].range.end + 1), nullptr);
}

TEST(FindDeclarations, AcceptsFiftyThousandLines) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text +=
        "/-- d -/\ntheorem t : p := by\n  cases h with\n  | a => sorry\n  | b => exact ⟨sorry, by "
        "simp⟩\n";
  }
  EXPECT_EQ(FindDeclarations(text).size(), 10'000u);
}

TEST(FindDeclarations, HostileRepetitionStaysLinear) {
  for (const char* unit :
       {"(",         "((]",      "open A in ",  "open ",   "@[",         "private ",
        "private\n", "theorem ", "by ",         "if ",     "if => ",     "fun ",
        "match | ",  "by (",     "have ",       "x | => ", "theorem a ", "/-- -/",
        "∃, ",       "(by ",     "end\n",       "· ",      "by\n",       "«",
        "r#",        "'",        "set_option ", "else ",   "⟨by simp, "}) {
    std::string text = "theorem a : p := by\n  ";
    for (int i = 0; i < 50'000; ++i) text += unit;
    FindDeclarations(text + "sorry");
  }
}

}  // namespace
}  // namespace zermelo::syntax
