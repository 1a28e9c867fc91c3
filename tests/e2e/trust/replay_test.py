#!/usr/bin/env python3
"""Lean's kernel run again on what a candidate declares (src/lean/replay/replay.lean), by the embedded Lean."""
import json
import subprocess

from testing.zermelo import EMBEDDED, LEAN, ROOT, ZermeloTest, main, slow

PROGRAM = ROOT / "src/lean/replay/replay.lean"
HONEST = {
    "inductive": ("""\
inductive Tree | leaf | node (l r : Tree)
def Tree.size : Tree → Nat
  | leaf => 1
  | node l r => l.size + r.size
theorem size_pos (t : Tree) : 0 < t.size := by
  sorry
""", """\
  induction t with
  | leaf => decide
  | node l r hl hr => simp only [Tree.size]; omega
"""),
    "mutual": ("""\
structure Pair (α : Type) where
  fst : α
  snd : α
inductive Rose | node (children : List Rose)
mutual
inductive Even : Nat → Prop
  | zero : Even 0
  | next : Odd n → Even (n + 1)
inductive Odd : Nat → Prop
  | next : Even n → Odd (n + 1)
end
mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end
theorem both (p : Pair Nat) (h : Even p.fst) : Odd (p.fst + 1) ∧ Pair.mk p.fst p.snd = p ∧ isOdd 1 = true := by
  sorry
""", "  exact ⟨Odd.next h, rfl, by simp [isOdd, isEven]⟩\n"),
    "well_founded": ("""\
def log (n : Nat) : Nat := if h : n < 2 then 0 else log (n / 2) + 1
termination_by n
decreasing_by omega
partial def forever (n : Nat) : Nat := forever (n + 1)
theorem log_four : log 4 = 2 := by
  sorry
""", "  simp [log]\n"),
}
# The original's own option switches Lean's kernel off in both compilations.
UNCHECKED = "set_option debug.skipKernelTC true\ntheorem one_is_two : 1 = 2 := by\n  sorry\n"
COLOUR = "inductive Colour | red | green\n"


class Verdicts(ZermeloTest):
    def test_honest_proofs_are_accepted_again(self):
        for name, (statement, proof) in HONEST.items():
            self.write(f"originals/{name}.lean", statement)
            self.write(f"candidates/{name}.lean", statement.replace("  sorry\n", proof))
        run = self.zermelo("check", "candidates", "--against", "originals", "--paranoid", "--json", limit=400)
        self.assertEqual((run.code, run.json["accepted"]), (0, len(HONEST)), run)
        for file in run.json["files"]:
            self.assertEqual([(k["kernel"], k["verdict"]) for k in file["kernels"]],
                             [("zermelo", "accepted"), ("lean-replay", "accepted")])
            self.assertEqual(file["kernels"][1]["version"], run.json["lean"]["version"])

    def test_what_needs_compiled_code_is_declined(self):
        original = "theorem helper : 2 + 2 = 4 := by native_decide\ntheorem two (n : Nat) : n + 0 = n := by\n  sorry\n"
        self.write("Helper.lean", original)
        self.write("Helped.lean", original.replace("sorry", "rfl"))
        run = self.zermelo("check", "Helped.lean", "--against", "Helper.lean", "--paranoid", "--json")
        self.assertEqual((run.code, run.json["kernels"][-1]["verdict"]), (0, "declined"), run)

    def test_a_proof_that_leans_kernel_never_saw_is_rejected(self):
        self.write("Open.lean", UNCHECKED)
        self.write("Proof.lean", UNCHECKED.replace("sorry", "decide +kernel"))
        run = self.zermelo("check", "Proof.lean", "--against", "Open.lean", "--kernel", "off", "--paranoid", "--json",
                           env={"XDG_STATE_HOME": str(self.folder / "state")})
        self.assertEqual((run.code, [r["code"] for r in run.json["reasons"]]), (1, ["kernel_rejected"]), run)
        kernel, = run.json["kernels"]
        self.assertEqual((kernel["kernel"], kernel["verdict"]), ("lean-replay", "rejected"))
        self.assertTrue(kernel["declaration"].startswith("one_is_two"), run)
        self.assertIn("(kernel)", kernel["reason"])

    def too_large_for_our_kernel(self, remainder, option=""):
        """The verdict on a computation with numbers of more than 8 MB."""
        statement = f"theorem t : ((2 ^ 16777216) ^ 5) % 2 = {remainder} := by\n"
        self.write("Large.lean", statement + "  sorry\n")
        self.write("Large.proved.lean", option + statement + "  decide +kernel\n")
        return self.zermelo("check", "Large.proved.lean", "--against", "Large.lean", "--json")

    def test_what_our_kernel_declines_a_fresh_lean_has_to_accept(self):
        run = self.too_large_for_our_kernel(0)
        self.assertEqual((run.code, [(k["kernel"], k["verdict"]) for k in run.json["kernels"]]),
                         (0, [("zermelo", "declined"), ("lean-replay", "accepted")]), run)

    def test_or_it_is_rejected(self):
        run = self.too_large_for_our_kernel(1, "set_option debug.skipKernelTC true\n")
        self.assertEqual((run.code, [(k["kernel"], k["verdict"]) for k in run.json["kernels"]]),
                         (1, [("zermelo", "declined"), ("lean-replay", "rejected")]), run)

    def test_a_compilation_is_no_kernels_verdict(self):
        self.write("Open.lean", UNCHECKED)
        self.write("Proof.lean", UNCHECKED.replace("sorry", "decide +kernel"))
        run = self.zermelo("check", "Proof.lean", "--against", "Open.lean", "--kernel", "off", "--json")
        self.assertEqual((run.code, run.json["kernels"]), (0, []), run)
        self.assertIn("no independent kernel has accepted it, only the Lean that compiled it", run.err)


