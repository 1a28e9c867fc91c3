#!/usr/bin/env python3
"""`zermelo prove` on readable files: proofs, output files, messages and JSON."""
import json
import os
import re
import signal
import sqlite3

from testing.zermelo import ROOT, ZermeloTest, main, processes_of, wait_until

EVERYTHING = """\
/-! Everything that can hold a `sorry`: this one is a comment. -/
namespace Demo

def double (n : Nat) : Nat := n + n

theorem of_definition : double 2 = 4 := by
  sorry

theorem of_term (p q : Prop) (h : p ∧ q) : q ∧ p := sorry

private theorem of_private (a b : Nat) : a + b = b + a := by sorry

example (n : Nat) (h : n > 3) : n > 2 := by
  sorry

class Positive (n : Nat) : Prop where
  pos : 0 < n

instance three : Positive 3 where
  pos := by sorry

theorem two_holes (a b : Nat) (h : a = b) : b = a ∧ a ≤ b := by
  constructor
  · sorry
  · sorry

theorem nested (a b : Nat) (h : a < b) : a ≠ b := by
  have le : a ≤ b := by sorry
  have lt : a + 1 ≤ b := sorry
  omega

section
variable (k : Nat) (hk : k = 2)
include hk
theorem of_variables : k + k = 4 := by sorry
end

mutual
theorem left (n : Nat) : n + 0 = n := by
  sorry
theorem right (n : Nat) : 0 + n = n := by
  sorry
end

theorem false_claim (n : Nat) : n < 3 := by
  sorry

def data : Nat := sorry

def proof_in_data (n : Nat) : { m : Nat // m ≤ n } := ⟨n, by sorry⟩

end Demo
"""
FALSE = "Demo.false_claim"

# Keys besides the documented ones; there may be no others.
EXTRA_OF_FILE = {"notes", "run", "strategy"}
EXTRA_OF_THEOREM = {"message", "axioms", "kernels"}


class AFileWithEverything(ZermeloTest):
    SECONDS = 15  # the false claim takes all of them

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.write("All.lean", EVERYTHING)
        cls.output = cls.folder / "All.proved.lean"
        cls.prove = cls.zermelo("prove", "All.lean", "--time", f"{cls.SECONDS}s", "--json", limit=500)
        cls.theorems = {t["name"]: t for t in cls.prove.json["theorems"]}
        cls.check = cls.zermelo("check", "All.proved.lean", "--json")

    def test_every_true_sorry_is_proved(self):
        unproved = [name for name, t in self.theorems.items() if t["status"] != "proved"]
        self.assertEqual(unproved, [FALSE], self.prove)

    def test_theorems_come_in_file_order_with_their_lines(self):
        expected = [line for line, text in enumerate(EVERYTHING.split("\n"), 1)
                    if "sorry" in text and line > 1 and "def data" not in text]
        self.assertEqual([t["line"] for t in self.prove.json["theorems"]], expected)

    def test_names_are_full_and_identify_the_hole(self):
        for name in ("Demo.of_definition", "Demo.of_private", "example (line 13)", "Demo.two_holes",
                     "Demo.two_holes (line 25)", "Demo.nested.le", "Demo.nested.lt", "Demo.right"):
            self.assertIn(name, self.theorems)

    def test_one_unproved_theorem_makes_exit_code_1(self):
        self.assert_ends(self.prove, 1, "13 of 14 proved")

    def test_json_has_exactly_the_promised_shape(self):
        report = self.prove.json
        self.assertEqual(self.prove.out.count("\n"), 1)
        self.assertEqual(set(report) - EXTRA_OF_FILE, {"file", "lean", "theorems", "seconds"})
        self.assertEqual(report["file"], "All.lean")
        self.assertEqual(set(report["lean"]), {"version", "kind", "warnings"})
        self.assertRegex(report["lean"]["version"], r"^4\.\d+\.\d+")
        self.assertEqual(report["lean"]["kind"], "embedded")
        self.assertIsInstance(report["seconds"], float)
        for theorem in report["theorems"]:
            self.assertEqual(set(theorem) - EXTRA_OF_THEOREM, {
                "name", "line", "status", "outcome", "proof", "seconds", "checks", "samples"})
            self.assertIsInstance(theorem["seconds"], (int, float))
            for count in ("line", "checks", "samples"):
                self.assertIsInstance(theorem[count], int)
            self.assertIsInstance(theorem["proof"], str if theorem["status"] == "proved" else type(None))
            self.assertEqual("kernels" in theorem, theorem["status"] == "proved")

    def test_work_is_counted(self):
        for theorem in self.theorems.values():
            self.assertGreater(theorem["checks"], 0)
            self.assertGreater(theorem["samples"], 0)
        self.assertGreaterEqual(self.prove.json["seconds"],
                                sum(t["seconds"] for t in self.theorems.values()))

    def test_proofs_are_shown_with_their_times(self):
        for name, theorem in self.theorems.items():
            mark = "✗" if name == FALSE else "✓"
            self.assertRegex(self.prove.err, rf"{mark} {re.escape(name)}  \d+.*\d+ tried")
            for line in (theorem["proof"] or "").split("\n"):
                self.assertIn(line, self.prove.err)

    def test_a_false_statement_ends_within_its_time(self):
        self.assertLess(self.theorems[FALSE]["seconds"], self.SECONDS + 120)

    def test_a_sorry_in_data_is_reported_and_skipped(self):
        self.assertRegex(self.prove.err, "line 48: .*Demo.data.* skipped")
        self.assertNotIn("Demo.data", self.theorems)

    def test_the_input_is_untouched(self):
        self.assertEqual(self.file.read_text(encoding="utf-8"), EVERYTHING)

    def test_the_output_differs_in_proofs_only(self):
        output = self.output.read_text(encoding="utf-8")
        self.assertEqual(output.count("sorry"), 3)  # the comment, the false claim, the data
        kept = [line for line in EVERYTHING.split("\n") if "sorry" not in line]
        lines = iter(output.split("\n"))
        for line in kept:
            self.assertIn(line, lines)  # in this order

    def test_the_output_passes_check(self):
        report = self.check.json["files"][0]
        self.assertEqual((report["errors"], report["sorries"]), (0, 2), self.check)
        about = [m["theorem"] for m in report["messages"] if m["kind"] == "sorry"]
        self.assertEqual(about, [FALSE, "Demo.data"])


