#!/usr/bin/env python3
"""Code in a Lean file runs during elaboration: what it cannot do.

Skipped (in CI, failed) where the kernel cannot confine a process. Where it can, Zermelo must."""
import ctypes
import json
import os
import pathlib
import shlex

from testing.zermelo import LEAN, ZermeloTest, main, skip

OUTSIDE = "outside.txt"
LANDLOCK_CREATE_RULESET, VERSION = 444, 1  # the same number on all architectures


def kernel_lacks():
    """The parts of a sandbox that this kernel does not have."""
    version = ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(VERSION))
    actions = pathlib.Path("/proc/sys/kernel/seccomp/actions_avail")
    return ([] if version > 0 else ["Landlock"]) + ([] if actions.exists() else ["seccomp"])


class ALeanFileThatRunsCode(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.secret = cls.write("secret.txt", "the secret\n")

    def run_code(self, term, type_, *options, env=None):
        """The messages of a file that runs an IO action, including its output."""
        self.write("Code.lean", f"#eval ({term} : IO {type_})\n")
        run = self.zermelo("check", "Code.lean", "--json", *options, env=env or {})
        return run, json.dumps(run.json["files"][0]["messages"])

    def test_doctor_finds_all_parts(self):
        findings = self.zermelo("doctor", "--json").json["findings"]
        parts = {f["subject"]: f["level"] for f in findings if "sandbox" in f["subject"]}
        self.assertEqual(set(parts.values()), {"ok"}, parts)

    def test_the_code_does_run(self):
        """Without the sandbox; otherwise the tests below would prove nothing."""
        self.run_code(f'IO.FS.writeFile "{self.folder}/{OUTSIDE}" "x"', "Unit", "--no-sandbox")
        self.assertTrue((self.folder / OUTSIDE).exists())
        (self.folder / OUTSIDE).unlink()

    def test_it_reads_only_leans_files(self):
        for path in ("/etc/passwd", str(self.secret)):
            with self.subTest(path):
                run, messages = self.run_code(f'IO.FS.readFile "{path}"', "String")
                self.assertEqual(run.code, 1, run)
                self.assertRegex(messages, "(?i)permission denied|no such file")
                self.assertNotIn("root:", messages)
                self.assertNotIn("the secret", messages)

    def test_it_writes_nothing(self):
        for path in (self.folder / OUTSIDE, "/tmp/zermelo-sandbox-test"):
            with self.subTest(path):
                run, messages = self.run_code(f'IO.FS.writeFile "{path}" "x"', "Unit")
                self.assertEqual(run.code, 1, run)
                self.assertFalse(os.path.exists(path))

    def test_it_removes_nothing(self):
        run, _ = self.run_code(f'IO.FS.removeFile "{self.secret}"', "Unit")
        self.assertEqual(run.code, 1, run)
        self.assertTrue(self.secret.exists())

    def test_it_sees_no_keys(self):
        self.write("Key.lean", 'theorem t : True := trivial\n'
                               '#eval show IO Unit from do\n'
                               '  if (← IO.getEnv "MODEL_API_KEY").isSome then throw (IO.userError "seen")\n')
        run = self.zermelo("check", "Key.lean", env={"MODEL_API_KEY": "k123"})
        self.assertNotIn("seen", run.err)
        run = self.zermelo("check", "Key.lean", "--no-sandbox", env={"MODEL_API_KEY": "k123"})
        self.assertIn("seen", run.err)


class ALeanThatIsAScript(ZermeloTest):
    """A Lean that starts processes or needs files that Lean does not: the strictest working sandbox is used."""

    def found(self, body):
        path = self.write("bin/lean", f"#!/bin/bash\nLEAN={shlex.quote(str(LEAN))}\n{body}\n")
        path.chmod(0o755)
        run = self.zermelo("doctor", "--json", "--lean", path)
        sandbox, = (f for f in run.json["findings"] if f["subject"] == "Lean's sandbox")
        return run.json["lean"]["path"], sandbox["found"], run

    def test_a_script_that_becomes_lean_is_confined(self):
        path, sandbox, run = self.found('exec "$LEAN" "$@"')
        self.assertEqual((path, sandbox), (str(self.folder / "bin/lean"), "on"), run)

    def test_a_script_that_starts_processes_is_bypassed(self):
        path, sandbox, run = self.found('here=$(dirname "$0"); exec "$LEAN" "$@"')
        self.assertEqual(sandbox, "on", run)
        self.assertEqual(os.path.realpath(path), os.path.realpath(LEAN), run)


if __name__ == "__main__":
    if kernel_lacks():
        skip(f"this kernel has no {' and no '.join(kernel_lacks())}")
    main()
