#!/usr/bin/env python3
"""Zermelo's model client, doctor and exported models with llama.cpp's own server and tiny random models.

Runs where `scripts/llama_cpp.sh --quick` (`./zermelo test --with-llama-cpp`) has built the server.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.request

from testing.zermelo import ROOT, ZermeloTest, environment, main

SERVER = pathlib.Path(os.environ.get("ZERMELO_LLAMA_SERVER", ROOT / "build/llama-cpp-quick/bin/llama-server"))
TRAINER = pathlib.Path(os.environ.get("ZERMELO_TRAINER", ROOT / "build/release/zermelo-train"))
TRAIN_TEST = pathlib.Path(os.environ.get("ZERMELO_TRAIN_TEST", ROOT / "build/release/src/train/train_test"))
MODELS = ROOT / "src/decoder/testing/models"
CLIENT_TEST = os.environ.get("ZERMELO_LLM_TEST", ROOT / "build/release/src/llm/llm_test")
FORMAT = "deepseek-prover-v1.5"
PROMPT = (ROOT / f"prompts/{FORMAT}.txt").read_text(encoding="utf-8").split("=== prompt\n")[1].split("{header}")[0]
SKIPPED = 77


class Server:
    def __init__(self, folder, name, *options, model="tiny.gguf"):
        self.log = open(folder / f"{name}.log", "w+b")
        self.port = self.free_port()
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.process = subprocess.Popen(
            [SERVER, "--model", folder / model, "--alias", "tiny", "--host", "127.0.0.1", "--port",
             str(self.port), "--threads", "1", "--threads-http", "8", "--no-warmup", *options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    @staticmethod
    def free_port():
        import socket
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def wait_until_ready(self, limit=60.0):
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5):
                    return
            except OSError:  # not yet, or 503 while it loads
                time.sleep(0.1)
        self.log.seek(0)
        raise AssertionError("llama-server is not ready:\n" + self.log.read().decode(errors="replace"))

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


class LlamaCpp(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([sys.executable, ROOT / "tests/llama_cpp/tiny_model.py", cls.folder / "tiny.gguf"], check=True)
        cls.server = Server(cls.folder, "text", "--ctx-size", "8192", "--parallel", "4", "--metrics")
        cls.addClassCleanup(cls.server.close)
        cls.embeddings = Server(cls.folder, "embeddings", "--ctx-size", "2048", "--embeddings", "--pooling", "mean")
        cls.addClassCleanup(cls.embeddings.close)
        cls.server.wait_until_ready()
        cls.embeddings.wait_until_ready()

    def section(self, name, extra="", **changes):
        keys = {"endpoint": self.server.url, "model": "tiny", "dialect": "llamacpp", "format": "chat", **changes}
        return f"[models.{name}]\n" + "".join(f'{k} = "{v}"\n' for k, v in keys.items()) + extra + "\n"

    def test_the_client(self):
        run = subprocess.run([CLIENT_TEST, "--gtest_filter=LlamaCpp*"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=200, check=False,
                             env={**os.environ, "ZERMELO_LLAMA_URL": self.server.url,
                                  "ZERMELO_LLAMA_EMBEDDINGS_URL": self.embeddings.url})
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertNotIn("SKIPPED", run.stdout)
        self.assertRegex(run.stdout, r"\[  PASSED  \] [8-9]")

    def test_the_doctor(self):
        short = "sampling = { max_tokens = 512 }"
        self.write("zermelo.toml", self.section("good", short) + self.section("small") +
                   self.section("text", short, format="deepseek-prover-v1.5") +
                   self.section("lost", short, endpoint=self.server.url.replace("/v1", "/nothing")))
        run = self.zermelo("doctor", "--json")
        findings = {f["subject"]: f for f in run.json["findings"]}
        for name in ("good", "text"):
            self.assertEqual(findings[f"model {name}"]["level"], "ok", run)
            self.assertIn("answers in", findings[f"model {name}"]["found"], run)
        for name, found in (("small", "context of 2048 tokens is too small for max_tokens = 16384"), ("lost", "404")):
            self.assertEqual((run.code, findings[f"model {name}"]["level"]), (3, "problem"), run)
            self.assertIn(found, findings[f"model {name}"]["found"], run)

    def test_a_run_with_it(self):
        self.write("zermelo.toml", self.section("tiny", "sampling = { max_tokens = 512 }", format="deepseek-prover-v1.5"))
        # Neither the built-in tactics nor a random model can prove this one.
        self.write("Hard.lean", "theorem hard (f : Nat → Nat) (h : ∀ n, f (f n) = n + 1) : False := by\n  sorry\n")
        run = self.zermelo("prove", "Hard.lean", "--time", "16s", "--model", "tiny", "--samples", "4",
                           "--strategy", "whole_proof", "--json")
        self.assertEqual(run.code, 1, run)
        spent = run.json["models"]["tiny"]
        self.assertEqual(spent["samples"], 4, run)
        self.assertGreater(spent["completion_tokens"], 4, run)
        self.assertFalse(spent["estimated"], run)

    def test_a_gguf_file_is_one_flag(self):
        self.write("Hard.lean", "theorem hard (f : Nat → Nat) (h : ∀ n, f (f n) = n + 1) : False := by\n  sorry\n")
        run = self.zermelo("prove", "Hard.lean", "--time", "60s", "--model", "./tiny.gguf", "--samples", "4",
                           "--strategy", "whole_proof", "--json", env={"ZERMELO_LLAMA_SERVER": str(SERVER)})
        self.assertEqual(run.code, 1, run)
        spent = run.json["models"]["tiny.gguf"]
        self.assertEqual(spent["samples"], 4, run)
        self.assertGreater(spent["completion_tokens"], 4, run)

    def test_a_split_file_is_named_by_its_first_part(self):
        subprocess.run([sys.executable, ROOT / "tests/llama_cpp/tiny_model.py", self.folder / "parts.gguf", "--parts", "3"], check=True)
        self.write("Hard.lean", "theorem hard (f : Nat → Nat) (h : ∀ n, f (f n) = n + 1) : False := by\n  sorry\n")
        run = self.zermelo("prove", "Hard.lean", "--time", "60s", "--model", "parts-00001-of-00003.gguf", "--samples", "2",
                           "--strategy", "whole_proof", "--json", env={"ZERMELO_LLAMA_SERVER": str(SERVER)})
        self.assertEqual(run.code, 1, run)
        self.assertEqual(run.json["models"]["parts-00001-of-00003.gguf"]["samples"], 2, run)

    def test_a_truncated_file_is_an_error_with_the_servers_reason(self):
        self.write("cut.gguf", (self.folder / "tiny.gguf").read_bytes()[:-5000])
        self.write("Hard.lean", "theorem hard : 1 + 1 = 3 := by\n  sorry\n")
        run = self.zermelo("prove", "Hard.lean", "--model", "cut.gguf", env={"ZERMELO_LLAMA_SERVER": str(SERVER)})
        self.assert_ends(run, 3, "llama-server cannot load", "cut.gguf", "incomplete")


@unittest.skipUnless(TRAINER.is_file() and TRAIN_TEST.is_file(), "the trainer is not built")
class Exported(ZermeloTest):
    """Models of each kind that `zermelo train export` wrote."""
    TEXT = "theorem t' (a b : Nat) (h : a ≤ b) : a + 12345 < b + 6789012 := by\n\n  -- IT'S\n  omega\n  sorry\n"

    def ask(self, server, path, **fields):
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", json.dumps(fields).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def test_tokens_and_probabilities_are_those_of_the_decoder(self):
        """Models of the decoder's tests, whose weights are large enough for every one to matter."""
        rows = []
        tokenizers = {"llama": "llama/tokenizer.json", "qwen2": "llama/tokenizer.json", "qwen3": "llama/tokenizer.json",
                      "llama-3": "tokenizers/llama3.json", "qwen2-5": "tokenizers/qwen.json", "llama-smollm": "tokenizers/smollm.json"}
        for kind, tokenizer in tokenizers.items():
            shutil.copytree(MODELS / kind.split("-")[0], self.folder / kind)
            shutil.copy(MODELS / tokenizer, self.folder / kind / "tokenizer.json")
            if kind == "llama-3":
                config = json.loads((self.folder / kind / "config.json").read_text())
                config["rope_scaling"] = json.loads((MODELS / "expected.json").read_text())["scaled"]["rope_scaling"]
                self.write(f"{kind}/config.json", json.dumps(config))
            subprocess.run([TRAINER, "export", kind, "--gguf", f"{kind}.gguf"], cwd=self.folder, check=True)
            server = Server(self.folder, kind, "--ctx-size", "512", "--cache-type-k", "f32", "--cache-type-v", "f32",
                            "--flash-attn", "off", model=f"{kind}.gguf")
            self.addCleanup(server.close)
            server.wait_until_ready()
            for end in range(len(self.TEXT), 0, -5):
                text = self.TEXT[:end]
                tokens = self.ask(server, "/tokenize", content=text, add_special=True)["tokens"]
                reply = self.ask(server, "/completion", prompt=tokens, n_predict=1, n_probs=50, temperature=0)
                if "completion_probabilities" not in reply:
                    continue  # the token that it would write is a part of a character
                top = reply["completion_probabilities"][0]["top_logprobs"]
                rows.append({"model": str(self.folder / kind), "text": text, "tokens": tokens,
                             "logprobs": [[entry["id"], entry["logprob"]] for entry in top]})
            self.assertGreater(sum(row["model"].endswith(kind) for row in rows), 3)
        answers = self.write("answers.json", json.dumps(rows))
        run = subprocess.run([TRAIN_TEST, "--gtest_filter=OthersAnswersTest*"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, timeout=200, check=False, env={**os.environ, "ZERMELO_OTHERS_ANSWERS": str(answers)})
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertNotIn("SKIPPED", run.stdout)


@unittest.skipUnless(TRAINER.is_file(), "the trainer is not built")
class Sampling(ZermeloTest):
    """Reinforcement with llama.cpp's server as the sampler. `--renew` starts it with the policy's new weights."""
    PROBLEMS = [("one", "1 + 1 = 2", "rfl"), ("two", "2 + 2 = 4", "rfl"), ("add", "∀ a : Nat, a + 0 = a", "omega")]
    RENEW = """#!/bin/sh
set -e
[ ! -f pid ] || kill "$(cat pid)"
"$TRAINER" export "$1" --gguf policy.gguf
setsid "$SERVER" --model policy.gguf --alias policy --host 127.0.0.1 --port "$PORT" --threads 1 --ctx-size 4096 --parallel 4 \
  --no-warmup > server.log 2>&1 < /dev/null &
echo $! > pid
for attempt in $(seq 300); do
  ! curl -fs "http://127.0.0.1:$PORT/health" > /dev/null || exit 0
  sleep 0.1
done
tail -n 5 server.log
exit 1
"""

    def train(self, *arguments):
        run = subprocess.run([TRAINER, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=300,
                             check=False, env={**environment({"OMP_NUM_THREADS": 1}), "TRAINER": str(TRAINER),
                                               "SERVER": str(SERVER), "PORT": str(self.port)})
        self.assertEqual(run.returncode, 0, f"{arguments}\n{run.stderr}")

    def stop_server(self):
        pid = self.folder / "pid"
        if pid.exists():
            os.kill(int(pid.read_text()), signal.SIGTERM)

    def test_lean_rewards_what_the_server_writes_with_the_newest_weights(self):
        self.port = Server.free_port()
        self.addCleanup(self.stop_server)
        self.write("renew.sh", self.RENEW)
        prompts = [f"{PROMPT}theorem {name} : {claim} := by\n" for name, claim, _ in self.PROBLEMS]
        self.write("rows.jsonl", "".join(json.dumps({"prompt": prompt, "completion": f"  {proof}\n```"}) + "\n"
                                         for prompt, (_, _, proof) in zip(prompts, self.PROBLEMS)))
        self.write("problems.jsonl", "".join(json.dumps({"prompt": prompt, "theorem": {
            "name": name, "header": "", "statement": f"theorem {name} : {claim} := by"}}) + "\n"
            for prompt, (name, claim, _) in zip(prompts, self.PROBLEMS)))
        self.write("zermelo.toml", f'[models.served]\nendpoint = "http://127.0.0.1:{self.port}/v1"\nmodel = "policy"\n'
                   f'dialect = "llamacpp"\nformat = "{FORMAT}"\n')
        self.train("tokenizer", "--data", "rows.jsonl", "--size", "400", "--out", "tokenizer.json")
        self.train("init", "--tokenizer", "tokenizer.json", "--layers", "2", "--hidden", "64", "--context", "1024", "--out", "new")
        self.train("sft", "--model", "new", "--data", "rows.jsonl", "--out", "sft", "--set", "steps=24", "--set", "batch=2",
                   "--set", "context=256", "--set", "learning_rate=3e-3", "--set", "warmup=5")
        self.train("grpo", "--model", "sft/model", "--data", "problems.jsonl", "--out", "grpo", "--workers", "1", "--sampler",
                   "served", "--renew", "sh renew.sh {model}", "--set", "steps=2", "--set", "prompts=3", "--set", "group=6",
                   "--set", "max_tokens=16", "--set", "learning_rate=1e-3")
        rollouts = [json.loads(line) for line in (self.folder / "grpo/rollouts.jsonl").read_text().splitlines()]
        self.assertEqual(len(rollouts), 36)
        for rollout in rollouts:
            _, _, proof = self.PROBLEMS[rollout["problem"] - 1]
            if rollout["text"].strip().removesuffix("```").strip() == proof:
                self.assertEqual(rollout["reward"], 1, rollout)
        self.assertIn(1, {rollout["reward"] for rollout in rollouts})
        self.assertGreater(len({rollout["text"] for rollout in rollouts}), 3, "they are samples")


if __name__ == "__main__":
    if not SERVER.is_file():
        print(f"there is no {SERVER}: skipped (./zermelo test --with-llama-cpp builds it)")
        sys.exit(SKIPPED)
    main()