class WhileItSearches(ZermeloTest):
    """The original of a short file is compiled for the verdict (on a slow machine, after the search)."""
    TEXT = "theorem hard (n : Nat) : n < 3 := by\n  sorry\ntheorem easy (a b : Nat) : a + b = b + a := by\n  sorry\n"

    @staticmethod
    def compilations(run):
        return [pid for pid, command in processes_of(run.process.pid) if "--stdin" in command]

    def test_it_is_compiled_again_if_that_lean_is_killed(self):
        run = self.start("prove", self.write("a.lean", self.TEXT), "--time", "8s")
        wait_until(lambda: self.compilations(run), 120, "a compilation")
        for pid in self.compilations(run):
            os.kill(pid, signal.SIGKILL)
        run.wait()
        self.assert_ends(run, 1, "1 of 2 proved")

    def test_it_ends_with_a_search_that_finds_nothing(self):
        run = self.start("prove", self.write("b.lean", self.TEXT), "--theorem", "hard", "--time", "1s")
        run.wait()
        self.assert_ends(run, 1, "0 of 1 proved")
        self.assertFalse(run.left_behind())


class TheFirstSmallProver(ZermeloTest):
    """models/first, as its card says."""

    def test_it_proves_a_theorem(self):
        run = self.zermelo("prove", self.write("small.lean", "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"),
                           "--config", ROOT / "models/first/zermelo.toml", "--model", "first", "--strategy", "whole_proof",
                           "--no-builtin", "--time", "60s", "--json")
        self.assert_ends(run, 0, "1 of 1 proved")
        self.assertGreater(run.json["theorems"][0]["roles"]["prover"]["samples"], 0, run)


