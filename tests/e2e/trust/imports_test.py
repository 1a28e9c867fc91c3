#!/usr/bin/env python3
"""What a proof uses of an import that is not proved itself: as `#print axioms` says, not as if it were."""
import os
import subprocess

from testing.zermelo import EMBEDDED, LEAN, ZermeloTest, main

OPEN = """\
module
@[expose] public section
axiom magic : 1 = 2
opaque secret : Nat → Nat
def twice (n : Nat) : Nat := n + n
theorem hole (n : Nat) : secret n = secret (n + 1) := by sorry
def blank : Nat := sorry
theorem spell : 2 = 1 := magic.symm
theorem fine (n : Nat) : twice n = n + n := rfl
"""
ORIGINAL = """\
import Open
theorem first (n : Nat) : secret n = secret (n + 1) := by sorry
theorem second : 2 = 1 := by sorry
theorem third (n : Nat) : twice n = n + n := by sorry
theorem fourth : blank = blank := by sorry
"""
PROVED = """\
import Open
theorem first (n : Nat) : secret n = secret (n + 1) := hole n
theorem second : 2 = 1 := spell
theorem third (n : Nat) : twice n = n + n := fine n
theorem fourth : blank = blank := rfl
"""


class Imports(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = cls.write("Open.lean", OPEN)
        cls.path = {"LEAN_PATH": f"{cls.folder}:{EMBEDDED / 'build/lib/lean'}"}
        subprocess.run([LEAN, "-o", cls.folder / "Open.olean", source], capture_output=True, timeout=120, cwd=cls.folder,
                       env={**cls.path, "PATH": os.environ["PATH"]}, check=True)
        cls.write("original.lean", ORIGINAL)

    def test_the_verdict_names_what_lean_names(self):
        self.write("candidate.lean", PROVED)
        run = self.zermelo("check", "candidate.lean", "--against", "original.lean", "--json", env=self.path)
        self.assertEqual(run.code, 1, run)
        first, second, third, fourth = run.json["theorems"]
        self.assertEqual((first["verdict"], first["from"], first["axioms"]), ("rejected", ["hole"], ["sorryAx"]), run)
        self.assertEqual(first["reasons"][0]["code"], "uses_sorry", run)
        self.assertIn("the imported `hole` rests on it", first["reasons"][0]["message"])
        self.assertEqual((second["verdict"], second["reasons"][0]["code"], second["axioms"]),
                         ("rejected", "axiom_not_allowed", ["magic"]), run)
        self.assertEqual(third["verdict"], "accepted", run)
        self.assertEqual((fourth["verdict"], fourth["from"]), ("rejected", ["blank"]), run)

    def test_a_found_proof_is_one_from_the_imported_theorem(self):
        self.write("goal.lean", "\n".join(ORIGINAL.splitlines()[n] for n in (0, 1, 3)))
        run = self.zermelo("prove", "goal.lean", "--json", "--time", "60s", env=self.path)
        first, third = run.json["theorems"]
        self.assertEqual((run.code, first["status"], third["status"]), (1, "proved_from", "proved"), run)
        self.assertEqual(first["from"], ["hole"])
        self.assertIn("◐ first: proved from `hole`", run.err)


# Its tactic puts another module in the place of the import. (This needs a Lean that is not confined.)
EXCHANGING = """\
import Lean
import Dep
open Lean Elab Tactic

elab "exchange" : tactic => do
  IO.FS.rename "FOLDER/Other.olean" "FOLDER/Dep.olean"

theorem t : dep = dep := by
  sorry
"""


class ChangedImports(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = {"LEAN_PATH": f"{cls.folder}:{EMBEDDED / 'build/lib/lean'}"}
        for name, value in (("Dep", 1), ("Other", 2)):
            source = cls.write(f"{name}.lean", f"def dep := {value}\n")
            subprocess.run([LEAN, "-o", source.with_suffix(".olean"), source], capture_output=True, timeout=120,
                           cwd=cls.folder, check=True)

    def verdict(self, proof):
        original = EXCHANGING.replace("FOLDER", str(self.folder))
        self.write("problems/t.lean", original)
        self.write("answers/t.lean", original.replace("sorry", proof))
        run = self.zermelo("check", "answers", "--against", "problems", "--no-sandbox", "--json", env=self.path)
        file, = run.json["files"]
        return run, file

    def test_there_is_no_verdict_if_an_import_changes_while_the_proof_is_judged(self):
        run, file = self.verdict("rfl")
        self.assertEqual((run.code, file["outcome"]), (0, "accepted"), run)
        run, file = self.verdict("exchange; rfl")
        self.assertFalse((self.folder / "Other.olean").exists(), run)
        self.assertEqual((run.code, file["verdict"], file["outcome"]), (3, "error", "infrastructure"), run)
        self.assertIn("Dep changed", file["error"]["message"])


if __name__ == "__main__":
    main()
