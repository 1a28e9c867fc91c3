#!/usr/bin/env python3
"""examples/train-small at its smallest size: all stages, on real Lean, with an interruption.

ZERMELO_TRAINER names the trainer (default: beside the program).
"""
import json
import os
import signal
import subprocess
import sys

from testing.zermelo import PROGRAM, ROOT, ZermeloTest, environment, main, wait_until

TRAINER = os.environ.get("ZERMELO_TRAINER", PROGRAM.parent / "zermelo-train")
LIMIT = 2400


class TrainSmall(ZermeloTest):
    def start(self):
        changes = {"OMP_NUM_THREADS": 1, "ZERMELO_PROGRAM": PROGRAM, "ZERMELO_TRAINER": TRAINER}
        command = [sys.executable, "-B", ROOT / "examples/train-small/train_small.py", "--out", "run", "--size", "tiny", "--workers", "1"]
        return subprocess.Popen([str(word) for word in command], cwd=self.folder, text=True, env=environment(changes),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def ended(self, process):
        try:
            _, err = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
        return process.returncode, err

    def rows(self, name):
        return [json.loads(line) for line in (self.folder / "run" / name).read_text(encoding="utf-8").splitlines()]

    def test_all_stages_leave_what_the_next_one_reads(self):
        process = self.start()
        first = self.folder / "run/data/slice-001/proofs/results.jsonl"
        wait_until(lambda: first.exists() or process.poll() is not None, LIMIT, "the first result")
        process.send_signal(signal.SIGTERM)
        code, err = self.ended(process)
        self.assertEqual(code, 130, err)
        self.assertIn("run the same command again", err)
        code, err = self.ended(self.start())
        self.assertEqual(code, 0, err)
        self.assertIn("the results are in", err)

        sample = {problem["name"] for problem in self.rows("data/sample.jsonl")}
        held_out = {problem["name"] for name in ("corelib-valid", "corelib-test") for problem in self.rows(f"problems/{name}.jsonl")}
        learnt = {row["source"]["theorem"] for row in self.rows("rows.jsonl")}
        self.assertTrue(learnt)
        self.assertLessEqual(learnt, sample - held_out)
        prompts = [row["prompt"] for row in self.rows("rows.jsonl") if "prompt" in row]
        self.assertTrue(any(prompt.endswith(":::") for prompt in prompts), "goals with their tactics")
        self.assertTrue(any(prompt.startswith("```lean4\ntheorem ") for prompt in prompts), "statements with their proofs")
        for model in ("sft", "expert", "grpo", "vapo", "more-sft"):
            self.assertTrue((self.folder / f"run/{model}/model/model.safetensors").exists(), model)
        state = json.loads((self.folder / "run/state.json").read_text(encoding="utf-8"))
        self.assertTrue(all(step["done"] for step in state["steps"].values()), state)
        self.assertEqual(state["steps"]["data/slice-001/prove"]["sittings"], 2)
        report = json.loads((self.folder / "run/results.json").read_text(encoding="utf-8"))
        self.assertEqual(set(report["benchmarks"]), {"corelib-valid", "minif2f-core", "corelib-test"})
        for bench, arms in report["benchmarks"].items():
            for arm in ("sft", "rl", "rl+rmaxts", "builtin", "builtin+rl"):
                self.assertEqual(arms["arms"][arm]["problems"], state["settings"]["problems"][bench], f"{bench}: {arm}")
            self.assertTrue(arms["pairs"])
        self.assertIn("| builtin | builtin+rl |", (self.folder / "run/results.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
