#!/usr/bin/env python3
"""The choice of Lean, and errors for a missing, wrong or dying Lean."""
import os
import shlex
import signal
import subprocess

from testing.zermelo import LEAN, ROOT, ZermeloTest, main, wait_until

EASY = """\
theorem one (a b : Nat) (h : a < b) : a ≤ b := by
  sorry
theorem two (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry
theorem three : 2 + 2 = 4 := by
  sorry
"""
NOWHERE = {"PATH": "/nonexistent", "ZERMELO_EMBEDDED": "/nonexistent"}


class LeanTest(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.write("Easy.lean", EASY)

    @classmethod
    def script(cls, name, body):
        """An executable shell script; $LEAN is the embedded Lean."""
        path = cls.write(name, f"#!/bin/sh\nLEAN={shlex.quote(str(LEAN))}\n{body}\n")
        path.chmod(0o755)
        return path

    def assert_environment_error(self, run, *said):
        self.assert_ends(run, 3, *said)
        self.assertEqual(run.out, "")
        self.assertEqual(self.file.read_text(encoding="utf-8"), EASY)
        self.assertFalse((self.folder / "Easy.proved.lean").exists())


class NoLean(LeanTest):
    def test_a_missing_lean_is_reported_with_advice(self):
        for verb in ("prove", "check"):
            with self.subTest(verb=verb):
                run = self.zermelo(verb, "Easy.lean", "--json", env=NOWHERE, limit=20)
                self.assert_environment_error(run, "no Lean was found", "elan", "embedded/install.sh")

    def test_the_doctor_reports_it_too(self):
        run = self.zermelo("doctor", "--json", env=NOWHERE, limit=20)
        self.assertEqual(run.code, 3, run)
        lean = run.json["findings"][0]
        self.assertEqual((lean["subject"], lean["level"]), ("Lean", "problem"))
        self.assertIn("elan", lean["advice"])

    def test_a_path_without_lean_is_a_usage_error(self):
        for path in ("missing/lean", "Easy.lean", "."):
            with self.subTest(path=path):
                run = self.zermelo("prove", "Easy.lean", "--lean", path, limit=20)
                self.assert_ends(run, 2, "no Lean at", "--lean takes")


class AWrongLean(LeanTest):
    def prove_with(self, body, limit=60):
        script = self.script("lean", body)
        return self.zermelo("prove", "Easy.lean", "--json", "--time", "10s", "--lean", script, limit=limit)

    def test_a_lean_that_fails_at_once(self):
        run = self.prove_with("echo 'no such toolchain' >&2; exit 1")
        self.assert_environment_error(run, "exit code 1", "no such toolchain", "--lean PATH")

    def test_a_program_that_is_not_lean(self):
        run = self.prove_with("echo Python 3.11.2")
        self.assert_environment_error(run, "not Lean 4", "Python 3.11.2")

    def test_a_lean_3(self):
        run = self.prove_with("echo 'Lean (version 3.51.1, commit cce7990ea86a, Release)'")
        self.assert_environment_error(run, "this is Lean 3.51.1", "Lean 4")

    def test_a_worker_that_dies_at_once(self):
        run = self.prove_with('[ "$1" = --version ] && exec "$LEAN" --version\n'
                              "echo out of luck >&2; exit 1")
        self.assert_environment_error(run, "Lean crashed", "out of luck")

    def test_a_worker_that_sends_garbage(self):
        run = self.prove_with('case " $* " in *" --worker "*) exec yes garbage;; esac\nexec "$LEAN" "$@"')
        self.assert_environment_error(run, "Lean crashed")


class ALeanThatDies(LeanTest):
    def test_a_killed_worker_is_replaced_and_everything_is_proved(self):
        run = self.start("prove", "Easy.lean", "--time", "60s", "--out", "replaced.lean")
        run.wait_for("✓ one")
        for pid in wait_until(run.lean_processes, 60, "a Lean worker"):
            os.kill(pid, signal.SIGKILL)
        run.wait()
        self.assert_ends(run, 0, "3 of 3 proved")
        self.assertEqual(run.left_behind(), [])

    def test_workers_that_always_die_end_in_a_result_or_an_error(self):
        killed_soon = self.script("lean", """\
if [ "$1" != --version ]; then (sleep 4; kill -9 $$) </dev/null >/dev/null 2>&1 & fi
exec "$LEAN" "$@" """)
        run = self.zermelo("prove", "Easy.lean", "--theorem", "three", "--time", "10s", "--lean", killed_soon,
                           "--no-sandbox", "--out", "dying.lean", limit=120)
        if run.code == 3:
            self.assertIn("crashed", run.err)
            self.assertFalse((self.folder / "dying.lean").exists())
        else:
            self.assertIn(run.code, (0, 1), run)

    def test_a_lean_that_dies_once_while_verifying_gets_a_second_chance(self):
        dies_once = self.script("lean", """\
case " $* " in *" --stdin "*) mkdir "${0%/*}/died" 2>/dev/null && exit 137 ;; esac
exec "$LEAN" "$@" """)
        run = self.zermelo("prove", "Easy.lean", "--theorem", "three", "--time", "60s", "--json",
                           "--lean", dies_once, "--no-sandbox", "--out", "second.lean")
        self.assert_ends(run, 0)
        self.assertEqual(run.json["theorems"][0]["status"], "proved")

    def test_proofs_that_cannot_be_verified_are_not_written(self):
        no_compiler = self.script("lean", """\
case " $* " in *" --stdin "*) echo no memory >&2; exit 137 ;; esac
exec "$LEAN" "$@" """)
        run = self.zermelo("prove", "Easy.lean", "--theorem", "three", "--time", "60s", "--json",
                           "--lean", no_compiler)
        self.assert_environment_error(run, "could not be verified", "no memory")


class AnImportThatIsNotBuilt(LeanTest):
    """The message differs between Lean versions, and between the worker and the compiler."""

    FORMS = {
        "unknown package 'Missing'": "lake build Missing`",  # 4.9
        "object file '/p/.lake/build/lib/Missing/Part.olean' of module Missing.Part does not exist":
            "lake build Missing.Part`",
        "unknown module prefix 'Missing'": "lake build Missing`",  # 4.28
        "Imports are out of date and must be rebuilt; use the \"Restart File\" command in your editor.":
            "lake build`",  # dependencyBuildMode: never
    }

    def test_every_form_names_the_command_that_builds_it(self):
        bin_folder = "elan/toolchains/leanprover--lean4---v4.9.0/bin"
        self.script(f"{bin_folder}/lean", f'exec "{ROOT}/src/lean/testing/fake_lean.py" "$@"')
        self.script(f"{bin_folder}/lake", 'echo "LEAN_PATH=$PWD/.lake/build/lib"')
        self.write("old/lean-toolchain", "leanprover/lean4:v4.9.0\n")
        self.write("old/lakefile.lean", "package old\n")
        for message, command in self.FORMS.items():
            self.write("old/File.lean", f"import Missing.Part\n-- fake: error 0 {message}\n"
                                        "theorem t : True := trivial\n")
            with self.subTest(message):
                run = self.zermelo("check", "old/File.lean", "--no-sandbox",
                                   env={"ELAN_HOME": self.folder / "elan"})
                self.assert_ends(run, 1, command)


class AProject(LeanTest):
    """A Lake project with a library module, its toolchain installed by elan."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        toolchain = "elan/toolchains/leanprover--lean4---v4.28.0-pre/bin"
        cls.script(f"{toolchain}/lean", 'exec "$LEAN" "$@"')
        cls.script(f"{toolchain}/lake", """\
[ "$*" = "env env" ] || exit 1
echo "$PWD" >> "$0.log"
echo "LEAN_PATH=$PWD/.lake/build/lib/lean"
echo "LEAN_SYSROOT=${0%/bin/lake}"
echo "UNRELATED=1" """)
        cls.write("project/lean-toolchain", "leanprover/lean4:v4.28.0-pre\n")
        cls.write("project/lakefile.toml", 'name = "project"\n')
        # The embedded Lean shows importers only public declarations.
        module = cls.write("project/Library.lean", """\
module
@[expose] public def answer : Nat := 42

/-- Asked for by a test. -/
public theorem less_than_answer
    (k : Nat) (hk : answer ≤ k) :
    (41 : Nat) < k := Nat.lt_of_lt_of_le (by decide) hk
""")
        olean = cls.folder / "project/.lake/build/lib/lean/Library.olean"
        olean.parent.mkdir(parents=True)
        subprocess.run([str(LEAN), "-o", str(olean), str(module)], check=True, timeout=60)
        cls.write("project/Sub/Main.lean",
                  "import Library\n\ntheorem answer_eq : answer = 42 := by\n  sorry\n")
        cls.elan = {"ELAN_HOME": cls.folder / "elan"}

    def test_a_file_in_a_project_is_proved_with_the_projects_lean_and_library(self):
        run = self.zermelo("prove", "project/Sub/Main.lean", "--time", "60s", "--json", env=self.elan)
        self.assert_ends(run, 0)
        self.assertEqual(run.json["lean"]["kind"], "project")
        self.assertTrue((self.folder / "project/Sub/Main.proved.lean").exists())

    def test_the_index_of_a_project_has_the_authors_theorems(self):
        index = self.folder / "project.db"
        made = self.zermelo("index", "--project", "project", "--index", index, "--json", env=self.elan)
        self.assert_ends(made, 0)
        def search(*more):
            run = self.zermelo("search", "less_than_answer", "--project", "project", "--index", index, "--json",
                               *more, env=self.elan)
            return run, {p["name"]: p for p in run.json["premises"]}
        run, found = search()
        self.assertNotIn("note", run.err)
        theorem = found["less_than_answer"]
        self.assertEqual(theorem["module"], "Library")
        self.assertEqual(theorem["docstring"], "Asked for by a test.")
        self.assertEqual(theorem["signature"], "(k : Nat) (hk : answer ≤ k) : (41 : Nat) < k")
        self.assertNotIn("less_than_answer", search("--import", "Init")[1])
        olean = self.folder / "project/.lake/build/lib/lean/Library.olean"
        os.utime(olean, (olean.stat().st_atime, olean.stat().st_mtime + 5))
        self.assertIn("`zermelo index`", search()[0].err)
        again = self.zermelo("index", "--project", "project", "--index", index, "--json", env=self.elan)
        self.assertEqual(again.json["read"], 1)

    def test_an_import_that_is_not_built_names_the_command_that_builds_it(self):
        self.write("project/Unbuilt.lean", "import Missing.Part\ntheorem t : 1 + 1 = 2 := by sorry\n")
        for verb in ("prove", "check"):
            with self.subTest(verb):
                run = self.zermelo(verb, "project/Unbuilt.lean", env=self.elan)
                self.assert_ends(run, 1, "run `lake build Missing")

    def test_files_of_several_projects_are_each_checked_by_their_own_lean(self):
        self.write("Alone.lean", "import Library\ntheorem t : answer = 42 := rfl\n")
        self.write("project/Inside.lean", "import Library\ntheorem t : answer = 42 := rfl\n")
        self.write("project/Sub/Also.lean", "import Library\ntheorem t : answer ≠ 43 := by decide\n")
        log = self.folder / "elan/toolchains/leanprover--lean4---v4.28.0-pre/bin/lake.log"
        log.unlink(missing_ok=True)
        run = self.zermelo("check", "Alone.lean", "project/Inside.lean", "project/Sub/Also.lean", "--json",
                           env=self.elan)
        alone, inside, also = run.json["files"]
        self.assertEqual((alone["clean"], alone["lean"]["kind"]), (False, "embedded"), run)
        for file in (inside, also):
            self.assertEqual((file["clean"], file["lean"]["kind"]), (True, "project"), run)
        self.assertEqual(len(log.read_text().splitlines()), 1, "the search path is requested once per project")

    def test_the_doctor_sees_the_project_from_a_folder_inside(self):
        run = self.zermelo("doctor", "--json", env=self.elan, cwd=self.folder / "project/Sub")
        self.assert_ends(run, 0)
        self.assertEqual(run.json["lean"]["kind"], "project")
        self.assertIn("toolchains/leanprover--lean4---v4.28.0-pre", run.json["lean"]["path"])

    def test_a_project_whose_toolchain_is_missing_says_how_to_install_it(self):
        run = self.zermelo("prove", "project/Sub/Main.lean", env={"ELAN_HOME": "/nonexistent"}, limit=20)
        self.assert_ends(run, 3, "leanprover/lean4:v4.28.0-pre", "elan")

    def test_a_project_whose_lake_fails_reports_lakes_error(self):
        self.script("broken/toolchains/leanprover--lean4---v4.28.0-pre/bin/lake",
                    "echo 'error: manifest out of date' >&2; exit 1")
        run = self.zermelo("prove", "project/Sub/Main.lean", env={"ELAN_HOME": self.folder / "broken"},
                           limit=20)
        self.assert_ends(run, 3, "manifest out of date", "lake build")


if __name__ == "__main__":
    main()
