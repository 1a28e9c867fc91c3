#!/usr/bin/env python3
"""From proofs to a model that proves: docs/training.md at toy size, on real Lean.

ZERMELO_TRAINER names the trainer (default: beside the program).
"""
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

from testing.scripted import Sim, says
from testing.zermelo import EMBEDDED, LEAN, PROGRAM, ROOT, ZermeloTest, environment, wait_until

TRAINER = pathlib.Path(os.environ.get("ZERMELO_TRAINER", PROGRAM.parent / "zermelo-train"))
EXPERT_ITERATION = ROOT / "scripts/expert_iteration.py"
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


class TrainerTest(ZermeloTest):
    """A toy model, trained on ten proofs."""

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

    @classmethod
    def half_trained(cls):
        """A model that has learnt some of the proofs."""
        if not (cls.folder / "half/checkpoint-00000040").exists():
            cls.train("sft", "--model", "new", "--data", cls.rows, "--out", "half", *cls.sft_settings(40))
        return "half/model"

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

    @classmethod
    def rollouts(cls, run):
        return [json.loads(line) for line in (cls.folder / run / "rollouts.jsonl").read_text().splitlines()]

    @classmethod
    def teach(cls, run, answer, out, steps):
        """Learns to answer so to the first request about the first problem, as a run has recorded it."""
        text = next(rollout["text"] for rollout in cls.rollouts(run) if rollout["problem"] == 1)
        messages = []
        for turn in text.split("<|im_start|>")[1:3]:
            role, _, content = turn.removesuffix("<|im_end|>\n").partition("\n")
            messages.append({"role": role, "content": content})
        assert [message["role"] for message in messages] == ["system", "user"], messages
        messages.append({"role": "assistant", "content": answer})
        row = cls.write(f"{out}.jsonl", json.dumps({"messages": messages}) + "\n")
        cls.train("sft", "--model", "random", "--data", row, "--out", out, "--set", f"steps={steps}", "--set", "batch=1", "--set",
                  "learning_rate=3e-3", "--set", "warmup=5", "--set", f"checkpoint_every={steps}")


