#!/usr/bin/env python3
"""From proofs to a model that proves: docs/training.md at toy size, on real Lean.

ZERMELO_TRAINER names the trainer (default: beside the program).
"""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from zermelo import EMBEDDED, PROGRAM, ROOT, ZermeloTest, environment, wait_until

TRAINER = pathlib.Path(os.environ.get("ZERMELO_TRAINER", PROGRAM.parent / "zermelo-train"))
LIMIT = 240
FORMAT = "deepseek-prover-v1.5"
PROMPT = (ROOT / f"prompts/{FORMAT}.txt").read_text(encoding="utf-8").split("=== prompt\n")[1].split("{header}")[0]
PROBLEMS = [("one", "1 + 1 = 2", "rfl"), ("two", "2 + 2 = 4", "rfl"), ("three", "3 * 3 = 9", "rfl"),
            ("comm", "∀ a b : Nat, a + b = b + a", "omega"), ("zero", "∀ a : Nat, a + 0 = a", "omega"),
            ("less", "∀ a : Nat, a < a + 1", "omega"), ("twice", "∀ a : Nat, a + a = 2 * a", "omega"),
            ("and", "∀ p q : Prop, p ∧ q → q ∧ p", "grind"), ("or", "∀ p q : Prop, p ∨ q → q ∨ p", "grind"),
            ("not", "∀ p : Prop, p → ¬¬p", "grind")]


def statement(name, claim):
    return f"theorem {name} : {claim} := by"


class TrainTest(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rows = [{"prompt": f"{PROMPT}{statement(name, claim)}\n", "completion": f"  {proof}\n```"}
                for name, claim, proof in PROBLEMS]
        cls.rows = cls.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        problems = [{"prompt": f"{PROMPT}{statement(name, claim)}\n",
                     "theorem": {"name": name, "header": "", "statement": statement(name, claim)}}
                    for name, claim, _ in PROBLEMS]
        cls.problems = cls.write("problems.jsonl", "".join(json.dumps(problem) + "\n" for problem in problems))
        cls.write("zermelo.toml", f'[models.small]\npath = "{cls.folder}/sft/model"\nformat = "{FORMAT}"\n')
        cls.train("tokenizer", "--data", cls.rows, "--size", "400", "--out", "tokenizer.json")
        cls.train("init", "--tokenizer", "tokenizer.json", "--layers", "2", "--hidden", "64", "--context", "1024", "--out",
                  "new")
        cls.train("sft", "--model", "new", "--data", cls.rows, "--validation", cls.rows, "--out", "sft",
                  *cls.sft_settings(120))

    @staticmethod
    def sft_settings(steps):
        return ["--set", f"steps={steps}", "--set", "batch=4", "--set", "context=256", "--set", "learning_rate=3e-3",
                "--set", "warmup=5", "--set", "checkpoint_every=20"]

    @classmethod
    def start_trainer(cls, *arguments):
        return subprocess.Popen([TRAINER, *map(str, arguments)], cwd=cls.folder, text=True,
                                env=environment({"OMP_NUM_THREADS": 1}),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @classmethod
    def train(cls, *arguments, code=0):
        process = cls.start_trainer(*arguments)
        try:
            out, err = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
        assert process.returncode == code, f"{arguments}: exit code {process.returncode}\n{err}"
        return out, err

    def curve(self, run):
        return [json.loads(line) for line in (self.folder / run / "curve.jsonl").read_text().splitlines()]

    def test_the_trained_model_proves_what_it_has_seen(self):
        theorems = "\n\n".join(f"{statement(name, claim)}\n  sorry" for name, claim, _ in PROBLEMS)
        file = self.write("Seen.lean", theorems + "\n")
        run = self.zermelo("prove", file, "--model", "small", "--strategy", "whole_proof", "--samples", "400", "--json")
        self.assertTrue(run.out, run)
        proved = [t for t in run.json["theorems"] if t["status"] == "proved"]
        self.assertGreaterEqual(len(proved), 8, run)

    def test_the_loss_falls(self):
        curve = self.curve("sft")
        self.assertEqual(len(curve), 120)
        self.assertLess(curve[-1]["validation_loss"], 0.5 * curve[0]["loss"])

    def test_grpo_is_rewarded_by_lean(self):
        self.train("sft", "--model", "new", "--data", self.rows, "--out", "half", *self.sft_settings(40))
        out, _ = self.train("grpo", "--model", "half/model", "--data", self.problems, "--out", "grpo", "--json", "--set",
                            "steps=3", "--set", "prompts=10", "--set", "group=6", "--set", "max_tokens=24", "--set",
                            "learning_rate=1e-3", "--set", "checkpoint_every=1")
        steps = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(steps), 3)
        rollouts = [json.loads(line) for line in (self.folder / "grpo/rollouts.jsonl").read_text().splitlines()]
        self.assertEqual(sum(step["samples"] for step in steps), len(rollouts))
        for rollout in rollouts:
            name, claim, proof = PROBLEMS[rollout["problem"] - 1]
            if rollout["text"].strip().removesuffix("```").strip() == proof:
                self.assertEqual(rollout["reward"], 1, f"{name} : {claim}: {rollout}")
            if "sorry" in rollout["text"] or not rollout["text"].strip():
                self.assertEqual(rollout["reward"], 0, rollout)
        rewards = {rollout["reward"] for rollout in rollouts}
        self.assertEqual(rewards, {0, 1}, "some are proofs, some are not")

    def test_a_killed_run_goes_on_and_ends_the_same(self):
        arguments = ["sft", "--model", "new", "--data", self.rows, "--validation", self.rows, "--out", "killed",
                     *self.sft_settings(120)]
        process = self.start_trainer(*arguments)
        wait_until(lambda: (self.folder / "killed/model").exists() or process.poll() is not None, LIMIT, "a checkpoint")
        time.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertFalse((self.folder / "killed/checkpoint-00000120").exists(), "it was killed too late")
        self.train(*arguments)
        for file in ("model.safetensors", "optimizer.safetensors"):
            self.assertEqual((self.folder / "killed/model" / file).read_bytes(),
                             (self.folder / "sft/model" / file).read_bytes(), file)

    def test_errors_name_what_to_do(self):
        _, err = self.train("sft", "--model", "new", "--data", self.rows, "--out", "x", "--set", "step=3", code=2)
        self.assertIn("there is no setting step", err)
        bad = self.write("bad.jsonl", '{"prompt": "a"}\n')
        _, err = self.train("sft", "--model", "new", "--data", bad, "--out", "x", code=2)
        self.assertIn("bad.jsonl:1:", err)
        _, err = self.train("sft", "--model", "new", "--data", self.rows, "--out", "sft", "--set", "seed=2", code=2)
        self.assertIn("another", err)


if __name__ == "__main__":
    assert EMBEDDED.exists()
    unittest.main(verbosity=2)