class Exports(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("Colour.lean", COLOUR)
        subprocess.run([LEAN, "-o", "Colour.olean", "Colour.lean"], check=True, timeout=120, cwd=cls.folder)
        run = cls.zermelo("kernel", "export", "Colour.olean", "Colour", "--path", EMBEDDED / "build/lib/lean")
        assert run.code == 0, run
        cls.lines = [json.loads(line) for line in run.out.splitlines()]

    def replay(self, change=lambda inductive: None, more=(), imports=()):
        """The answer on the export of `Colour`, changed and with more lines."""
        lines = json.loads(json.dumps(self.lines))
        change(next(line["inductive"] for line in lines if "inductive" in line))
        lines = [{"imports": imports}, *lines, *more]
        run = subprocess.run([LEAN, "--run", PROGRAM], input="".join(json.dumps(line) + "\n" for line in lines),
                             text=True, capture_output=True, check=False, timeout=300, cwd=self.folder)
        # The embedded Lean can crash once its program has ended, when a thread starts too late. As for `zermelo check`, what
        # was said before counts (ReplayTest.TheExitCodeAfterAVerdictSaysNothing).
        self.assertTrue(run.stdout.endswith("}\n"), run)
        return json.loads(run.stdout)

    def rejected(self, *arguments, **named):
        answer = self.replay(*arguments, **named)
        self.assertEqual(answer["verdict"], "rejected", answer)
        return answer["declaration"], answer["reason"]

    def declared(self, name, kind, value=None, **fields):
        """Lines that declare `name` of type `Colour`; a value is `Colour` or `red`."""
        names = {line["str"]["str"]: line["in"] for line in self.lines if "str" in line}
        n = 1 + sum("in" in line for line in self.lines)
        e = sum("ie" in line for line in self.lines)
        lines = [{"in": n, "str": {"pre": 0, "str": name}},
                 {"ie": e, "const": {"name": names["Colour"], "us": []}},
                 {"ie": e + 1, "const": {"name": names["red"], "us": []}}]
        if value is not None:
            fields.update(value={"Colour": e, "red": e + 1}[value], hints="abbrev", safety="safe", all=[n])
        return [*lines, {kind: {"name": n, "levelParams": [], "type": e, **fields}}]

    def test_as_it_is_it_is_accepted(self):
        self.assertEqual(self.replay(more=self.declared("favourite", "def", "red")),
                         {"verdict": "accepted", "constants": 5})

    @slow
    def test_a_value_of_another_type_is_rejected(self):
        self.assertEqual(self.rejected(more=self.declared("lie", "def", "Colour")),
                         ("lie", "(kernel) declaration type mismatch"))

    def test_a_wrong_rule_of_a_recursor_is_rejected(self):
        def swap(inductive):
            first, second = inductive["recs"][0]["rules"]
            first["rhs"], second["rhs"] = second["rhs"], first["rhs"]
        self.assertEqual(self.rejected(swap), ("Colour.rec", "it is not the recursor that the kernel makes"))

    @slow
    def test_a_wrong_count_of_a_constructor_is_rejected(self):
        def count(inductive):
            inductive["ctors"][1]["numFields"] = 1
        self.assertEqual(self.rejected(count), ("Colour.green", "it is not the constructor that the kernel makes"))

    def test_what_cannot_be_replayed_is_declined(self):
        again = self.declared("Nat", "axiom", isUnsafe=False)
        self.assertEqual(self.replay(more=again, imports=[["Init"]]),
                         {"verdict": "declined", "declaration": "Nat", "reason": "the imports declare it with other terms"})
        self.assertEqual(self.replay(more=[{"future": {}}])["verdict"], "declined")


if __name__ == "__main__":
    main()