class TrainTest(TrainerTest):
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
        out, _ = self.train("grpo", "--model", self.half_trained(), "--data", self.problems, "--out", "grpo", "--json", "--set",
                            "steps=3", "--set", "prompts=10", "--set", "group=6", "--set", "max_tokens=24", "--set",
                            "learning_rate=1e-3", "--set", "checkpoint_every=1")
        steps = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(steps), 3)
        rollouts = self.rollouts("grpo")
        self.assertEqual(sum(step["samples"] for step in steps), len(rollouts))
        for rollout in rollouts:
            name, claim, proof = PROBLEMS[rollout["problem"] - 1]
            if rollout["text"].strip().removesuffix("```").strip() == proof:
                self.assertEqual(rollout["reward"], 1, f"{name} : {claim}: {rollout}")
            if "sorry" in rollout["text"] or not rollout["text"].strip():
                self.assertEqual(rollout["reward"], 0, rollout)
        rewards = {rollout["reward"] for rollout in rollouts}
        self.assertEqual(rewards, {0, 1}, "some are proofs, some are not")

    def test_grpo_goes_on_from_the_middle_of_a_proof(self):
        """`omega` proves the theorem only after the beginning of its proof, which the answer does not repeat."""
        header, claim = "def twice (a : Nat) := a + a\n\n", "∀ a : Nat, twice a = 2 * a"
        begun = "  intro a\n  unfold twice\n"
        state = "  /- tactic state:\n    a : Nat\n    ⊢ a + a = 2 * a\n  -/\n"
        problem = {"prompt": f"{PROMPT}{statement('twice_eq', claim)}\n{begun}{state}", "prefix": begun,
                   "theorem": {"name": "twice_eq", "header": header, "statement": statement("twice_eq", claim)}}
        whole = {**problem, "prompt": f"{PROMPT}{statement('twice_eq', claim)}\n"}
        del whole["prefix"]
        self.write("partial.jsonl", "".join(json.dumps(row) + "\n" for row in (problem, whole)))
        self.train("grpo", "--model", self.half_trained(), "--data", "partial.jsonl", "--out", "partial", "--set", "steps=1",
                   "--set", "prompts=2", "--set", "group=40", "--set", "max_tokens=24")
        rollouts = self.rollouts("partial")
        rewards = {1: set(), 2: set()}
        for rollout in rollouts:
            if rollout["text"].strip().removesuffix("```").strip() == "omega":
                rewards[rollout["problem"]].add(rollout["reward"])
        self.assertEqual(rewards, {1: {1}, 2: {0}})

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

    def test_grpo_waits_for_a_lean_that_is_away(self):
        """Lean's files are gone in the second step, and come back."""
        lean = self.write("bin/lean", f'#!/bin/sh\nexec "{LEAN}" "$@"\n')
        lean.chmod(0o755)
        away = lean.with_name("away")
        process = self.start_trainer("grpo", "--model", self.half_trained(), "--data", self.problems, "--out", "away", "--lean",
                                     lean, "--set", "steps=3", "--set", "prompts=4", "--set", "group=4", "--set",
                                     "max_tokens=24", "--set", "checkpoint_every=1", "--workers", "1")
        err = []
        try:
            wait_until(lambda: (self.folder / "away/model").exists() or process.poll() is not None, LIMIT, "a step")
            lean.rename(away)
            for pid in self.leans_of(process.pid):
                os.kill(pid, signal.SIGKILL)
            for line in process.stderr:
                err.append(line)
                if "trying again in" in line:
                    break
            away.rename(lean)
            err += process.communicate(timeout=LIMIT)[1].splitlines()
        finally:
            process.kill()
            process.communicate()
        self.assertEqual(process.returncode, 0, err)
        self.assertTrue(any("trying again in" in line for line in err), err)
        steps = self.curve("away")
        self.assertEqual([step["step"] for step in steps], [1, 2, 3])
        self.assertEqual([step["samples"] + step["without_verdict"] for step in steps], [16, 16, 16])

    @staticmethod
    def leans_of(trainer):
        """The processes below a process."""
        parents = {}
        for folder in pathlib.Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                except OSError:
                    pass  # it has ended
        found, more = set(), {trainer}
        while more:
            more = {pid for pid, parent in parents.items() if parent in more}
            found |= more
        return found

    def test_errors_name_what_to_do(self):
        _, err = self.train("sft", "--model", "new", "--data", self.rows, "--out", "x", "--set", "step=3", code=2)
        self.assertIn("there is no setting step", err)
        bad = self.write("bad.jsonl", '{"prompt": "a"}\n')
        _, err = self.train("sft", "--model", "new", "--data", bad, "--out", "x", code=2)
        self.assertIn("bad.jsonl:1:", err)
        _, err = self.train("sft", "--model", "new", "--data", self.rows, "--out", "sft", "--set", "seed=2", code=2)
        self.assertIn("another", err)


    def test_a_model_is_exported_for_llama_cpp(self):
        self.train("export", "sft/model", "--gguf", "small.gguf", "--type", "f16")
        self.assertEqual((self.folder / "small.gguf").read_bytes()[:4], b"GGUF")
        _, err = self.train("export", "sft", "--gguf", "none.gguf", code=2)
        self.assertIn("config.json", err)