class ChosenTheorems(ZermeloTest):
    TEXT = """\
theorem one : 1 + 1 = 2 := by sorry
namespace A.B
theorem two (a b : Nat) (h : a < b) : a ≤ b := by sorry
theorem three : 2 + 1 = 3 := by
  sorry
theorem done : 2 = 2 := rfl
end A.B
"""

    def test_full_and_short_names_select_theorems_and_the_file_is_changed_in_place(self):
        file = self.write("chosen.lean", self.TEXT)
        file.chmod(0o640)
        run = self.zermelo("prove", "chosen.lean", "--theorem", "A.B.two", "--theorem", "three",
                           "--time", "60s", "--in-place", "--json", "--workers", "1")
        self.assert_ends(run, 0, "2 of 2 proved")
        self.assertEqual([t["name"] for t in run.json["theorems"]], ["A.B.two", "A.B.three"])
        text = file.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("theorem one : 1 + 1 = 2 := by sorry\nnamespace A.B\n"), text)
        self.assertTrue(text.endswith("theorem done : 2 = 2 := rfl\nend A.B\n"), text)
        self.assertEqual(text.count("sorry"), 1)
        self.assertEqual(file.stat().st_mode & 0o777, 0o640)
        beside = [p.name for p in self.folder.iterdir() if p.name.startswith((".", "chosen"))]
        self.assertEqual(set(beside) - {".zermelo"}, {"chosen.lean"})

    def test_an_unknown_name_gets_the_nearest_one_and_nothing_is_written(self):
        file = self.write("unknown.lean", self.TEXT)
        run = self.zermelo("prove", "unknown.lean", "--theorem", "A.B.tow", "--json", limit=20)
        self.assert_ends(run, 2, "A.B.tow", "did you mean `A.B.two`?")
        self.assertEqual(run.out, "")
        self.assertEqual(file.read_text(encoding="utf-8"), self.TEXT)
        self.assertFalse((self.folder / "unknown.proved.lean").exists())

    def test_a_theorem_without_sorry_cannot_be_chosen(self):
        self.write("finished.lean", self.TEXT)
        self.assert_ends(self.zermelo("prove", "finished.lean", "-t", "done", limit=20), 2,
                         "`done` has no sorry")


class OneSorryForSeveralGoals(ZermeloTest):
    """`all_goals sorry`, whose goals need different proofs."""

    def test_each_goal_gets_its_proof(self):
        file = self.write("all.lean", "theorem both (a b c : Nat) (h : a < b) (h2 : b < c) (l : List Nat) :\n"
                          "    a < c ∧ l ++ [] = l := by\n  refine ⟨?_, ?_⟩\n  all_goals sorry\n"
                          "def ack : Nat → Nat → Nat\n  | 0, n => n + 1\n  | m + 1, 0 => ack m 1\n"
                          "  | m + 1, n + 1 => ack m (ack (m + 1) n)\ntermination_by m n => (m, n)\n"
                          "decreasing_by\n  all_goals sorry\n")
        run = self.zermelo("prove", file, "--time", "30s")
        self.assert_ends(run, 0, "2 of 2 proved")


    def test_goals_of_a_tactic_that_are_left_to_one_sorry_are_proved_one_by_one(self):
        text = """\
theorem either (a b c : Nat) (h : a = b ∨ b = a) : a + c = b + c := by
  rcases h with h | h <;> sorry
theorem kinds (p q r : Prop) (xs : List Nat) (h : p ∧ q) (h2 : r ∨ r) : q ∧ r ∧ (xs ++ [] = xs) := by
  refine ⟨?_, ?_, ?_⟩ <;> sorry
theorem others_follow (a b : Nat) (h : a = b ∨ a = b + 0) : a = b ∧ b = a := by
  constructor
  cases h <;> sorry
  omega
"""
        run = self.zermelo("prove", self.write("together.lean", text), "--time", "60s", "--workers", "1")
        self.assert_ends(run, 0, "3 of 3 proved")
        proved = (self.folder / "together.proved.lean").read_text(encoding="utf-8")
        self.assertIn("  constructor\n  · cases h\n    ", proved)
        self.assertIn("\n  omega\n", proved)


