#!/usr/bin/env python3
"""`check --paranoid` and `recheck --paranoid`: the other kernels of a toolchain, played by shell scripts.

So is the replay by Lean's own kernel; replay_test.py has the real one.
"""
import json
import os
import shlex
import signal

from testing.zermelo import EMBEDDED, LEAN, ROOT, ZermeloTest, main

try:
    import jsonschema
except ImportError:
    jsonschema = None

OPEN = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  sorry\n"
# Without `And.left` and `And.right`: these are theorems, whose proofs the embedded Lean's library does not have.
PROOF = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := And.rec (fun a b => ⟨b, a⟩) h\n"
# Each looks at its command line and at the first line of the export, as far as shell builtins can.
READ = 'read -r line < "$file"; case $line in *\'"meta"\'*) ;; *) echo "no export: $line" >&2; exit 1 ;; esac\n'
KERNELS = {
    "leanchecker-paranoid": '[ "$1 $2" = "--silent --from-export" ] || exit 1\nfile=$3\n' + READ,
    "lean4lean": '[ "$1" = --import ] || exit 1\nfile=$2\n' + READ,
    "nanoda_bin": 'read -r line < "$1" || :\nfile=${line#*\'"export_file_path":"\'}; file=${file%%\\"*}\n' + READ
                  + "echo Checked 1 declarations with no errors\n",
    "con-leche": "file=$1\n" + READ + "echo accepted 1 declarations\n",
    "con-ron": "file=$1\n" + READ + "echo con-ron: accepted 1 declarations\n",
}
# Reads what it is given and accepts; everything else is for the embedded Lean.
REPLAY = """if [ "$1" = --run ]; then
  read -r imports; case $imports in '{"imports":[["Init"]]}') ;; *) echo "no imports: $imports"; exit 1 ;; esac
  while read -r line; do :; done
  echo '{"verdict":"accepted","constants":1}'; exit
fi
"""
NAMES = ["zermelo", "lean-replay", "leanchecker-paranoid", "lean4lean", "nanoda", "con-leche", "con-ron"]


class ParanoidTest(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("Open.lean", OPEN)
        cls.write("Proof.lean", PROOF)

    @classmethod
    def toolchain(cls, name, changes=(), replay=REPLAY):
        """A toolchain's folder: the embedded Lean, and kernels beside it (None: without this one)."""
        lean = replay + f"exec {shlex.quote(str(LEAN))} \"$@\"\n"
        for file, body in {**KERNELS, **dict(changes), "lean": lean}.items():
            if body is not None:
                cls.write(f"{name}/bin/{file}", "#!/bin/sh\n" + body).chmod(0o755)
        lib = cls.folder / name / "lib"
        if not lib.exists():
            lib.symlink_to(EMBEDDED / "lib")
        return cls.folder / name

    def check(self, toolchain, *more, verb=("check", "Proof.lean", "--against", "Open.lean")):
        # What LEAN_PATH names may be read in the sandbox, where the embedded Lean is otherwise hidden.
        return self.zermelo(*verb, "--lean", toolchain, "--json", *more, env={"LEAN_PATH": str(EMBEDDED)})

    def outcomes(self, verdict):
        return {k["kernel"]: k["verdict"] for k in verdict["kernels"]}


class AllAccept(ParanoidTest):
    def test_the_verdict_names_them_with_their_versions(self):
        run = self.check(self.toolchain("all"), "--paranoid", "--receipt", "receipt.json")
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.outcomes(run.json), dict.fromkeys(NAMES, "accepted"))
        self.assertEqual({k["version"] for k in run.json["kernels"][1:]}, {run.json["lean"]["version"]})
        self.assertIn("accepted by Zermelo's kernel, Lean's kernel (replay), leanchecker-paranoid, lean4lean, nanoda, con-leche and con-ron",
                      run.err)
        self.assertNotIn("sandbox", run.err)
        receipt = json.loads((self.folder / "receipt.json").read_text(encoding="utf-8"))
        self.assertEqual([k["kernel"] for k in receipt["kernels"]], NAMES)
        self.assertTrue(receipt["rules"]["paranoid"])
        if jsonschema is not None:
            jsonschema.validate(receipt, json.loads((ROOT / "docs/receipt.schema.json").read_text(encoding="utf-8")))
        again = self.check("all", verb=("recheck", "receipt.json"))
        self.assertEqual((again.code, again.json["receipts"][0]["changes"]), (0, []), again)

    def test_without_the_option_they_are_not_asked(self):
        run = self.check(self.toolchain("rejecting", {"lean4lean": "exit 1\n"}), "--receipt", "plain.json")
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.outcomes(run.json), {"zermelo": "accepted"})
        again = self.check("rejecting", "--paranoid", verb=("recheck", "plain.json"))
        self.assertEqual((again.code, again.json["receipts"][0]["outcome"]), (1, "rejected"), again)

    def test_what_is_rejected_anyway_is_not_worth_their_time(self):
        self.write("Other.lean", PROOF.replace("q ∧ p", "q ∧ q").replace("b, a", "b, b"))
        run = self.check(self.toolchain("all"), "--paranoid", verb=("check", "Other.lean", "--against", "Open.lean"))
        self.assertEqual(run.code, 1, run)
        self.assertEqual(list(self.outcomes(run.json)), ["zermelo"])


