#!/usr/bin/env python3
"""`zermelo check --against`: verdicts on files and folders, and the allowed axioms."""
from testing.programs import LIAR, TACTIC
from testing.zermelo import ZermeloTest, main

OPEN = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
PROVED = OPEN.replace("sorry", "omega")
GIVEN = "axiom given : 1 + 1 = 3\n\n"
CHEAT = "theorem u : 2 + 2 = 5 := by\n  sorry\n"

# The public part of the embedded library has the theorem `maxValueSealed.eq_1`, but not what it is about.
HIDDEN_NAME = """\
import Lean
open Lean Elab Tactic

elab "prepare" : tactic => do
  let n : Name := .str (.str (.num `_private.Init.Data.Range.Polymorphic.SInt 0) "ISize") "maxValueSealed"
  addDecl <| .defnDecl {
    name := n, levelParams := [], type := .const ``ISize [], value := .const ``ISize.minValue [], hints := .abbrev, safety := .safe }
  let eq (a : Expr) := mkApp3 (.const ``Eq [1]) (.const ``ISize []) a (.const ``ISize.maxValue [])
  addDecl <| .thmDecl {
    name := `bad, levelParams := [], type := eq (.const ``ISize.minValue []),
    value := mkApp2 (.const ``id [0]) (eq (.const n [])) (.const (.str n "eq_1") []) }

def first : Nat := by
  prepare
  exact 0

theorem t : False := by
  have h := congrArg ISize.toInt bad
  rw [ISize.toInt_minValue, ISize.toInt_maxValue] at h
  generalize (2 : Int) ^ (System.Platform.numBits - 1) = x at h
  omega
"""