class WhatIsLeftOfTheFile(ZermeloTest):
    """What `prove` neither fills nor overwrites."""
    EASY = "theorem easy (a b : Nat) : a + b = b + a := by sorry\n"

    def test_edits_during_the_run_are_kept(self):
        file = self.write("edited.lean", self.EASY + "theorem hard (n : Nat) : n < 3 := by sorry\n")
        run = self.start("prove", file, "--in-place", "--time", "4s", "--json", "--receipt", "r.json")
        wait_until(lambda: "✓ easy" in run.err, 120, "the first proof")
        edited = file.read_text(encoding="utf-8") + "-- mine\n"
        file.write_text(edited, encoding="utf-8")
        run.wait()
        self.assert_ends(run, 2, "changed during the run and was left as it is", "edited.proved.lean")
        self.assertEqual(file.read_text(encoding="utf-8"), edited)
        proved = (self.folder / "edited.proved.lean").read_text(encoding="utf-8")
        self.assertEqual(proved.count("sorry"), 1, proved)
        self.assertIn("1 of 2 proved", run.err)
        self.assertEqual([t["status"] for t in run.json["theorems"]], ["proved", "unproved"])
        self.assertTrue((self.folder / "r.json").exists())
        run = self.zermelo("runs", "show", str(run.json["run"]["id"]), "--json")
        self.assertEqual(run.json["state"], "finished")

    def test_what_cannot_be_written_at_the_end_is_written_by_a_resumed_run(self):
        file = self.write("late.lean", self.EASY + "theorem hard (n : Nat) : n < 3 := by sorry\n")
        options = ["--receipt", "gone/r.json", "--run-db", "r.db", "--time", "4s"]
        run = self.zermelo("prove", file, *options)
        self.assert_ends(run, 2, "gone")
        (self.folder / "gone").mkdir()
        run = self.start("prove", file, *options)
        wait_until(lambda: "✓ easy" in run.err, 120, "the first proof")
        (self.folder / "gone").rmdir()
        run.wait()
        self.assert_ends(run, 2, "1 of 2 proved", "gone/r.json", "to resume: zermelo runs resume")
        (self.folder / "gone").mkdir()
        run = self.zermelo("runs", "resume", "1", "--run-db", "r.db")
        self.assert_ends(run, 1, "1 of 2 proved")
        self.assertTrue((self.folder / "gone/r.json").exists())

    def test_data_and_statements_that_depend_on_it_are_not_tried(self):
        text = """\
instance : Inhabited Nat := sorry
instance : Std.Associative (α := Nat) (· + ·) := ⟨by sorry⟩
def two : Nat := sorry
def four := two + two
theorem small : four < 5 := by sorry
theorem other (two : Nat) : two = two := by sorry
structure P where
  x : Nat
  y : Nat := sorry
  h : x = x := by sorry
theorem any (s : P) : s = s := by sorry
"""
        run = self.zermelo("prove", self.write("data.lean", text), "--json", "--time", "20s")
        self.assert_ends(run, 1, "3 of 5 proved", "instance (line 1)  0.0s, 0 tried: not tried: the sorry is data",
                         "line 3: the sorry in def `two` is data", "line 10: the sorry in structure `P` is a default")
        self.assertEqual([t["status"] for t in run.json["theorems"]],
                         ["error", "proved", "error", "proved", "proved"])
        self.assertIn("depends on `two`, which has a sorry", run.json["theorems"][2]["message"])

    def test_a_byte_order_mark_is_named(self):
        run = self.zermelo("prove", self.write("bom.lean", "\ufeff" + self.EASY))
        self.assert_ends(run, 1, "begins with a byte order mark", "save it as UTF-8 without it")

    def test_an_error_or_a_hidden_sorry_elsewhere_makes_exit_code_1(self):
        macro = 'macro "later" : tactic => `(tactic| sorry)\ntheorem hidden : 1 = 1 := by later\n'
        for name, text, note in (("macro", macro, "theorem `hidden` uses a sorry that is not written there"),
                                 ("syntax", "theorem bad (n : Nat : n = n := rfl\n", "line 1: error")):
            with self.subTest(name):
                run = self.zermelo("prove", self.write(f"{name}.lean", text + self.EASY), "--time", "30s")
                self.assert_ends(run, 1, "1 of 1 proved", note)
        run = self.zermelo("prove", "macro.lean", "-t", "easy", "--time", "30s")
        self.assert_ends(run, 0, "1 of 1 proved")


