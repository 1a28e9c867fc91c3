#!/usr/bin/env python3
"""`zermelo audit`: the axioms, sorrys, unsafe and native code of a project that Lean built, and the baseline in CI."""
import json
import os
import shlex
import shutil
import subprocess
import textwrap
import unittest

from testing.zermelo import EMBEDDED, LEAN, PROGRAM, ROOT, ZermeloTest, environment, main

LIBRARY = EMBEDDED / "build/lib/lean"
BASIC = """\
module
@[expose] public section
axiom magic : 1 = 2
theorem spell : 2 = 1 := magic.symm
theorem hole : 3 = 4 := by sorry
theorem fine (a b : Nat) : a + b = b + a := Nat.add_comm a b
private theorem hidden : 5 = 6 := sorry
unsafe def raw (n : Nat) : Nat := raw (n + 1)
partial def loop (n : Nat) : Nat := loop (n + 1)
@[implemented_by raw] def slow (n : Nat) : Nat := n
@[extern "c_fast"] def fast (n : Nat) : Nat := n
opaque secret : Nat
opaque three : Nat := 3
def same (n : Nat) : Nat := n
def other (n : Nat) : Nat := n
@[csimp] theorem same_eq : @same = @other := rfl
def half (n : Nat) : Nat := if n < 2 then 0 else half (n - 2) + 1
def down : Nat → Nat
  | 0 => 0
  | n + 1 => down n
"""
MAIN = """\
import Basic
theorem again : 4 = 3 := hole.symm
theorem native : 12345 * 3 = 37035 := by native_decide
"""
EXPECTED = {
    ("magic", "axiom", None), ("spell", "uses_axiom", "magic"), ("hole", "sorry", None), ("hidden", "sorry", None),
    ("raw", "unsafe", None), ("loop", "partial", None), ("slow", "implemented_by", "raw"), ("fast", "extern", None),
    ("secret", "opaque", None), ("same_eq", "csimp", None), ("again", "uses_sorry", None),
    ("native", "native_code", "Lean.ofReduceBool"),
}


def findings(entries):
    return {(e["declaration"], e["finding"], e.get("detail")) for e in entries}


