#!/usr/bin/env python3
"""Models and tokenizers that `zermelo train` wrote, read by the real transformers and tokenizers, and the other way."""
import json
import os
import pathlib
import subprocess
import sys

from testing.pypi import run_with
from testing.zermelo import PROGRAM, ROOT, SKIPPED, ZermeloTest, environment, main

if __name__ == "__main__":
    run_with("hugging-face", "torch==2.11.0", "transformers==5.10.4", limit=1500)

os.environ.update({"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""})
import torch  # noqa: E402
import transformers  # noqa: E402

TRAINER = pathlib.Path(os.environ.get("ZERMELO_TRAINER", PROGRAM.with_name("zermelo-train")))
TRAIN_TEST = pathlib.Path(os.environ.get("ZERMELO_TRAIN_TEST", PROGRAM.parent / "src/train/train_test"))
TEXTS = ["theorem t' (a b : ℕ) (h : a ≤ b) : a + 12345 < b + 1 := by\n  omega\n", "it's α₁ ∈ Γ⟨₀⟩,\n\n\tx  y ", "e\u0301 漢字 🙂",
         "<|end|>omega<|end|>", "simp [Nat.add_comm]; exact h₀"]
TRAINING = {"steps": 6, "batch": 2, "context": 256, "learning_rate": "3e-3", "warmup": 2}


class HuggingFace(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))[:6]]
        rows = [{"prompt": text[:300], "completion": text[300:600]} for text in texts]
        cls.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        cls.train("tokenizer", "--data", "rows.jsonl", "--size", "500", "--out", "tokenizer.json")

    @classmethod
    def train(cls, *arguments):
        run = subprocess.run([TRAINER, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True, timeout=300,
                             check=False, env=environment({"OMP_NUM_THREADS": 1}))
        assert run.returncode == 0, f"{arguments}\n{run.stderr}"

    @classmethod
    def learn(cls, model, out):
        settings = [word for name, value in TRAINING.items() for word in ("--set", f"{name}={value}")]
        cls.train("sft", "--model", model, "--data", "rows.jsonl", "--out", out, *settings)

    def agrees(self, folder):
        """Tokens and log-probabilities of transformers are those of the decoder."""
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        rows = []
        for text in TEXTS:
            whole = tokenizer(text)["input_ids"]
            for tokens in (whole[:len(whole) // 2], whole):
                with torch.no_grad():
                    logprobs = model(torch.tensor([tokens])).logits[0, -1].log_softmax(-1).tolist()
                rows.append({"model": str(folder), "text": text if tokens is whole else tokenizer.decode(tokens),
                             "tokens": tokens, "logprobs": list(enumerate(logprobs))})
        # Half of a text may end within a character, or begin a longer token.
        rows = [row for row in rows if tokenizer(row["text"])["input_ids"] == row["tokens"]]
        self.assertGreaterEqual(len(rows), len(TEXTS))
        while len(rows) < 10:
            rows.append(rows[0])
        answers = self.write("answers.json", json.dumps(rows))
        run = subprocess.run([TRAIN_TEST, "--gtest_filter=OthersAnswersTest*"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=200, check=False,
                             env={**os.environ, "ZERMELO_OTHERS_ANSWERS": str(answers)})
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertNotIn("SKIPPED", run.stdout)

    def test_it_reads_what_was_trained_from_nothing(self):
        self.train("init", "--tokenizer", "tokenizer.json", "--layers", "2", "--hidden", "64", "--context", "512", "--out", "new")
        self.learn("new", "own")
        self.agrees(self.folder / "own/model")

    def test_what_it_wrote_is_trained_and_read_again(self):
        shape = {"vocab_size": 500, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
                 "num_key_value_heads": 2, "max_position_embeddings": 512, "eos_token_id": 0, "bos_token_id": None}
        scaled = {"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                  "original_max_position_embeddings": 150}
        kinds = {
            "llama": transformers.LlamaConfig(**shape, rope_parameters=scaled, attention_bias=True),
            "qwen2": transformers.Qwen2Config(**shape, tie_word_embeddings=True),
            "qwen3": transformers.Qwen3Config(**shape, head_dim=16),
        }
        for kind, config in kinds.items():
            with self.subTest(kind):
                torch.manual_seed(3)
                folder = self.folder / f"their-{kind}"
                transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
                (folder / "tokenizer.json").write_bytes((self.folder / "tokenizer.json").read_bytes())
                self.learn(folder, f"our-{kind}")
                self.agrees(self.folder / f"our-{kind}/model")


if __name__ == "__main__":
    if not TRAINER.is_file() or not TRAIN_TEST.is_file():
        print("the trainer is not built: skipped")
        sys.exit(SKIPPED)
    main()