class ShortProofs(ZermeloTest):
    TEXT = """\
class Gp (G : Type) where
  op : G → G → G
  one : G
  inv : G → G
  assoc : ∀ a b c, op (op a b) c = op a (op b c)
  one_op : ∀ a, op one a = a
  inv_op : ∀ a, op (inv a) a = one

namespace Gp
variable {G : Type} [Gp G]

theorem op_inv (a : G) : op a (inv a) = one := by
  sorry
theorem op_one (a : G) : op a one = a := by
  sorry
end Gp

theorem reverse_twice (xs : List Nat) : xs.reverse.reverse = xs := by
  sorry
"""

    def test_what_a_proof_does_not_need_is_left_out_also_after_an_interruption(self):
        self.write("group.lean", self.TEXT)
        options = ["--time", "60s", "--json", "--workers", "1", "--no-learning"]
        long = self.zermelo("prove", "group.lean", *options, limit=300)
        self.assert_ends(long, 0, "3 of 3 proved")
        short = self.zermelo("prove", "group.lean", *options, "--shorten", "--run-db", "short.db", limit=300)
        self.assert_ends(short, 0, "3 of 3 proved")
        lengths = [[len(t["proof"]) for t in run.json["theorems"]] for run in (long, short)]
        self.assertLessEqual(lengths[1][0], lengths[0][0])
        self.assertLess(lengths[1][1], lengths[0][1])
        self.assertEqual(lengths[1][2], lengths[0][2])
        with sqlite3.connect(self.folder / "short.db") as database:  # as if killed after the search
            database.execute("DELETE FROM events WHERE seq > (SELECT seq FROM events WHERE kind = 'search_ended')")
            database.execute("DELETE FROM theorems")
            database.execute("UPDATE runs SET state = 'open', result = ''")
        again = self.zermelo("runs", "resume", "1", "--run-db", "short.db", "--json", limit=120)
        self.assert_ends(again, 0, "3 of 3 proved")
        self.assertEqual([t["proof"] for t in again.json["theorems"]], [t["proof"] for t in short.json["theorems"]])


class ProvedFromATheoremWithoutProof(ZermeloTest):
    OPEN = """\
theorem fermat (a b c n : Nat) (h : 2 < n) (e : a ^ n + b ^ n = c ^ n) : a * b * c = 0 := by
  sorry
"""
    REST = """\
theorem fifth (a b c : Nat) (e : a ^ 5 + b ^ 5 = c ^ 5) : a * b * c = 0 := by
  sorry
theorem easy (a b : Nat) (h : a < b) : a + 1 ≤ b := by
  sorry
"""

    def test_it_is_said_and_not_counted_and_becomes_proved_with_the_other(self):
        self.write("open.lean", self.OPEN + self.REST)
        run = self.zermelo("prove", "open.lean", "-t", "fifth", "-t", "easy", "--time", "20s", "--json",
                           "--workers", "1", "--receipt", "receipt.json", limit=300)
        self.assert_ends(run, 1, "1 of 2 proved, 1 from theorems without proofs",
                         "proved from `fermat`, which has no proof yet")
        fifth, easy = run.json["theorems"]
        self.assertEqual([fifth["status"], easy["status"]], ["proved_from", "proved"], run)
        self.assertEqual(fifth["from"], ["fermat"])
        self.assertIn("sorryAx", fifth["axioms"])
        self.assertEqual([(k["kernel"], k["verdict"]) for k in fifth["kernels"]], [("zermelo", "accepted")])
        self.assertNotIn("from", easy)
        receipt = json.loads((self.folder / "receipt.json").read_text(encoding="utf-8"))
        self.assertEqual((receipt["targets"], receipt["outcome"]), (["easy"], "accepted"))

        output = (self.folder / "open.proved.lean").read_text(encoding="utf-8")
        self.assertEqual(output.count("sorry"), 1)
        self.assertIn(self.OPEN, output)
        given = self.OPEN.replace("theorem", "axiom").replace(" := by\n  sorry", "")
        self.write("closed.lean", output.replace(self.OPEN, given))
        check = self.zermelo("check", "closed.lean", "--json", limit=120)
        report = check.json["files"][0]
        self.assertEqual((report["errors"], report["sorries"]), (0, 0), check)


if __name__ == "__main__":
    main()