class AuditTest(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build = cls.folder / "project/.lake/build/lib/lean"
        cls.build.mkdir(parents=True)
        cls.write("project/lakefile.toml", 'name = "project"\n')
        cls.compile("Basic", BASIC)
        cls.compile("Main", MAIN)

    @classmethod
    def compile(cls, name, text):
        source = cls.write(f"project/{name}.lean", text)
        done = subprocess.run([LEAN, "-o", cls.build / f"{name}.olean", source], capture_output=True, text=True,
                              timeout=120, cwd=cls.folder, env={"LEAN_PATH": f"{cls.build}:{LIBRARY}",
                                                                "PATH": "/usr/bin:/bin"}, check=False)
        assert done.returncode == 0, done

    @classmethod
    def audit(cls, *arguments, **options):
        return cls.zermelo("audit", *arguments, "--path", LIBRARY, **options)


class Project(AuditTest):
    def test_every_finding_of_a_project_with_its_place(self):
        run = self.audit("project", "--json", "--all")
        self.assertEqual(run.code, 1, run)
        self.assertEqual(findings(run.json["findings"]), EXPECTED)
        self.assertEqual(run.json["new"], run.json["findings"])
        self.assertEqual((run.json["modules"], run.json["axioms"]["sorryAx"]), (2, 3))
        places = {e["declaration"]: (e["module"], e["line"]) for e in run.json["findings"]}
        self.assertEqual((places["hole"], places["again"]), (("Basic", 5), ("Main", 2)))
        ledger = {e["declaration"]: e["axioms"] for e in run.json["ledger"]}
        self.assertEqual((ledger["spell"], ledger["again"]), (["magic"], ["sorryAx"]))
        self.assertIn("Basic.lean:5: new: hole has a sorry", run.err)

    def test_a_baseline_is_committed_and_fails_only_for_what_is_new(self):
        written = self.audit("project", "--write-baseline")
        self.assertEqual(written.code, 0, written)
        baseline = self.folder / "project/zermelo-audit.json"
        self.assertEqual(findings(json.loads(baseline.read_text())["findings"]), EXPECTED)
        self.assertEqual(self.audit("project").code, 0)
        kept = [line for line in baseline.read_text().splitlines(True) if '"hole"' not in line]
        self.write("older.json", "".join(kept))
        run = self.audit("project", "--baseline", "older.json", "--json")
        self.assertEqual((run.code, findings(run.json["new"])), (1, {("hole", "sorry", None)}))
        more = baseline.read_text().replace('"hole"', '"mended"')
        run = self.audit("project", "--baseline", self.write("other.json", more), "--json")
        self.assertEqual((run.code, findings(run.json["gone"])), (1, {("mended", "sorry", None)}))
        baseline.unlink()

    @unittest.skipUnless(shutil.which("jq"), "the workflow's script needs jq, which GitHub's machines have")
    def test_the_workflow_in_examples_marks_the_line_of_what_is_new(self):
        """leanprover/lean-action#166."""
        workflow = (ROOT / "examples/github-actions/zermelo-audit.yml").read_text()
        script = textwrap.dedent(workflow.partition("- name: Audit\n        run: |\n")[2])
        audit = f'#!/bin/sh\nexec {shlex.quote(str(PROGRAM))} "$@" --path {shlex.quote(str(LIBRARY))}\n'
        self.write("runner/zermelo/bin/zermelo", audit).chmod(0o755)

        def run():
            done = subprocess.run(["bash", "-e", "-c", script], cwd=self.folder / "project", capture_output=True, text=True,
                                  env=environment({"RUNNER_TEMP": self.folder / "runner"}), timeout=120, check=False)
            return done.returncode, done.stdout

        code, out = run()
        self.assertEqual((code, out.count("\n")), (1, len(EXPECTED)), out)
        self.assertIn("::error file=Basic.lean,line=4::spell: uses_axiom magic\n", out)
        self.audit("project", "--write-baseline")
        self.assertEqual(run(), (0, ""))
        (self.folder / "project/zermelo-audit.json").unlink()
        os.rename(self.build, self.folder / "not-built")
        self.assertEqual(run(), (3, ""))
        os.rename(self.folder / "not-built", self.build)

    def test_an_accepted_axiom_that_states_something_else_is_new(self):
        self.audit("project", "--write-baseline")
        baseline = self.folder / "project/zermelo-audit.json"
        try:
            self.compile("Basic", BASIC.replace("axiom magic : 1 = 2", "axiom magic : 1 = 2 ∧ 2 = 1").replace("magic.symm", "magic.2"))
            run = self.audit("project", "--json")
            self.assertEqual((run.code, findings(run.json["new"])), (1, {("magic", "axiom", None)}), run)
            self.assertIn("Basic.lean:3: new: magic is an axiom, whose statement has changed", run.err)
            self.assertNotIn("gone:", run.err)
            baseline.write_text(baseline.read_text().replace('"version": 2', '"version": 1'))
            old = self.audit("project")
            self.assertEqual((old.code, "which does not say what the axioms state" in old.err), (2, True), old)
        finally:
            baseline.unlink()
            self.compile("Basic", BASIC)

    def test_a_folder_that_cannot_be_read_is_not_clean(self):
        project = self.folder / "deep"
        shutil.copytree(self.folder / "project", project)
        self.audit("deep", "--write-baseline")
        self.assertEqual(self.audit("deep").code, 0)
        at = os.open(project / ".lake/build/lib/lean", os.O_DIRECTORY)
        for _ in range(25):  # longer than a path may be, which stops root, too
            os.mkdir("a" * 200, dir_fd=at)
            below = os.open("a" * 200, os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = below
        os.close(at)
        try:
            run = self.audit("deep", "--json")
            self.assertEqual((run.code, len(run.json["unreadable"]), run.json["new"]), (3, 1, []), run)
            self.assertIn("warning: cannot read ", run.err)
            for part in (project / ".lake/build/lib/lean").glob("Main.*"):
                part.unlink()  # it relies on compiled code, which the kernel declines
            run = self.zermelo("kernel", "--project", "deep", "--path", LIBRARY, "--json")
            self.assertEqual((run.code, run.json["verdict"]), (2, "declined"), run)
            self.assertIn("File name too long", run.json["reason"])
        finally:
            shutil.rmtree(project)

    def test_older_layouts_and_single_files_are_read(self):
        older = self.folder / "older/.lake/build"
        shutil.copytree(self.build, older / "lib")
        run = self.audit("older", "--json")
        self.assertEqual(findings(run.json["findings"]), EXPECTED)
        run = self.audit(self.build / "Basic.olean", "--json")
        self.assertEqual(len(run.json["findings"]), 10)
        wide = self.audit(ROOT / "src/trust/testdata/native.olean", "--json")
        self.assertIn("native_code", {e["finding"] for e in wide.json["findings"]})

    def test_an_allowed_axiom_is_not_reported(self):
        run = self.audit("project", "--allow-axiom", "magic", "--json")
        self.assertEqual(EXPECTED - findings(run.json["findings"]), {("spell", "uses_axiom", "magic")})


class CannotAudit(AuditTest):
    def test_a_project_that_was_not_built_is_a_problem_of_the_environment(self):
        (self.folder / "empty").mkdir()
        self.write("empty/lakefile.toml", "")
        run = self.audit("empty")
        self.assertEqual(run.code, 3, run)
        self.assertIn("lake build", run.err)

    def test_proofs_that_are_missing_are_an_error(self):
        build = self.folder / "partly/.lake/build/lib/lean"
        shutil.copytree(self.build, build)
        (build / "Basic.olean.private").unlink()
        run = self.audit("partly")
        self.assertEqual(run.code, 2, run)
        self.assertIn("Basic.olean", run.err)

    def test_a_damaged_baseline_is_an_error(self):
        self.write("bad.json", "{}")
        run = self.audit("project", "--baseline", "bad.json")
        self.assertEqual(run.code, 2, run)
        self.assertIn("bad.json", run.err)
        self.write("deep.json", '{"version": 2, "findings": [' + "[" * 200_000 + "]" * 200_000 + "]}")
        run = self.audit("project", "--baseline", "deep.json")
        self.assertEqual((run.code, "nested more than 64 deep" in run.err), (2, True), run)
        self.assertEqual(self.audit("project", "--baseline", "none.json").code, 2)
        self.assertEqual(self.audit("project/Basic.lean").code, 2)


if __name__ == "__main__":
    main()
