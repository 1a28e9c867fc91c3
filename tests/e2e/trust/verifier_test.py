#!/usr/bin/env python3
"""Known problems of other verifiers: leaking state, and proofs that the kernel never checked."""
import subprocess

from testing.zermelo import LEAN, ZermeloTest, main

PROBE = """\
theorem uses_simp (a : Nat) : a + 0 = a := by simp
theorem not_simp (f : Nat → Nat) (a : Nat) : f a = a := by simp
theorem refers : leftover = 3 := rfl
theorem notation_is_free : (1 ⊞ 2 : Nat) = 3 := rfl
theorem no_instance : (inferInstance : Inhabited Empty) = (inferInstance : Inhabited Empty) := rfl
theorem auto (x : undeclared) : x = x := rfl
theorem tactic_is_free : True := by leftover_tactic
theorem no_axiom : False := leftover_axiom
theorem plus (a b : Nat) : a + b = b + a := by omega
"""

LEFT_BEHIND = {
    "a definition": "def leftover : Nat := 3\n",
    "a notation": 'infixl:65 " ⊞ " => Nat.add\n',
    "a macro": 'macro "leftover_tactic" : tactic => `(tactic| trivial)\n',
    "a changed tactic": "macro_rules | `(tactic| omega) => `(tactic| skip)\n",
    "an instance": "axiom e : Empty\nnoncomputable instance : Inhabited Empty := ⟨e⟩\n",
    "an axiom": "axiom leftover_axiom : False\n",
    "a simp lemma": "@[simp] axiom all_id (f : Nat → Nat) (a : Nat) : f a = a\n",
    "an option": "set_option autoImplicit true\nset_option maxHeartbeats 1\n",
    "an open namespace": "namespace Q\ndef leftover : Nat := 3\nend Q\nopen Q\n",
    "an open section": "namespace Unfinished\nsection\nvariable (leftover : Nat)\n",
    "an open comment": "theorem t : True := trivial\n/- never closed\n",
    "a syntax error": "theorem t : := := by by (\n",
    "a crash": "#eval (IO.Process.exit 3 : IO Unit)\n",
}


class NothingLeaks(ZermeloTest):
    """Files checked one after another by one worker, with the same probe again after each file that leaves state."""

    def test_state_left_by_a_file_does_not_affect_the_next(self):
        probe = self.write("Probe.lean", PROBE)
        names = []
        for number, text in enumerate(LEFT_BEHIND.values()):
            names += [self.write(f"Left{number}.lean", text + PROBE), probe]
        run = self.zermelo("check", probe, *names, "--json", "--quiet")
        first, *others = run.json["files"]
        self.assertGreaterEqual(first["errors"], 6, "the probe detects nothing")
        leaving, after = others[0::2], others[1::2]
        for what, left, report in zip(LEFT_BEHIND, leaving, after, strict=True):
            with self.subTest(what):
                self.assertNotEqual(left["messages"], first["messages"], "it has no effect even in its own file")
                self.assertEqual(report["messages"], first["messages"])


class TheKernel(ZermeloTest):
    """The kernel is off during search; nothing is called proved that the kernel did not check."""

    FALSE = ("macro_rules | `(tactic| rfl) => `(tactic| decide +kernel)\n"
             "theorem wrong : (7 : Nat) * 6 = 43 := by\n  sorry\n")

    def test_a_proof_that_only_the_kernel_rejects_is_not_proved(self):
        file = self.write("Wrong.lean", self.FALSE)
        fooled = self.write("Fooled.lean", self.FALSE.replace("sorry", "rfl"))
        without = subprocess.run([LEAN, "-Ddebug.skipKernelTC=true", fooled], capture_output=True, text=True,
                                 timeout=60, check=False)
        self.assertEqual(without.returncode, 0, "Lean without its kernel must believe it: " + without.stdout)
        run = self.zermelo("prove", file, "--time", "6s", "--json")
        self.assert_ends(run, 1)
        self.assertEqual([t["status"] for t in run.json["theorems"]], ["unproved"])
        self.assert_ends(self.zermelo("check", fooled), 1)
        against = self.zermelo("check", fooled, "--against", file, "--json")
        self.assertEqual((against.code, against.json["verdict"]), (1, "rejected"), against)


if __name__ == "__main__":
    main()
