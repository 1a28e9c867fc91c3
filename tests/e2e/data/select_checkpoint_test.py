#!/usr/bin/env python3
"""`zermelo train select` without Lean and without a trainer: which checkpoint it takes, and what it does again."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SELECT = ROOT / "scripts/select_checkpoint.py"

# In place of `zermelo eval`: the checkpoint after step N proves the problems of PROVED[N]; with another seed, one problem
# less in the first trial. Each call is a line of calls.
FAKE = """#!/usr/bin/env python3
import json, pathlib, re, sys
PROVED = {20: 1, 40: 3, 60: 3, 80: 2, 100: 4}
words = [word for word in sys.argv[3:] if word not in ("--no-builtin", "--quiet")]
words = dict(zip(words[::2], words[1::2]))
out = pathlib.Path(words["--out"])
step = int(re.search(r"checkpoint-(\\d+)", pathlib.Path(words["--config"]).read_text())[1])
with open(out.parent / "calls", "a") as calls:
    print(step, words["--budget"], words["--runs"], words["--seed"], file=calls)
out.mkdir(exist_ok=True)
lines = [json.dumps({"problem": "p0", "run": 1, "outcome": "unverified"})]  # and once more below
for run in range(1, int(words["--runs"]) + 1):
    proved = PROVED[step] - (run == 1 and words["--seed"] != "1")
    lines += [json.dumps({"problem": f"p{i}", "run": run, "outcome": "proved" if i < proved else "unproved"}) for i in range(4)]
(out / "results.jsonl").write_text("\\n".join(lines) + "\\n")
"""


class Select(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="select-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.program = self.folder / "zermelo"
        self.program.write_text(FAKE, encoding="utf-8")
        self.program.chmod(0o755)
        for step in (20, 40, 60, 80):
            self.add_checkpoint(step)
        (self.folder / "run/checkpoint-00000099.new").mkdir()

    def add_checkpoint(self, step):
        checkpoint = self.folder / f"run/checkpoint-{step:08}"
        checkpoint.mkdir(parents=True)
        (checkpoint / "model.safetensors").touch()

    def select(self, *more, run="run", code=0):
        command = [sys.executable, "-B", SELECT, run, "valid.jsonl", "--out", "selected", "--samples", "8", "--trials", "2",
                   "--quiet", *more]
        done = subprocess.run(command, cwd=self.folder, text=True, capture_output=True, timeout=60, check=False,
                              env={**os.environ, "ZERMELO_PROGRAM": str(self.program)})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def calls(self):
        return (self.folder / "selected/calls").read_text(encoding="utf-8").splitlines()

    def test_the_first_checkpoint_with_most_proofs_is_evaluated_again_with_other_seeds(self):
        self.select()
        lines = [json.loads(line) for line in (self.folder / "selected/curve.jsonl").read_text(encoding="utf-8").splitlines()]
        self.assertEqual([(line["step"], line["mean"]) for line in lines], [(20, 0.25), (40, 0.75), (60, 0.75), (80, 0.5)])
        self.assertEqual(self.calls(), [f"{step} 8 1 1" for step in (20, 40, 60, 80)] + ["40 8 2 1000001"])
        chosen = json.loads((self.folder / "selected/chosen.json").read_text(encoding="utf-8"))
        self.assertEqual((chosen["step"], chosen["trials"], chosen["mean"]), (40, 2, 0.625))
        self.assertAlmostEqual(chosen["deviation"], 0.125 * 2 ** 0.5)
        self.assertEqual((self.folder / "selected/model").resolve(), (self.folder / "run/checkpoint-00000040").resolve())

    def test_a_better_checkpoint_may_come_later(self):
        self.select()
        self.add_checkpoint(100)
        self.select()
        self.assertEqual(self.calls()[-1], "100 8 2 1000001")
        self.assertEqual((self.folder / "selected/model").resolve(), (self.folder / "run/checkpoint-00000100").resolve())

    def test_other_settings_are_refused_in_the_same_folder(self):
        self.select()
        self.assertIn("another seed", self.select("--seed", "2", code=2))

    def test_a_run_without_checkpoints_is_an_error(self):
        (self.folder / "empty").mkdir()
        self.assertIn("has no checkpoints", self.select(run="empty", code=2))
        self.assertIn("there is no folder", self.select(run="none", code=2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