class TwoFolders(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("problems/deep/A.lean", "problems/B.lean", "problems/C.lean"):
            cls.write(name, OPEN)
        cls.write("problems/Broken.lean", "theorem t : 1 = := by\n  sorry\n")
        cls.write("problems/.lake/Library.lean", OPEN)
        cls.write("problems/notes.txt", "no Lean")
        cls.write("problems/Definitions.lean", "def f := 1\n")
        cls.write("answers/deep/A.lean", PROVED)
        cls.write("answers/B.lean", "axiom cheat (a b : Nat) : a + b = b + a\n" + OPEN.replace("sorry", "apply cheat"))
        cls.write("answers/Broken.lean", PROVED)
        cls.run_all = cls.zermelo("check", "answers", "--against", "problems", "--json")
        cls.files = {f["original"]: f for f in cls.run_all.json["files"]}

    def test_every_lean_file_under_the_originals_has_a_verdict(self):
        self.assertEqual({name: f["verdict"] for name, f in self.files.items()},
                         {"problems/B.lean": "rejected", "problems/Broken.lean": "error",
                          "problems/C.lean": "rejected", "problems/deep/A.lean": "accepted"})
        self.assertEqual([self.run_all.json[key] for key in ("verdict", "accepted", "rejected", "errors")],
                         ["rejected", 1, 2, 1])

    def test_each_says_why(self):
        self.assertEqual([r["code"] for r in self.files["problems/B.lean"]["reasons"]], ["forbidden_command"])
        self.assertEqual([r["code"] for r in self.files["problems/C.lean"]["reasons"]], ["candidate_missing"])
        self.assertIn("does not compile", self.files["problems/Broken.lean"]["error"]["message"])
        self.assertEqual([(t["name"], t["verdict"]) for t in self.files["problems/deep/A.lean"]["theorems"]],
                         [("t", "accepted")])

    def test_the_known_bugs_of_this_leans_kernel_are_named_once(self):
        self.assertTrue(self.run_all.json["lean"]["warnings"])
        self.assertEqual(self.run_all.err.count("#14498"), 1, self.run_all)

    def test_an_original_without_a_verdict_is_an_error_of_the_run(self):
        self.assert_ends(self.run_all, 2, "1 of 4 files accepted", "answers/deep/A.lean: accepted",
                         "left out, without a theorem to prove: 1 file")
        self.assertEqual(self.run_all.json["left_out"], ["problems/Definitions.lean"])

    def test_originals_without_a_theorem_to_prove_are_an_error(self):
        self.write("definitions/A.lean", "def f := 1\n")
        run = self.zermelo("check", "answers", "--against", "definitions", limit=20)
        self.assert_ends(run, 2, "no file in definitions has a theorem to prove")

    def test_a_file_and_a_folder_cannot_be_compared(self):
        self.assert_ends(self.zermelo("check", "answers/B.lean", "--against", "problems", limit=20), 2, "is a folder")


class Axioms(ZermeloTest):
    def verdict(self, *more):
        original = self.write("Given.lean", GIVEN + CHEAT)
        candidate = self.write("Used.lean", GIVEN + CHEAT.replace("sorry", "exact absurd given (by decide)"))
        run = self.zermelo("check", candidate, "--against", original, "--json", *more)
        theorem, = run.json["theorems"]
        return run.code, [reason["code"] for reason in theorem["reasons"]]

    def test_an_axiom_of_the_original_is_allowed_by_name(self):
        self.assertEqual(self.verdict("--allow-axiom", "given"), (0, []))

    def test_zermelo_toml_sets_the_allowed_axioms(self):
        config = self.write("strict.toml", '[trust]\naxioms = ["propext"]\n')
        self.assertEqual(self.verdict("--config", config), (1, ["axiom_not_allowed"]))


WRITER = TACTIC.replace("do evalTactic", """do
  IO.FS.writeFile "OUTSIDE" "here"
  evalTactic""")


class Programs(ZermeloTest):
    def verdict(self, candidate, *more, original="import Lean\n" + OPEN):
        self.write("open.lean", original)
        self.write("candidate.lean", candidate)
        run = self.zermelo("check", "candidate.lean", "--against", "open.lean", "--json", *more)
        codes = [r["code"] for r in run.json["reasons"]] if run.out else []
        return run, codes

    def test_are_refused_unless_they_are_asked_for(self):
        run, codes = self.verdict(TACTIC)  # `open Lean` and `elab`
        self.assertEqual((run.code, codes), (1, ["forbidden_command"] * 2), run)
        run, codes = self.verdict(TACTIC, "--allow-programs", "--receipt", "receipt.json")
        self.assertEqual((run.code, codes, run.json["runs_programs"]), (0, [], True), run)
        self.assertIn("`elab` runs code inside Lean", " ".join(hint["message"] for hint in run.json["hints"]))
        self.assertIn("the verdict is about this compilation", run.err)
        again = self.zermelo("recheck", "receipt.json", "--json")
        self.assertEqual(again.code, 3, again)
        self.assertIn("its rules allow code of the proof to run inside Lean", again.out)
        again = self.zermelo("recheck", "receipt.json", "--json", "--allow-programs")
        self.assertEqual(again.code, 0, again)

    def test_what_they_make_is_judged_by_a_kernel_that_they_do_not_reach(self):
        run, codes = self.verdict(LIAR, "--allow-programs")
        self.assertEqual(run.code, 1, run)
        self.assertIn("kernel_rejected", codes)

    def test_declare_no_name_that_an_import_hides(self):
        """What the import's theorems say of the name would then be what the program says that it is."""
        run, codes = self.verdict(HIDDEN_NAME, "--allow-programs", original="import Lean\n\ntheorem t : False := by\n  sorry\n")
        self.assertEqual((run.code, "kernel_rejected" in codes), (1, True), run)

    def test_can_write_nothing_outside_their_folder(self):
        outside = self.folder / "outside.txt"
        run, codes = self.verdict(WRITER.replace("OUTSIDE", str(outside)), "--allow-programs")
        self.assertEqual((run.code, codes), (1, ["does_not_compile"]), run)
        self.assertIn("permission denied", run.out)
        self.assertFalse(outside.exists())

    def test_need_the_sandbox_and_a_kernel_and_names(self):
        self.assertEqual(self.verdict(TACTIC, "--allow-programs", "--no-sandbox")[0].code, 3)
        self.assertEqual(self.verdict(TACTIC, "--allow-programs", "--kernel", "off")[0].code, 2)
        unnamed = "import Lean\n" + OPEN.replace("theorem t", "example")
        run, codes = self.verdict(TACTIC.replace("theorem t", "example"), "--allow-programs", original=unnamed)
        self.assertEqual((run.code, codes), (1, ["forbidden_command"] * 2), run)

    def test_do_not_open_the_door_for_other_code(self):
        attribute, command = "forbidden_attribute", "forbidden_command"
        for line, code in (("initialize x : IO.Ref Nat ← IO.mkRef 0", command),
                           ("register_option my.option : Nat := { defValue := 0 }", command),
                           ("unsafe def f (n : Nat) : Nat := f n", command),
                           ("@[implemented_by Nat.succ] def f (n : Nat) := n", attribute),
                           ('@[extern "lean_nat_succ"] def f (n : Nat) := n', attribute),
                           ("@[export lean_nat_succ] def f (n : Nat) := n", attribute),
                           ("@[csimp] theorem f : @Nat.succ = @Nat.succ := rfl", attribute)):
            with self.subTest(line):
                run, codes = self.verdict(TACTIC.replace("open Lean", f"{line}\nopen Lean"), "--allow-programs")
                self.assertEqual((run.code, "runs_programs" in run.json, code in codes), (1, False, True), run)


if __name__ == "__main__":
    main()
