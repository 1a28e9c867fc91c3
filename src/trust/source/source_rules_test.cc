#include "trust/source/source_rules.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "trust/source/source_tokens.h"

namespace zermelo::trust {
namespace {

std::multiset<std::string> Codes(std::string_view original, std::string_view candidate) {
  const SourceTokens before(original, SourceTokens::Part::kCode),
      after(candidate, SourceTokens::Part::kCode);
  std::multiset<std::string> codes;
  for (const auto& finding : CheckSource(before.tokens(), after.tokens()))
    codes.insert(Name(finding.reason.code));
  return codes;
}

using Codes_ = std::multiset<std::string>;

TEST(SourceRules, ReplayIsForbiddenUnderBothOfItsNames) {
  for (const char* name : {"Lean.Environment.replay", "Lean.Kernel.Environment.replay"}) {
    EXPECT_EQ(Codes("", std::string("def f := ") + name), Codes_{"forbidden_command"}) << name;
  }
  EXPECT_EQ(Codes("", "theorem replay : p := Game.replay"), Codes_());
}

TEST(SourceRules, HonestTextPasses) {
  EXPECT_EQ(Codes("theorem t : p := by sorry",
                  "theorem axiom_of_choice : q := x\nlocal notation \"sorry\" => y\n"
                  "macro \"m\" : tactic => `(tactic| z)\n@[simp] theorem native : r := x\n"
                  "theorem Foo.axiom : r := by decide\nattribute [local simp] d\nset_option "
                  "maxRecDepth 1000\n"
                  "@[grind =, reducible] def csimp := init + extern tactic\n"
                  "theorem t : p := by simp [csimp, extern]"),
            Codes_());
}

TEST(SourceRules, CommandsThatRunCodeAreRefused) {
  for (const char* text :
       {"axiom c : False", "run_cmd x", "#eval x", "#exit", "initialize x", "elab x",
        "unsafe def x := y", "open private f in Foo", "export private f in Foo", "prelude",
        "run_tac x", "register_option a.b : Nat := {}", "register_builtin_option a.b : Nat := {}",
        "show_panel_widgets [f]", "by with_panel_widgets [f] simp"}) {
    EXPECT_EQ(Codes("", text), Codes_{"forbidden_command"}) << text;
  }
}

TEST(SourceRules, ATokenWithASymbolEndsWhereItIsComplete) {
  EXPECT_EQ(Codes("", "#evalx"), Codes_{"forbidden_command"});
  EXPECT_EQ(Codes("", "#exit!"), Codes_{"forbidden_command"});
  EXPECT_EQ(Codes("", "elabx axioms"), Codes_());
}

TEST(SourceRules, NothingTakesThePlaceOfLeansOwnSyntax) {
  for (const char* text :
       {"namespace Lean.Parser.Command", "namespace «Lean».Parser", "namespace _root_.Lean",
        "macro \"m\" x:ident : command => `(namespace $x)",
        "syntax (name := Lean.Parser.Command.eval) \"z\" term : command",
        "def p : Lean.ParserDescr := x", "open Lean.ParserDescr"}) {
    EXPECT_EQ(Codes("", text), Codes_{"forbidden_command"}) << text;
  }
  EXPECT_EQ(Codes("",
                  "namespace Leander\nopen Lean.Parser.Tactic in\n"
                  "syntax (name := mine) \"z\" location : tactic"),
            Codes_());
}

TEST(SourceRules, OptionsAreReadThroughQuotes) {
  EXPECT_EQ(Codes("", "set_option debug.skipKernelTC true"),
            (Codes_{"forbidden_option", "forbidden_option"}));
  EXPECT_EQ(Codes("", "set_option «debug».proofAsSorry true in"), Codes_{"forbidden_option"});
  EXPECT_EQ(Codes("", "set_option pp.all true"), Codes_());
}

TEST(SourceRules, OptionsThatOnlyLeansKernelHeedsMayBeHints) {
  const auto hints = [](std::string_view candidate) {
    const SourceTokens after(candidate, SourceTokens::Part::kCode);
    std::set<std::string> found;
    for (const auto& finding : CheckSource({}, after.tokens())) found.insert(finding.hint);
    return found;
  };
  const std::set<std::string> refused = {""};
  EXPECT_EQ(hints("set_option debug.skipKernelTC true"),
            (std::set<std::string>{
                "The option `debug.skipKernelTC` can weaken the checks of Lean's own kernel; the "
                "compiled file was accepted by a kernel that options do not reach."}));
  EXPECT_FALSE(hints("set_option «debug».byAsSorry true in").contains(""));
  EXPECT_FALSE(hints("m debug.proofAsSorry").contains(""));
  for (const char* text :
       {"set_option compiler.check false", "set_option interpreter.x true",
        "set_option doc.verso true", "import A", "initialize x : Nat ← y",
        "@[implemented_by f] def g := x", "@[init] def g := x", "unsafe def g := x",
        "@[extern \"f\"] def g := x", "@[export f] def g := x", "@[csimp] theorem g : x",
        "register_option a.b : Nat := {}", "attribute [local csimp, simp] g",
        "macro \"m\" o:ident : command => `(set_option $o true)"}) {
    EXPECT_EQ(hints(text), refused) << text;
  }
}

TEST(SourceRules, WhatRunsInsideLeanIsAProgram) {
  for (const char* text :
       {"#eval x", "elab \"m\" : tactic => f", "@[tactic m] def f := x", "simproc r (a) := f",
        "run_cmd f", "macro \"m\" : term => do f", "def f := addDecl d",
        "@[term_elab m, simp] def f := x", "@[env_linter] def l := x",
        "attribute [local my_rules] f", "@[aesop safe tactic] def f := x",
        "example : p := by aesop (add 50% tactic f)", "@[delab app.f] def f := x",
        "m Environment.replay"}) {
    const SourceTokens after(text, SourceTokens::Part::kCode);
    const auto findings = CheckSource({}, after.tokens());
    ASSERT_EQ(findings.size(), 1U) << text;
    EXPECT_TRUE(findings[0].is_program) << text;
    EXPECT_FALSE(findings[0].hint.empty()) << text;
  }
}

TEST(SourceRules, KnownAttributes) {
  EXPECT_EQ(
      Codes("", "@[simp, aesop unsafe 50% apply, to_additive (attr := norm_cast) g] theorem f : x"),
      Codes_());
  EXPECT_EQ(Codes("", "attribute [local ext, scoped grind =, -simp, my_simps] f"), Codes_());
  EXPECT_EQ(Codes("", "syntax \"a\" : tactic"), Codes_());
  EXPECT_EQ(Codes("", "@[builtin_term_elab m] def f := x"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("@[mine] theorem f : x", "@[mine] theorem f : x"), Codes_());
}

TEST(SourceRules, AttributesInMacros) {
  for (const char* text : {"macro \"m\" : attr => `(attr|implemented_by f)",
                           "macro \"m\" a:attr : attr => `(attr| $a)",
                           "macro \"m\" a:attr : command => `(attribute [local $a] f)",
                           "macro \"m\" a:attr : command => `(attribute [simp, $a] f)"}) {
    EXPECT_EQ(Codes("", text), Codes_{"forbidden_attribute"}) << text;
  }
  EXPECT_EQ(Codes("", "macro \"m\" : attr => `(attr| simp)"), Codes_());
}

TEST(SourceRules, AttributesAnywhereInTheList) {
  EXPECT_EQ(Codes("", "@[implemented_by f] def g := x"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("", "@[simp, csimp] theorem g : x"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("", "@[simp (a, b), extern \"c\"] def g := x"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("", "attribute [local command_elab x] f"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("", "@[builtin_term_parser] def g := x"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("", "attribute [local simproc] f"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("", "@[cpass] def g := x"), Codes_{"forbidden_attribute"});
}

TEST(SourceRules, OptionsAndAttributesAsMacroArguments) {
  EXPECT_EQ(Codes("", "set_option doc.verso true"), Codes_{"forbidden_option"});
  EXPECT_EQ(Codes("", "macro \"m\" o:ident : command => `(set_option $o true)"),
            Codes_{"forbidden_option"});
  EXPECT_EQ(Codes("", "m debug.proofAsSorry"), Codes_{"forbidden_option"});
  EXPECT_EQ(Codes("", "macro \"m\" a:attr : command => `(attribute [$a] f)"),
            Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes("", "@[to_additive (attr := csimp)] theorem t : p"),
            Codes_{"forbidden_attribute"});
}

TEST(SourceRules, MacrosThatOnlyRewriteSyntaxPass) {
  for (const char* text :
       {"macro \"m\" x:term : tactic => `(tactic| exact $x)",
        "local macro (name := n) \"m\" xs:term,* : tactic =>\n `(tactic| f [$xs,*])\ntheorem t",
        "macro \"m\" : command => `(def x := 1)\nm",
        R"(macro_rules
| `(tactic| m $x) => `(tactic| a $x)
| `(m $[$y:term]? $(z)*) => `(a $[$y]? $(z)*)
| _ => Macro.throwUnsupported
@[simp] theorem t)",
        "binder_predicate x \"≻\" y:term => `($y < $x)"}) {
    EXPECT_EQ(Codes("", text), Codes_()) << text;
  }
}

TEST(SourceRules, MacrosThatRunCodeAreRefused) {
  for (const char* text :
       {"macro \"m\" : command => do x", "macro \"m\" : term => return y",
        "macro \"m\" : command => `(set_option pp.all $x)",  // a definition x
        "macro \"m\" x:term : term => `(f $(g x))",          // a program g
        "macro \"m\" x:term : term => `(f $x.g)", "macro \"m\" x:term : term => `(f $x) >>= g",
        "macro \"m\" x:term : term => `(f $x)\ng",
        "macro \"m\" term:x : term:max => `(f $term $max)",
        "macro_rules | `(m $x) => `(a $x) | `(n) => f",
        "macro_rules | `(m $x) => `(a) | `(n) => `(a $x)",
        "notation \"x(\" => y\nmacro \"m\" : term => `(x() f",  // brackets that show nothing
        "macro \"m\" : command => `(macro_rules | `(n) => `($x))", "macro"}) {
    EXPECT_TRUE(Codes("", text).contains("forbidden_command")) << text;
  }
}

TEST(SourceRules, TacticsThatTrustCompiledCode) {
  EXPECT_EQ(Codes("", "by native_decide"), Codes_{"forbidden_tactic"});
  EXPECT_EQ(Codes("", "by decide +native"), Codes_{"forbidden_tactic"});
  EXPECT_EQ(Codes("", "by decide (native := true)"), Codes_{"forbidden_tactic"});
  EXPECT_EQ(Codes("", "by decide (config := { native := true })"), Codes_{"forbidden_tactic"});
  EXPECT_EQ(Codes("", "by decide (native := false)"), Codes_());
  EXPECT_EQ(Codes("", "by\n  let native := true\n  decide"), Codes_());
  EXPECT_EQ(Codes("", "Lean.ofReduceBool a b rfl"), Codes_{"forbidden_tactic"});
}

TEST(SourceRules, OnlyAdditionsCount) {
  EXPECT_EQ(Codes("axiom a : p\ntheorem t := by sorry sorry", "axiom a : p\ntheorem t := by sorry"),
            Codes_());
  EXPECT_EQ(Codes("axiom a : p", "axiom a : p\naxiom b : p"), Codes_{"forbidden_command"});
  EXPECT_EQ(Codes("by sorry", "by sorry sorry"), Codes_{"sorry_added"});
  EXPECT_EQ(Codes("by sorry", "by admit"), Codes_());
  EXPECT_EQ(Codes("import A", "import A\nimport B"), Codes_{"import_added"});
  EXPECT_EQ(Codes("import A", "import all A"), Codes_());
}

TEST(SourceRules, AnAttributeOfTheOriginalMayGetItsProof) {
  const char* original =
      "@[csimp] theorem t : a = b := by sorry\nset_option debug.x true in\nby native_decide";
  EXPECT_EQ(
      Codes(original,
            "@[csimp] theorem t : a = b := by rfl\nset_option debug.x true in\nby native_decide"),
      Codes_());
  EXPECT_EQ(Codes(original, "@[csimp] theorem t : a = c := by rfl"), Codes_{"forbidden_attribute"});
  EXPECT_EQ(Codes(original, "set_option debug.y true in"), Codes_{"forbidden_option"});
}

TEST(SourceRules, AProgramOfTheOriginalMustNotChange) {
  const char* original = "#eval show IO Unit from\n  x\ntheorem t : p := by sorry";
  EXPECT_EQ(
      Codes(original, "#eval show IO Unit from\n  x\ntheorem h : q := y\ntheorem t : p := by h"),
      Codes_());
  EXPECT_EQ(Codes(original, "#eval show IO Unit from\n  z\ntheorem t : p := by h"),
            Codes_{"forbidden_command"});
}

TEST(SourceRules, NamesOfProgramsAreRefused) {
  for (const char* text :
       {"f (IO.FS.writeFile a b)", "f _root_.IO.println", "x (EIO.toIO f)", "f «IO».println",
        "def g := Lean.Meta.inferType e", "f Lean.evalConst", "f (Lean.Elab.Tactic.run g)",
        "f Lean.Elab.Tactic.elabSimpConfig", "f Lake.build", "f Std.Internal.UV.x", "open IO",
        "open Nat IO in\ntheorem t", "open Lean\ntheorem t", "open Foo\n  Lean", "namespace IO",
        "export IO (println)", "open Lean.Elab Tactic"}) {
    EXPECT_EQ(Codes("", text), Codes_{"forbidden_command"}) << text;
  }
  for (const char* text :
       {"theorem t (IO : Nat) : IO = IO := rfl", "theorem Lean.Grind.x : p",
        "def c : Lean.Meta.Simp.Config := {}", "syntax \"m\" Lean.binderIdent : tactic",
        "syntax \"m\" Lean.Parser.Tactic.location : tactic", "open Nat Real\ntheorem t",
        "open Leandro in x", "open Nat in\ntheorem IO : p", "def main : IO Unit := pure ()",
        "Lean.Omega.Int.add_congr"}) {
    EXPECT_EQ(Codes("", text), Codes_()) << text;
  }
  EXPECT_EQ(Codes("", "import Lean.Meta\nimport all Lean.Elab.Term"),
            (Codes_{"import_added", "import_added"}));
  // A statement may be about them, and have a proof.
  const char* original = "theorem t : IO.mk x = y := by sorry";
  EXPECT_EQ(Codes(original, "theorem t : IO.mk x = y := by simp"), Codes_());
  EXPECT_EQ(Codes(original, "theorem t : IO.mk x = y := by simp [IO.println]"),
            Codes_{"forbidden_command"});
}

TEST(SourceRules, OptionsThatAreProgramsAreRefused) {
  for (const char* text :
       {"solve_by_elim (suspend := p)", "apply_rules [f] (discharge := p)",
        "def c : C := { maxDepth := 3, proc := p }", "linarith (preprocessors := [p])",
        "linarith { oracle := p }", "def c : C where\n  suspend := p",
        "simp (config := { maxSteps := match x with | _ => 3 })", "simp (config := fun x => x)",
        "aesop (simp_config := ⟨3⟩)", "f (config := let x := 3; g x)",
        "f (options := (config := do x))", "linarith (discharger := do x)",
        "linarith (discharger := (fun x => y))", "linarith { discharger := f >>= g }",
        "simp (disch := λ x => y)"}) {
    EXPECT_EQ(Codes("", text), Codes_{"forbidden_tactic"}) << text;
  }
  for (const char* text :
       {"simp (config := { maxSteps := 5, decide := true })", "simp (config := .ground)",
        "simp (disch := norm_num1) [f]", "simp (discharger := first | omega | (intro h; exact h))",
        "linarith (config := { splitHypotheses := false })", "let oracle := x", "set proc := x",
        "exact f (motive := fun x => do y)", "simp (disch := simp [← h])"}) {
    EXPECT_EQ(Codes("", text), Codes_()) << text;
  }
  EXPECT_EQ(Codes("structure S where\n  oracle : Nat", "def s : S := { oracle := 3 }"), Codes_());
  EXPECT_EQ(Codes("f (suspend := p)", "f (suspend := p)"), Codes_());
  EXPECT_EQ(Codes("f (suspend := p)", "f (suspend := q)"), Codes_{"forbidden_tactic"});
}

TEST(SourceRules, WhereTheOriginalOpensPrograms) {
  const char* text = "f (motive := fun x => do println y)";
  EXPECT_EQ(Codes("open IO", text), Codes_{"forbidden_tactic"});
  EXPECT_EQ(Codes("open Lean Meta in\nelab x", text), Codes_{"forbidden_tactic"});
  EXPECT_EQ(Codes("open Nat", text), Codes_());
}

TEST(SourceRules, WhatComesBeforeAProgramOfTheOriginal) {
  const std::string original =
      "def path := \"a\"\nnamespace A\ntheorem s : q := by sorry\n#eval show IO Unit from f path\n"
      "theorem t : p := by sorry\n";
  const auto with = [&](std::string_view before, std::string_view added) {
    std::string candidate = original;
    return Codes(original, candidate.insert(candidate.find(before), added));
  };
  for (const char* added :
       {"def path := \"b\"\n", "instance : C := x\n", "open B\n", "notation \"path\" => x\n",
        "attribute [instance] foo in\ntheorem u : q := x\n", "alias path := x\n",
        "theorem u : q := h\n  where path := x\n",
        "theorem u : q := by\n  let rec path := x\n  y\n", "theorem u : q := x alias path := y\n",
        "@[simp] theorem u : q := x def path := y\n",
        "open B notation \"path\" => x in\ntheorem u : q := x\n", "end A\n"}) {
    EXPECT_EQ(with("#eval", added), Codes_{"forbidden_command"}) << added;
    // An `alias` would be read as a part of the #eval.
    if (!std::string_view(added).starts_with("alias")) {
      EXPECT_EQ(with("theorem t", added), Codes_()) << added;
    }
  }
  for (const char* added :
       {"theorem u : q := x\n",
        "/-- about u -/\n@[simp] private lemma u (n : Nat := 3) : q := by\n  x\n",
        "set_option maxHeartbeats 10 in\nopen Nat in\ntheorem u : q := by\n  open Nat in\n  x\n"}) {
    EXPECT_EQ(with("#eval", added), Codes_()) << added;
  }
  const auto replaced = [&](std::string_view old, std::string_view by) {
    std::string candidate = original;
    return Codes(original, candidate.replace(candidate.find(old), old.size(), by));
  };
  EXPECT_EQ(replaced("q := by sorry", "q := by\n  have := x\n  y"), Codes_());
  EXPECT_EQ(replaced("q := by sorry", "q := by y\n  where path := x"), Codes_{"forbidden_command"});
  EXPECT_EQ(replaced("def path := \"a\"\n", ""), Codes_{"forbidden_command"});
  EXPECT_EQ(replaced("\"a\"", "\"b\""), Codes_{"forbidden_command"});
  // What is not run while Lean elaborates has no need of this.
  EXPECT_EQ(Codes("@[category x]\ntheorem t : p := by sorry",
                  "def f := x\n@[category x]\ntheorem t : p := by f"),
            Codes_());
}

TEST(SourceRules, ReportsTheLine) {
  const SourceTokens source("theorem t : p :=\n  x\n#eval x", SourceTokens::Part::kCode);
  const auto findings = CheckSource({}, source.tokens());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 3U);
  EXPECT_EQ(findings[0].reason.message,
            "`#eval` is not allowed in a proof: it runs code while Lean checks the file.");
}

TEST(SourceRules, AnObjectionToCodeAlone) {
  EXPECT_EQ(Objection("theorem t : p := by\n  have := import_x\n  sorry"), std::nullopt);
  EXPECT_EQ(Objection("by native_decide"),
            "`native_decide` is not allowed in a proof: it trusts compiled code, which nothing "
            "checks.");
}

}  // namespace
}  // namespace zermelo::trust
