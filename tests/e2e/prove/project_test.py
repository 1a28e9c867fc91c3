#!/usr/bin/env python3
"""Files of a project of several: what they import of it is used as if it stood above the goal."""
import os
import signal
import subprocess

from testing.zermelo import EMBEDDED, LEAN, ZermeloTest, main

# The embedded Lean compiles every file as a module, and has no code for `++`.
BASIC = """\
module
@[expose] public section
inductive Tree | leaf | node (l : Tree) (n : Nat) (r : Tree)
namespace Tree
def sum : Tree → Nat
  | leaf => 0
  | node l n r => l.sum + n + r.sum
def mirror : Tree → Tree
  | leaf => leaf
  | node l n r => node r.mirror n l.mirror
end Tree
inductive Balanced : Nat → Tree → Prop
  | leaf : Balanced 0 .leaf
  | node : Balanced k l → Balanced k r → Balanced (k + 1) (.node l n r)
"""
LEMMAS = """\
module
public import Basic
@[expose] public noncomputable section
def total : List Nat → Nat
  | [] => 0
  | n :: ns => n + total ns
def Tree.toList : Tree → List Nat
  | .leaf => []
  | .node l n r => l.toList ++ n :: r.toList
theorem total_append (a b : List Nat) : total (a ++ b) = total a + total b := by
  induction a <;> simp [total, *, Nat.add_assoc]
"""
GOALS = """\
import Lemmas
theorem sum_mirror (t : Tree) : t.mirror.sum = t.sum := by sorry
theorem balanced_mirror (h : Balanced k t) : Balanced k t.mirror := by sorry
theorem total_toList (t : Tree) : total t.toList = t.sum := by sorry
"""


class ProjectTest(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = {"LEAN_PATH": f"{cls.folder}:{EMBEDDED / 'build/lib/lean'}"}
        for name, text in (("Basic", BASIC), ("Lemmas", LEMMAS)):
            source = cls.write(f"{name}.lean", text)
            subprocess.run([LEAN, "-o", source.with_suffix(".olean"), source], capture_output=True, timeout=120,
                           cwd=cls.folder, env={**cls.path, "PATH": os.environ["PATH"]}, check=True)

    def test_definitions_predicates_and_theorems_of_other_files(self):
        run = self.zermelo("prove", self.write("Goals.lean", GOALS), "--json", "--time", "30s", env=self.path)
        self.assertEqual([t["status"] for t in run.json["theorems"]], ["proved"] * 3, run)
        self.assertEqual(run.code, 0)

    def test_an_evaluation_reads_them_too(self):
        self.write("One.lean", GOALS.split("theorem balanced_mirror")[0])
        run = self.zermelo("eval", "One.lean", "--budget", "30s", "--jobs", "1", "--out", "run", "--json", "--no-premises", env=self.path)
        self.assertEqual((run.code, run.json["solved"]), (0, 1), run)

    def test_a_resumed_run_knows_what_it_knew_of_them(self):
        first, _ = GOALS.split("theorem balanced_mirror")
        file = self.write("Kept.lean", first + "theorem wrong (t : Tree) : t.mirror = t := by sorry\n")
        database = ("--run-db", self.folder / "kept.db")
        run = self.start("prove", file, "--time", "15s", *database, env=self.path)
        run.wait_for("✓ sum_mirror")
        run.process.send_signal(signal.SIGINT)
        run.wait(60)
        self.assertEqual(run.code, 130, run)
        shown = self.zermelo("runs", "show", "1", *database)
        self.assertNotIn("imported", shown.out)
        self.write("Basic.lean", "-- edited meanwhile\n")
        self.addCleanup(self.write, "Basic.lean", BASIC)
        resumed = self.zermelo("runs", "resume", "1", "--json", *database, env=self.path)
        self.assertEqual([t["status"] for t in resumed.json["theorems"]], ["proved", "unproved"], resumed)


if __name__ == "__main__":
    main()