class PageTest(ZermeloTest):
    """The commands with which docs/training.md begins, in their order, with a model of 100,000 parameters."""
    SMALLER = {"train tokenizer": ["--size", "400"], "train init": ["--layers", "2", "--hidden", "64", "--context", "1024"],
               "train sft": ["--set", "steps=40", "--set", "batch=2", "--set", "learning_rate=3e-3", "--set", "warmup=5"],
               "train grpo": ["--set", "steps=2", "--set", "prompts=4", "--set", "group=4", "--set", "max_tokens=24"]}

    @staticmethod
    def commands():
        """Their words, without the remarks beside them."""
        page = (ROOT / "docs/training.md").read_text(encoding="utf-8")
        block = re.search(r"(?:^    .*\n)+", page, re.MULTILINE)[0]
        return [re.split(r"\s{3,}", line.strip())[0].split() for line in block.splitlines()]

    def test_the_commands_lead_from_a_project_to_a_model_that_proves(self):
        theorems = "\n\n".join(f"{statement(name, claim)}\n  sorry" for name, claim, _ in PROBLEMS)
        self.write("Basic.lean", theorems + "\n")
        commands = self.commands()
        self.assertEqual(len(commands), 8, commands)
        for program, *words in commands:
            more = self.SMALLER.get(" ".join(words[:2]), [])
            if "--model" in words and words[0] == "prove":
                more = ["--samples", "20", "--no-builtin", "--no-learning"]
            if words[:2] == ["train", "init"]:
                words = words[:words.index("--layers")] + words[words.index("--out"):]
            command = [TRAINER, *words[1:]] if program == "./zermelo" else [PROGRAM, *words]
            done = subprocess.run([*map(str, command), *more], cwd=self.folder, text=True, timeout=LIMIT, check=False,
                                  env=environment({"OMP_NUM_THREADS": 1}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            allowed = (0, 1) if "--samples" in more else (0,)  # such a model need not prove anything
            self.assertIn(done.returncode, allowed, f"{words}\n{done.stdout}")
        self.assertGreaterEqual(len((self.folder / "rows.jsonl").read_text().splitlines()), len(PROBLEMS) - 1)
        self.assertTrue((self.folder / "grpo/model/model.safetensors").exists())


class ServedTest(TrainerTest):
    """A server writes the samples: here a simulated one, which spoils half of its proofs."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rows = [{"name": name, "statement": f"theorem {name} : {claim}", "proof": f"  {proof}"} for name, claim, proof in PROBLEMS]
        proofs = cls.write("proofs.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        sim = Sim(cls.folder, None, "--proofs", str(proofs), "--spoil", "0.5")
        cls.addClassCleanup(sim.close)
        cls.write("zermelo.toml", f'[models.served]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nmodel = "sim"\n'
                  f'format = "{FORMAT}"\n')

    def test_lean_rewards_what_a_server_writes_and_the_server_gets_the_new_weights(self):
        renew = "sha256sum {model}/model.safetensors >> renewed"
        self.train("grpo", "--model", "sft/model", "--data", self.problems, "--out", "served", "--sampler", "served", "--renew",
                   renew, "--set", "steps=2", "--set", "prompts=10", "--set", "group=4", "--set", "learning_rate=1e-3")
        rollouts = self.rollouts("served")
        self.assertEqual(len(rollouts), 80)
        for rollout in rollouts:
            name, _, proof = PROBLEMS[rollout["problem"] - 1]
            if rollout["text"].removesuffix("```").strip() == proof:
                self.assertEqual(rollout["reward"], 1, f"{name}: {rollout}")
        self.assertEqual({rollout["reward"] for rollout in rollouts}, {0, 1})
        sums = (self.folder / "renewed").read_text().split()[::2]
        self.assertEqual((len(sums), len(set(sums))), (2, 2), "before each step, the weights of then")

    def test_errors_say_what_to_do(self):
        run = ["--model", "sft/model", "--data", self.problems, "--out", "bad", "--sampler"]
        for more, said in ((["nobody", "--renew", "true"], "nobody"), (["served"], "--renew"),
                           (["served", "--renew", "echo no room >&2; exit 3", "--set", "patience=0"], "no room")):
            process = self.start_trainer("grpo", *run, *more)
            _, err = process.communicate(timeout=LIMIT)
            self.assertNotEqual(process.returncode, 0, more)
            self.assertIn(said, err)


class Conversing(http.server.BaseHTTPRequestHandler):
    """Writes a call of verify_lean after a conversation in ChatML: a wrong one first, then the proof."""

    def do_POST(self):
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["prompt"]
        name, claim, proof = next(problem for problem in PROBLEMS[:2] if statement(*problem[:2]) in prompt)
        first = prompt.count("<|im_start|>assistant") == 1
        self.server.prompts.append(prompt)
        text = f"```verify_lean\n{statement(name, claim)}\n  {'exact wrong' if first else proof}\n```"
        body = json.dumps({"choices": [{"index": 0, "text": text, "finish_reason": "stop"}],
                           "usage": {"prompt_tokens": 1, "completion_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ToolsTest(TrainerTest):
    """Conversations with Lean; the model has learnt to call it for one of two theorems."""
    TOOLS = ["--set", "tools=true", "--set", "tool_calls=2", "--set", "prompts=2", "--set", "checkpoint_every=1"]
    PROOF = "```verify_lean\ntheorem one : 1 + 1 = 2 := by\n  rfl\n```"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.two = cls.write("two.jsonl", "".join(cls.problems.read_text().splitlines(keepends=True)[:2]))
        words = [word for name in ("start", "plain_text", "no_call") for word in ("--data", ROOT / f"prompts/agent/{name}.txt")]
        cls.train("tokenizer", "--data", cls.rows, *words, "--size", "900", "--out", "chat.json")
        cls.train("init", "--tokenizer", "chat.json", "--layers", "2", "--hidden", "64", "--context", "2048", "--out", "random")

    @classmethod
    def tools(cls, model, out, *more, method="grpo"):
        return [method, "--model", model, "--data", cls.two, "--out", out, "--workers", "1", *cls.TOOLS, *more]

    def test_a_random_model_calls_no_tool_and_a_killed_run_ends_the_same(self):
        more = ["--set", "steps=2", "--set", "group=2", "--set", "max_tokens=8"]
        self.train(*self.tools("random", "whole", *more))
        self.assertEqual([step["samples"] for step in self.curve("whole")], [4, 4])
        for rollout in self.rollouts("whole"):
            name, claim, _ = PROBLEMS[rollout["problem"] - 1]
            self.assertIn(statement(name, claim), rollout["text"])
            self.assertIn("<|im_start|>assistant\n", rollout["text"])
            self.assertLessEqual(rollout["tokens"], 16, "two turns without a call")
            self.assertEqual((rollout["reward"], rollout["tool_calls"]), (0, 0))
        process = self.start_trainer(*self.tools("random", "killed", *more))
        wait_until(lambda: (self.folder / "killed/model").exists() or process.poll() is not None, LIMIT, "a checkpoint")
        process.kill()
        process.communicate()
        self.train(*self.tools("random", "killed", *more))
        for file in ("model.safetensors", "optimizer.safetensors"):
            self.assertEqual((self.folder / "killed/model" / file).read_bytes(),
                             (self.folder / "whole/model" / file).read_bytes(), file)

    def test_a_conversation_begins_with_the_words_and_notes_of_its_problem(self):
        rows = [json.loads(line) for line in self.two.read_text(encoding="utf-8").splitlines()]
        rows[0]["words"], rows[1]["notes"] = "Both sides compute.", "It is no equation of numbers."
        guided = self.write("guided.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        arguments = self.tools("random", "guided", "--set", "steps=1", "--set", "group=1", "--set", "max_tokens=1")
        self.train(*[guided if argument == self.two else argument for argument in arguments])
        texts = {rollout["problem"]: rollout["text"] for rollout in self.rollouts("guided")}
        self.assertIn("A proof in words, which may help:\n\nBoth sides compute.", texts[1])
        self.assertNotIn("What earlier attempts learned:", texts[1])
        self.assertIn("What earlier attempts learned:\n\nIt is no equation of numbers.", texts[2])

    def test_a_server_writes_conversations(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Conversing)
        server.prompts = []
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.write("zermelo.toml", f'[models.served]\nendpoint = "http://127.0.0.1:{server.server_address[1]}/v1"\n'
                   f'model = "sim"\nformat = "{FORMAT}"\n')
        self.train(*self.tools("random", "elsewhere", "--set", "steps=1", "--set", "group=2"), "--sampler", "served", "--renew", "true")
        rollouts = self.rollouts("elsewhere")
        self.assertEqual([(rollout["reward"], rollout["tool_calls"]) for rollout in rollouts], [(1, 2)] * 4, rollouts)
        for rollout in rollouts:
            self.assertEqual([text.count("```verify_lean") for text in rollout["learnt"]], [1, 1], rollout)
        self.assertEqual(len(server.prompts), 8)
        self.assertEqual(sum("unknown identifier" in prompt.lower() for prompt in server.prompts), 4, "Lean's answers are read")

    @classmethod
    def chatty(cls):
        """A model that has learnt a conversation which proves the first problem."""
        if not (cls.folder / "chatty/model").exists():
            cls.train(*cls.tools("random", "prompts", "--set", "steps=1", "--set", "group=1", "--set", "max_tokens=1"))
            cls.teach("prompts", cls.PROOF, "chatty", 60)
        return "chatty/model"

    def check_rewards(self, run, wrong):
        """Rewards and loss of the conversations with the proof that was learnt; `wrong`: the reward of the others."""
        rollouts = self.rollouts(run)
        self.assertEqual({rollout["reward"] for rollout in rollouts if rollout["problem"] == 2}, {wrong}, rollouts)
        right = [rollout for rollout in rollouts if rollout["problem"] == 1 and self.PROOF in rollout["text"]]
        self.assertTrue(right, rollouts)
        for rollout in right:
            self.assertEqual(rollout["reward"], 1, rollout)
            self.assertGreaterEqual(rollout["tool_calls"], 1)
        self.assertTrue(all(step["tool_calls"] > 0 for step in self.curve(run)))
        answered = 0
        for rollout in rollouts:
            masked = rollout["text"]
            for text in rollout["learnt"]:
                self.assertNotIn("<|im_start|>", text)
                before, found, masked = masked.partition(text)
                self.assertTrue(found and before.endswith("<|im_start|>assistant\n"), rollout)
            turns = rollout["text"].split("<|im_start|>")[3:]
            self.assertEqual(len(rollout["learnt"]), sum(turn.startswith("assistant\n") for turn in turns), rollout)
            for turn in turns:
                if not turn.startswith("assistant\n"):  # a tool's answer
                    answered += 1
                    self.assertFalse([text for text in rollout["learnt"] if turn.partition("\n")[2] in text], rollout)
        self.assertGreater(answered, 0, "no conversation went on after a tool's answer")

    def test_a_conversation_that_was_learnt_is_sampled_and_rewarded(self):
        self.train(*self.tools(self.chatty(), "tools", "--set", "steps=2", "--set", "group=4", "--set", "max_tokens=60",
                               "--set", "temperature=0.7"))
        self.check_rewards("tools", 0)
        file = self.write("One.lean", f"{statement('one', '1 + 1 = 2')}\n  sorry\n")
        run = self.zermelo("prove", file, "--model", f"{self.folder}/chatty/model", "--strategy", "agent", "--no-premises",
                           "--set", "agent.python_megabytes=0", "--set", "agent.tool_calls=2", "--samples", "20", "--seed", "1",
                           "--json")
        self.assertEqual(run.json["theorems"][0]["status"], "proved", run)

    def test_vapo_learns_from_conversations_and_a_killed_run_ends_the_same(self):
        """The critic alone in the first step; then the policy, too."""
        more = ["--set", "steps=3", "--set", "group=4", "--set", "max_tokens=60", "--set", "temperature=0.7", "--set",
                "value_steps=1"]
        self.train(*self.tools(self.chatty(), "vapo", *more, method="vapo"))
        self.check_rewards("vapo", -1)
        steps = self.curve("vapo")
        self.assertEqual(["loss" in step for step in steps], [False, True, True])
        self.assertTrue(all(step["value_loss"] > 0 for step in steps), steps)
        weights = [(self.folder / run / "model.safetensors").read_bytes() for run in ("chatty/model", "vapo/model")]
        self.assertNotEqual(*weights, "the policy has learnt")
        process = self.start_trainer(*self.tools(self.chatty(), "vapo-killed", *more, method="vapo"))
        wait_until(lambda: (self.folder / "vapo-killed/model").exists() or process.poll() is not None, LIMIT, "a checkpoint")
        process.kill()
        process.communicate()
        self.train(*self.tools(self.chatty(), "vapo-killed", *more, method="vapo"))
        for file in ("model.safetensors", "optimizer.safetensors"):
            self.assertEqual((self.folder / "vapo-killed/model" / file).read_bytes(),
                             (self.folder / "vapo/model" / file).read_bytes(), file)


class SketchesTest(TrainerTest):
    """Lemmas and a proof from them, which a scripted model judges; the model has learnt a good sketch of one theorem."""
    SKETCH = ("```lean4\ntheorem p (n : Nat) : n + 0 = n := by sorry\n\ntheorem q (n : Nat) : 0 + n = n := by sorry\n\n"
              "theorem r (n : Nat) : n = n := by sorry\n\ntheorem one : 1 + 1 = 2 := by\n  have := p 1\n  have := q 1\n"
              "  have := r 1\n  rfl\n```")
    WORDS = "One and one are two by definition."
    JUDGE = [says('{"correct": true, "reason": ""}', last=["Is it true exactly as Lean reads it"]),
             says('{"veto": "", "alignment": 9, "value": 7, "reason": ""}', last=["Give two marks"]), says(WORDS)]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        sim = Sim(cls.folder, cls.JUDGE)
        cls.addClassCleanup(sim.close)
        cls.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n')
        cls.two = cls.write("two.jsonl", "".join(cls.problems.read_text().splitlines(keepends=True)[:2]))
        sketch = cls.write("sketch.txt", cls.SKETCH)
        cls.train("tokenizer", "--data", cls.rows, "--data", ROOT / "prompts/sketch/sketch.txt", "--data", sketch, "--size", "900",
                  "--out", "chat.json")
        cls.train("init", "--tokenizer", "chat.json", "--layers", "2", "--hidden", "64", "--context", "2048", "--out", "random")

    @classmethod
    def sketches(cls, model, out, *more, method="grpo"):
        cls.train(method, "--model", model, "--data", cls.two, "--out", out, "--workers", "1", "--judge", "sim", "--set",
                  "sketches=true", "--set", "prompts=2", *more)
        return cls.rollouts(out)

    @classmethod
    def taught(cls):
        """A model that has learnt a sketch of the first problem."""
        if not (cls.folder / "taught/model").exists():
            cls.sketches("random", "bad", "--set", "steps=1", "--set", "group=2", "--set", "max_tokens=8")
            cls.teach("bad", cls.SKETCH, "taught", 100)
        return "taught/model"

    def check_rewards(self, rollouts):
        right = [rollout for rollout in rollouts if rollout["problem"] == 1 and self.SKETCH in rollout["text"]]
        self.assertTrue(right, rollouts)
        self.assertEqual({rollout["reward"] for rollout in right}, {1})
        self.assertEqual({rollout["reward"] for rollout in rollouts if rollout["problem"] == 2}, {-1}, "it is of another")
        for rollout in rollouts:
            self.assertEqual(len(rollout["learnt"]), 1, "the sketch alone")
            self.assertNotIn(self.WORDS, rollout["learnt"][0])

    def test_a_sketch_is_rewarded_by_lean_and_its_judge(self):
        good = self.sketches(self.taught(), "good", "--set", "steps=1", "--set", "group=4", "--set", "max_tokens=300",
                             "--set", "temperature=0.3")
        self.check_rewards(good)
        bad = self.rollouts("bad")
        self.assertEqual([rollout["reward"] for rollout in bad], [-1] * 4)
        for rollout in bad:
            self.assertIn(self.WORDS, rollout["text"])
            self.assertLessEqual(rollout["tokens"], 8)

    def test_vapo_learns_from_sketches(self):
        more = ["--set", "steps=2", "--set", "group=4", "--set", "max_tokens=300", "--set", "temperature=0.3", "--set",
                "value_steps=1"]
        self.check_rewards(self.sketches(self.taught(), "vapo", *more, method="vapo"))
        steps = self.curve("vapo")
        self.assertEqual(["loss" in step for step in steps], [False, True])
        self.assertTrue(all(step["value_loss"] > 0 for step in steps), steps)

    def test_a_run_that_goes_on_reads_the_same_words_and_judgements(self):
        """Nobody answers any more when the step is done again."""
        sim = Sim(self.folder, self.JUDGE)
        config = self.write("short.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\nformat = "chat"\n')
        more = ["--config", config, "--set", "steps=1", "--set", "group=4", "--set", "max_tokens=300", "--set",
                "temperature=0.3", "--set", "patience=1"]
        try:
            first = self.sketches(self.taught(), "again", *more)
        finally:
            sim.close()
        (self.folder / "again/model").unlink()
        (self.folder / "again/checkpoint-00000001").rename(self.folder / "again-checkpoint")
        self.assertEqual(self.sketches(self.taught(), "again", *more), first)
        self.check_rewards(first)

    def test_the_judge_of_the_command_line_takes_the_place_of_that_in_the_configuration(self):
        config = self.write("gone.toml", (self.folder / "zermelo.toml").read_text() +
                            '[models.gone]\nendpoint = "http://127.0.0.1:9/v1"\nformat = "chat"\n'
                            '[roles]\njudge = "gone"\nreasoner = "gone"\n')
        rollouts = self.sketches("random", "named", "--config", config, "--set", "steps=1", "--set", "group=1", "--set",
                                 "max_tokens=8", "--set", "patience=1")
        self.assertTrue(all(self.WORDS in rollout["text"] for rollout in rollouts), rollouts)
        settings = json.loads((self.folder / "named/settings.json").read_text())
        self.assertEqual((settings["judge"], settings["informal"]), ("sim", "sim"))
        self.assertRegex(settings["lean"], r"^4\.")

    def test_without_a_judge_nothing_is_learnt(self):
        _, err = self.train("grpo", "--model", "random", "--data", self.two, "--out", "none", "--set", "sketches=true",
                            "--config", self.write("empty.toml", ""), code=2)
        self.assertIn("--judge", err)


class ExpertIteration(TrainerTest):
    """Two rounds, killed in each stage."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.half_trained()
        cls.problem_set = cls.write("set.jsonl", "".join(
            json.dumps({"name": name, "header": "", "formal_statement": statement(name, claim)}) + "\n"
            for name, claim, _ in PROBLEMS))
        cls.held_out = cls.write("held_out.jsonl", json.dumps(
            {"name": "other", "header": "", "formal_statement": statement("other", PROBLEMS[0][1])}) + "\n")

    @classmethod
    def iterate(cls, out, *more, data=True, model="half/model"):
        """Starts it, in a session of its own."""
        command = [sys.executable, EXPERT_ITERATION, cls.problem_set, "--model", model, "--base", "new", "--out", out,
                   "--rounds", "2", "--budget", "8", "--max-tokens", "24", "--jobs", "1", "--without", cls.held_out,
                   *(["--data", cls.rows] if data else []), *cls.sft_settings(40), *more]
        changes = {"OMP_NUM_THREADS": 1, "ZERMELO_PROGRAM": PROGRAM, "ZERMELO_TRAINER": TRAINER}
        return subprocess.Popen([str(word) for word in command], cwd=cls.folder, text=True, env=environment(changes),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self, process, code=0):
        try:
            _, err = process.communicate(timeout=2 * LIMIT)
        finally:
            process.kill()
        self.assertEqual(process.returncode, code, err)
        return err

    def kill_when(self, process, there):
        wait_until(lambda: there.exists() or process.poll() is not None, LIMIT, f"{there}")
        self.assertIsNone(process.poll(), "it was killed too late")
        process.kill()
        process.communicate()

    def test_rounds_go_on_wherever_they_were_killed(self):
        out = self.folder / "expert"
        self.kill_when(self.iterate("expert"), out / "round-001/proofs/results.jsonl")
        self.kill_when(self.iterate("expert"), out / "round-001/sft/curve.jsonl")
        self.kill_when(self.iterate("expert"), out / "round-002/proofs/results.jsonl")
        first = (out / "round-001/round.json").read_bytes()
        err = self.finish(self.iterate("expert"))
        self.assertIn("the model is in", err)
        self.assertEqual((out / "round-001/round.json").read_bytes(), first)
        self.assertEqual(os.readlink(out / "model"), "round-002/sft/model")
        self.assertTrue((out / "model/model.safetensors").exists())
        rounds = self.curve("expert")
        self.assertEqual([line["round"] for line in rounds], [1, 2])
        for line in rounds:
            self.assertEqual(line["tried"], len(PROBLEMS))
            self.assertGreater(line["loss"], 0)
            self.assertLessEqual(line["proved"], line["proved_so_far"])
        self.assertGreater(rounds[0]["proved"], 0, "the model knows some of the proofs")
        self.assertEqual(rounds[0]["new"], rounds[0]["proved"])
        self.assertEqual(rounds[1]["new"], rounds[1]["proved_so_far"] - rounds[0]["proved"])
        rows = [json.loads(line) for line in (out / "round-002/rows.jsonl").read_text().splitlines()]
        self.assertEqual(len(rows), rounds[1]["rows"])
        self.assertEqual(len({(row["prompt"], row["completion"]) for row in rows}), len(rows), "no duplicates")
        own = [row["source"]["theorem"] for row in rows if "source" in row]
        self.assertNotIn("one", own, "its statement is that of a test set")
        self.finish(self.iterate("expert"))  # nothing is left to do
        self.assertEqual(self.curve("expert"), rounds)
        self.assertIn("another seed", self.finish(self.iterate("expert", "--seed", "2"), code=2))

    def test_a_model_that_proves_nothing_is_not_trained_on_nothing(self):
        err = self.finish(self.iterate("nothing", data=False, model="new"), code=1)
        self.assertIn("round 1 has proved nothing", err)
        self.assertFalse((self.folder / "nothing/model").exists())


if __name__ == "__main__":
    assert EMBEDDED.exists()
    unittest.main(verbosity=2)
