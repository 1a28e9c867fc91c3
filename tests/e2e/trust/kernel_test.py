#!/usr/bin/env python3
"""`zermelo kernel`: compiled modules and exports judged by the second kernel, and its exit codes."""
import json
import os
import re
import shutil
import signal
import subprocess

from testing.zermelo import EMBEDDED, LEAN, PROGRAM, ROOT, ZermeloTest, main

EXPORTS = ROOT / "src/kernel/testdata/ndjson"
LIBRARY = EMBEDDED / "build/lib/lean"
HONEST = """\
theorem sum (a b : Nat) : a + b = b + a := by
  omega
inductive Tree (α : Type) | leaf | node (children : List (Tree α))
theorem product : 12345678901234567890 * 98765432109876543210 = 1219326311370217952237463801111263526900 := by
  decide
"""
# Lean's kernel is off, so the module has a theorem that its proof does not prove.
FALSE = """\
set_option debug.skipKernelTC true
theorem one_is_two : 1 = 2 := by
  decide +kernel
"""


class KernelTest(ZermeloTest):
    @classmethod
    def compile(cls, name, text):
        source = cls.write(f"{name}.lean", text)
        compiled = source.with_suffix(".olean")
        subprocess.run([LEAN, "-o", compiled, source], check=True, capture_output=True, timeout=120, cwd=cls.folder)
        return compiled

    @classmethod
    def kernel(cls, *arguments, **options):
        return cls.zermelo("kernel", "--path", LIBRARY, *arguments, **options)


class Modules(KernelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.honest = cls.compile("Honest", HONEST)
        cls.false = cls.compile("False", FALSE)

    def test_honest_proofs_are_accepted(self):
        run = self.kernel(self.honest, "--json")
        self.assertEqual(run.code, 0, run)
        self.assertEqual((run.json["verdict"], run.json["axioms"], run.json["refused"]), ("accepted", [], []))
        self.assertEqual(len(run.json["imports"]["sha256"]), 64)
        self.assertGreater(run.json["imports"]["modules"], 400)
        self.assertGreater(run.json["declarations"], 10)

    def test_what_lean_wrote_without_its_kernel_is_rejected(self):
        run = self.kernel(self.false, "--json")
        self.assertEqual(run.code, 1, run)
        self.assertEqual(run.json["verdict"], "rejected")
        self.assertTrue(run.json["declaration"].startswith("one_is_two"), run)
        self.assertIn("rejected one_is_two", run.err)

    def test_compiled_code_is_declined(self):
        run = self.kernel(ROOT / "src/trust/testdata/native.olean")
        self.assertEqual(run.code, 2, run)

    def test_a_module_of_the_library_is_accepted_as_far_as_it_is_there(self):
        run = self.kernel(LIBRARY / "Init/Core.olean", "--threads", "2", "--keep-going", "--json")
        self.assertEqual(run.code, 2, run)
        refused, = run.json["refused"]
        self.assertIn("Core.olean.private, which is missing", refused["reason"])

    def test_a_project_is_found_by_its_folder(self):
        build = self.folder / "project/.lake/build/lib/lean"
        build.mkdir(parents=True)

        def build_module(compiled):
            for part in compiled.parent.glob(compiled.name + "*"):
                shutil.copy(part, build)

        build_module(self.honest)
        accepted = self.kernel("--project", "project", "--json")
        self.assertEqual(accepted.code, 0, accepted)
        build_module(self.false)
        self.assertEqual(self.kernel("--project", "project").code, 1)

    def test_an_export_stands_on_its_own(self):
        exported = self.kernel("export", self.honest, "Tree", "--out", "tree.ndjson")
        self.assertEqual(exported.code, 0, exported)
        accepted = self.zermelo("kernel", "tree.ndjson", "--json")
        self.assertEqual(accepted.code, 0, accepted)
        self.assertIsNone(accepted.json["imports"]["sha256"])
        lines = (self.folder / "tree.ndjson").read_text(encoding="utf-8").splitlines()
        self.assertEqual(json.loads(lines[0])["meta"]["format"]["version"], "3.1.0")
        changed = [line.replace('"numParams":1', '"numParams":0') for line in lines]
        self.assertNotEqual(changed, lines)
        self.write("changed.ndjson", "\n".join(changed))
        self.assertEqual(self.zermelo("kernel", "changed.ndjson").code, 1)


class OtherPrograms(KernelTest):
    """How others call the kernel: its exit code is all that they look at."""

    def command_for_the_arena(self, what):
        """A value of the checker's description, which is run in a checkout of the repository."""
        (self.folder / "zermelo").unlink(missing_ok=True)
        (self.folder / "zermelo").symlink_to(PROGRAM)
        description = (ROOT / "examples/kernel/zermelo.yaml").read_text(encoding="utf-8")
        return re.search(rf"^{what}: (.+)$", description, re.MULTILINE)[1]

    def exit_code(self, command, **options):
        return subprocess.run(command, capture_output=True, timeout=60, check=False, **options).returncode

    def test_the_checker_for_lean_kernel_arena_tells_each_attack_from_its_honest_twin(self):
        self.assertEqual(self.exit_code(["sh", "-c", self.command_for_the_arena("build")], cwd=self.folder), 0)
        command = ["sh", "-c", self.command_for_the_arena("run")]
        attacks = sorted((EXPORTS / "attacks").iterdir())
        self.assertGreaterEqual(len(attacks), 30)
        for attack in attacks:
            for expected, export in ((1, attack), (0, EXPORTS / "honest" / attack.name)):
                code = self.exit_code(command, cwd=self.folder, env={**os.environ, "IN": str(export)})
                self.assertEqual(code, expected, export)

    def test_an_external_kernel_gets_the_export_as_its_last_argument_and_needs_nothing_else(self):
        for expected, kind in ((1, "attacks"), (0, "honest")):
            command = [PROGRAM, "kernel", "--quiet", EXPORTS / kind / "theorem_of_itself.ndjson"]
            self.assertEqual(self.exit_code(command, cwd="/", env={}), expected, kind)


class Interrupted(KernelTest):
    def test_ctrl_c_ends_the_check(self):
        endless = self.compile("Endless", """\
set_option debug.skipKernelTC true
def loop : Nat → Bool → Bool
  | 0, b => b
  | n + 1, b => loop n b
theorem endless : loop 1000000000 true = true := by
  decide +kernel
""")
        run = self.start("kernel", endless, "--path", LIBRARY)
        run.wait_for("checking")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait(20)
        self.assertEqual(run.code, 130, run)


class CannotRun(KernelTest):
    def test_files_and_usage_have_exit_code_3(self):
        self.write("Damaged.olean", b"olean\x02 and no more")
        for arguments in (("missing.olean",), (), ("--threads", "none", "x.olean"), ("Damaged.olean",),
                          ("--project", "."), ("export", "missing.olean")):
            run = self.zermelo("kernel", *arguments)
            self.assertEqual(run.code, 3, run)
            self.assertIn("zermelo: ", run.err)


if __name__ == "__main__":
    main()
