#!/usr/bin/env python3
"""Killed and resumed runs, with real Lean and a simulated model; the verbs that show runs."""
import json
import pathlib
import signal
import sqlite3
import tempfile

from testing.sim_model import HARD, SimModel
from testing.zermelo import ZermeloTest, main, wait_until

STATEMENT = "theorem easy (a b : Nat) (h : a < b) : a ≤ b"
EASY = STATEMENT + " := by\n  sorry\n\n"
TEXT = EASY + HARD + " := by\n  sorry\n"


class Resuming(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.all_folders = cls.folder

    def setUp(self):
        """Each test has run 1 in its own folder."""
        type(self).folder = pathlib.Path(tempfile.mkdtemp(dir=self.all_folders))
        self.file = self.write("Two.lean", TEXT)
        self.database = self.folder / ".zermelo" / "runs.db"

    def serve(self, *options):
        easy = {"name": "easy", "statement": STATEMENT, "proof": "  omega"}
        sim = SimModel(self.folder, *options, also=[easy])
        self.addCleanup(sim.close)
        self.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n')
        return sim

    def events(self, *options):
        run = self.zermelo("events", "1", "--jsonl", *options)
        self.assertEqual(run.code, 0, run)
        return [json.loads(line) for line in run.out.splitlines()]

    def count(self, kind):
        """The number of events of a kind on disk."""
        if not self.database.exists():
            return 0
        try:
            with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=5) as database:
                return database.execute("SELECT count(*) FROM events WHERE kind = ?", (kind,)).fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # not created yet

    def test_killed_repeatedly_it_still_proves_and_pays_for_nothing_twice(self):
        self.serve("--spoil", "0.7", "--delay", "0.3")
        arguments = ("prove", "Two.lean", "--time", "120s", "--model", "sim", "--seed", "5", "--workers", "1",
                     "--strategy", "whole_proof")
        answered = []
        for resumed, (kind, many) in enumerate((("checked", 1), ("theorem_ended", 1), ("generated", 2))):
            run = self.start(*arguments)
            wait_until(lambda: self.count(kind) >= many and self.count("resumed") >= resumed
                       or run.process.poll() is not None, 100, kind)
            run.process.send_signal(signal.SIGKILL)
            run.wait(10)
            self.assertEqual(run.left_behind(), [], run)
            self.assertFalse((self.folder / "Two.proved.lean").exists(), run)
            self.look_at_the_costs_so_far(resumed > 0)
            answered.append({e["act"] for e in self.events("--kind", "generated")})
            arguments = ("runs", "resume", "1")
        run = self.zermelo("runs", "resume", "1", "--json")
        self.assert_ends(run, 0, "2 of 2 proved")
        for earlier, later in zip(answered, answered[1:]):
            self.assertLessEqual(earlier, later, "no answer is lost")
        generated = self.events("--kind", "generated")
        acts = [event["act"] for event in generated]
        self.assertEqual(len(acts), len(set(acts)), "an answer is recorded once")
        replied = [event for event in generated if "reply" in event.get("answer", {})]
        keys = [event["key"] for event in replied]
        self.assertEqual(len(keys), len(set(keys)), "no seed is used twice")
        samples = sum(len(event["answer"]["reply"]["completions"]) for event in replied)
        self.assertEqual(run.json["models"]["sim"]["samples"], samples, "earlier spending counts")
        shown = self.zermelo("runs", "show", "1", "--json").json
        self.assertEqual(shown["roles"]["prover"]["samples"], samples)
        seconds = sum(event["answer"].get("seconds", 0) for event in self.events("--kind", "checked") if "answer" in event)
        self.assertAlmostEqual(shown["lean_seconds"], seconds, 3)
        self.assertEqual(set(shown["lean_by_role"]), {"file", "prover"})
        self.assertAlmostEqual(sum(use["lean_seconds"] for use in shown["lean_by_role"].values()), seconds, 3)
        self.assertEqual(sum(use["checks"] for use in shown["lean_by_role"].values()), shown["checks"])
        self.assertGreaterEqual(len(self.events("--kind", "resumed")), 3)
        self.assert_ends(self.zermelo("check", "Two.proved.lean", "--against", "Two.lean"), 0)
        self.look_at_the_finished_run()

    def look_at_the_costs_so_far(self, has_asked):
        """Known although the process was killed; what it settled after the last write is not."""
        shown = self.zermelo("runs", "show", "1", "--json").json
        self.assertEqual(shown["state"], "open")
        checked = [event["answer"] for event in self.events("--kind", "checked") if "answer" in event]
        self.assertIn(shown["checks"], range(len(checked) // 2, len(checked) + 1))
        self.assertLessEqual(shown["lean_seconds"], sum(answer.get("seconds", 0) for answer in checked) + 1e-6)
        by_role = shown["lean_by_role"]
        self.assertEqual(sum(use["checks"] for use in by_role.values()), shown["checks"])
        self.assertAlmostEqual(sum(use["lean_seconds"] for use in by_role.values()), shown["lean_seconds"], 6)
        replies = [event["answer"]["reply"] for event in self.events("--kind", "generated") if "reply" in event.get("answer", {})]
        if has_asked:
            prover = shown["roles"]["prover"]
            self.assertGreater(prover["samples"], 0)
            self.assertLessEqual(prover["samples"], sum(len(reply["completions"]) for reply in replies))

    def look_at_the_finished_run(self):
        shown = self.zermelo("runs", "show", "1", "--json")
        self.assertEqual(shown.code, 0, shown)
        self.assertEqual([t["status"] for t in shown.json["results"]], ["proved", "proved"])
        self.assertEqual(shown.json["state"], "finished")
        listed, = self.zermelo("runs", "--json").json["runs"]
        self.assertEqual((listed["id"], listed["proved"], listed["theorems"]), (1, 2, 2))
        self.assert_ends(self.zermelo("runs", "resume", "1"), 2, "run 1 has finished")
        sequence = [event["seq"] for event in self.events()]
        self.assertEqual(sequence, list(range(len(sequence))))
        self.assertEqual({e["kind"] for e in self.events("--kind", "proved,failed")}, {"proved"})
        self.assert_ends(self.zermelo("events", "1", "--kind", "prooved"), 2, "prooved", "proved")
        self.assert_ends(self.zermelo("runs", "show", "7"), 2, "there is no run 7")

    def test_ctrl_c_says_how_to_resume_and_a_changed_file_is_refused(self):
        run = self.start("prove", "Two.lean", "--time", "60s", "--workers", "1")
        run.wait_for("✓ easy")
        run.process.send_signal(signal.SIGINT)
        run.wait(60)
        self.assertEqual(run.code, 130, run)
        self.assertIn("zermelo runs resume 1", run.err)
        self.write("Two.lean", TEXT + "\n-- changed\n")
        self.assert_ends(self.zermelo("runs", "resume", "1"), 2, "Two.lean has changed")
        self.write("Two.lean", TEXT)
        resumed = self.start("runs", "resume", "1")
        resumed.wait_for("✓ easy")
        other = self.zermelo("runs", "resume", "1")
        self.assert_ends(other, 2, "another process is working on run 1")
        resumed.process.send_signal(signal.SIGINT)
        resumed.wait(60)
        self.assertEqual(resumed.code, 130, resumed)

    def test_it_proves_even_if_nothing_can_be_recorded(self):
        self.write("Easy.lean", EASY)
        (self.folder / ".zermelo").write_text("in the way", encoding="utf-8")
        run = self.zermelo("prove", "Easy.lean", "--time", "60s")
        self.assert_ends(run, 0, "this run is not recorded", "1 of 1 proved")
        self.write("notes.db", "This is a text file, and no database at all. " * 10)
        run = self.zermelo("prove", "Easy.lean", "--run-db", "notes.db")
        self.assert_ends(run, 2, "notes.db")
        self.assert_ends(self.zermelo("runs"), 2, "there is no .zermelo/runs.db")
        run = self.zermelo("prove", "Easy.lean", "--run-db", "no/such/folder/runs.db")
        self.assert_ends(run, 3, "no/such/folder/runs.db")


if __name__ == "__main__":
    main()