class OneDoesNot(ParanoidTest):
    def test_a_rejection_rejects_and_keeps_both_files(self):
        state = self.folder / "state"
        folder = self.toolchain("strict", {"nanoda_bin": "echo t is wrong >&2; exit 101\n", "con-ron": None})
        run = self.zermelo("check", "Proof.lean", "--against", "Open.lean", "--paranoid", "--json",
                           "--lean", folder,
                           env={"LEAN_PATH": str(EMBEDDED), "XDG_STATE_HOME": str(state)})
        self.assertEqual((run.code, run.json["outcome"]), (1, "rejected"), run)
        self.assertEqual([r["code"] for r in run.json["reasons"]], ["kernel_rejected"])
        self.assertIn("nanoda rejects the compiled candidate: t is wrong.", run.err)
        self.assertEqual(len(list(state.rglob("Candidate.lean"))), 1)

    def test_what_declines_is_named_and_rejects_only_if_required(self):
        folder = self.toolchain("partly", {"con-leche": "echo an axiom >&2; exit 2\n", "con-ron": "echo nonsense\n",
                                           "lean4lean": "kill -SEGV $$\n"})
        run = self.check(folder, "--paranoid")
        self.assertEqual(run.code, 0, run)
        self.assertEqual([self.outcomes(run.json)[name] for name in NAMES[2:]],
                         ["accepted", "declined", "accepted", "declined", "declined"])
        self.assertIn("declined by con-leche: an axiom", run.err)
        run = self.check(folder, "--paranoid", "--kernel", "required")
        self.assertEqual((run.code, run.json["outcome"]), (1, "declined"), run)

    def test_all_decline_where_a_proof_of_the_library_is_missing(self):
        self.write("Symm.lean", "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p := And.symm h\n")
        run = self.check(self.toolchain("all"), "--paranoid", verb=("check", "Symm.lean", "--against", "Open.lean"))
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.outcomes(run.json),
                         {**dict.fromkeys(NAMES[:2], "accepted"), **dict.fromkeys(NAMES[2:], "declined")})
        self.assertEqual({k["reason"] for k in run.json["kernels"][2:]},
                         {"the library has only its public parts, without the proof or definition of `And.symm`"})

    def test_one_that_hangs_ends_at_its_limit(self):
        folder = self.toolchain("slow", {"leanchecker-paranoid": "while :; do :; done\n"})
        run = self.check(folder, "--paranoid", "--paranoid-time", "1s")
        self.assertEqual(run.code, 0, run)
        self.assertIn("declined by leanchecker-paranoid: it needs more than 1 s", run.err)

    def test_a_replay_that_rejects_or_ends_without_a_verdict(self):
        said = """'{"verdict":"rejected","declaration":"t","reason":"(kernel) declaration type mismatch"}'"""
        for replay, code, outcome in ((f"echo {said}; exit", 1, "rejected"), ("echo nonsense; exit", 0, "declined")):
            folder = self.toolchain("replaying", replay=f'if [ "$1" = --run ]; then {replay}; fi\n')
            run = self.check(folder, "--paranoid")
            self.assertEqual((run.code, self.outcomes(run.json)["lean-replay"]), (code, outcome), run)
            self.assertEqual(self.outcomes(run.json)["con-ron"], "accepted", "it is asked, too")


class Interrupted(ParanoidTest):
    def assert_ctrl_c_ends(self, *verb):
        folder = self.toolchain("hanging", {"leanchecker-paranoid": "while :; do :; done\n"})
        run = self.start(*verb, "--paranoid", "--lean", folder, env={"LEAN_PATH": str(EMBEDDED)})
        run.wait_for("asking leanchecker-paranoid")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait(30)
        self.assertEqual(run.code, 130, run)
        self.assertNotIn("asking lean4lean", run.err)
        self.assertEqual(run.left_behind(), [], run)
        self.assertEqual(list(run.scratch.iterdir()), [], "the export is removed")

    def test_ctrl_c_ends_a_verdict_on_a_file(self):
        self.assert_ctrl_c_ends("check", "Proof.lean", "--against", "Open.lean")

    def test_ctrl_c_ends_the_verdicts_on_a_folder(self):
        for name in ("A", "B"):
            self.write(f"originals/{name}.lean", OPEN)
            self.write(f"candidates/{name}.lean", PROOF)
        self.assert_ctrl_c_ends("check", "candidates", "--against", "originals")

    def test_ctrl_c_ends_a_repeated_verdict(self):
        run = self.check(self.toolchain("all"), "--receipt", "interrupted.json")
        self.assertEqual(run.code, 0, run)
        self.assert_ctrl_c_ends("recheck", "interrupted.json")


class None_(ParanoidTest):
    def test_a_lean_without_other_kernels_replays(self):
        folder = self.toolchain("bare", dict.fromkeys(KERNELS))
        run = self.check(folder, "--paranoid")
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.outcomes(run.json), dict.fromkeys(NAMES[:2], "accepted"))

    def test_the_option_belongs_to_verdicts(self):
        self.assert_ends(self.zermelo("check", "Proof.lean", "--paranoid", limit=20), 2, "--against")


if __name__ == "__main__":
    main()
