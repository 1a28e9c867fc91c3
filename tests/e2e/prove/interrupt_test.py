#!/usr/bin/env python3
"""Signals during `zermelo prove`: no half-written file and no process left."""
import os
import signal

from testing.zermelo import ZermeloTest, main, processes_of, wait_until

# The first theorem is easy, the others take all the available time.
TEXT = "theorem easy (a b : Nat) (h : a < b) : a ≤ b := by\n  sorry\n\n" + "".join(f"""\
theorem hard{i} (a b c : Nat) (ha : 0 < a) (hb : 0 < b) : a ^ 3 + b ^ 3 ≠ c ^ 3 + {i} * 9 := by
  sorry
""" for i in range(40))


class Signals(ZermeloTest):
    def begin(self, name):
        """Starts a run and waits until it has proved its first theorem and works on a hard one."""
        self.file = self.write(f"{name}.lean", TEXT)
        self.output = self.folder / f"{name}.proved.lean"
        run = self.start("prove", self.file.name, "--time", "60s")
        run.wait_for("✓ easy")
        return run

    def assert_no_damage(self):
        self.assertEqual(self.file.read_text(encoding="utf-8"), TEXT)
        hidden = [p.name for p in self.folder.iterdir() if p.name.startswith(".")]
        self.assertEqual(set(hidden) - {".zermelo"}, set())

    def assert_nothing_runs(self, run):
        self.assertEqual(run.left_behind(), [], run)

    def test_ctrl_c_keeps_what_was_proved(self):
        run = self.begin("once")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait(60)
        self.assertEqual(run.code, 130, run)
        self.assert_nothing_runs(run)
        self.assert_no_damage()
        self.assertEqual(list(run.scratch.iterdir()), [])
        output = self.output.read_text(encoding="utf-8")
        head, rest = TEXT.split("  sorry\n", 1)
        self.assertTrue(output.startswith(head) and output.endswith(rest), output)

    def test_ctrl_c_twice_ends_at_once(self):
        run = self.begin("twice")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait_for("Ctrl-C again")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait(5)
        self.assertEqual(run.code, 130, run)
        self.assert_nothing_runs(run)
        self.assert_no_damage()
        self.assertFalse(self.output.exists())

    def test_ctrl_c_while_lean_starts(self):
        self.file = self.write("early.lean", TEXT)
        for verb in ("prove", "check"):
            with self.subTest(verb=verb):
                run = self.start(verb, self.file.name)
                wait_until(run.lean_processes, 60, "a Lean worker")
                os.kill(run.process.pid, signal.SIGINT)
                run.wait(10)
                self.assertEqual(run.code, 130, run)
                self.assert_nothing_runs(run)
                self.assertEqual([p.name for p in self.folder.glob("early*")], ["early.lean"])
                self.assert_no_damage()

    def test_ctrl_c_ends_the_check_by_the_second_kernel(self):
        # Lean's kernel is off, so only ours computes: for the minute that it has.
        text = ("set_option debug.skipKernelTC true\ndef loop : Nat → Bool → Bool\n  | 0, b => b\n  | n + 1, b => loop n b\n"
                "theorem endless : loop 1000000000 true = true := by\n  sorry\n")
        self.write("Endless.lean", text)
        self.write("Endless.proved.lean", text.replace("sorry", "decide +kernel"))
        run = self.start("check", "Endless.proved.lean", "--against", "Endless.lean")
        def only_the_kernel_works():
            try:
                compiled = len(list(run.scratch.rglob("*.olean"))) == 2
            except FileNotFoundError:  # a folder that is just being removed
                return False
            return compiled and len(processes_of(run.process.pid)) == 1
        wait_until(only_the_kernel_works, 120, "two compiled modules, and the end of Lean")
        os.kill(run.process.pid, signal.SIGINT)
        run.wait(20)
        self.assertEqual(run.code, 130, run)
        self.assert_nothing_runs(run)
        self.assertEqual(list(run.scratch.iterdir()), [])

    def test_lean_dies_when_the_program_is_killed(self):
        run = self.begin("killed")
        self.assertGreaterEqual(len(run.lean_processes()), 1)
        run.process.kill()
        run.wait(5)
        self.assertEqual(run.code, -signal.SIGKILL)
        self.assert_nothing_runs(run)
        self.assert_no_damage()
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    main()
