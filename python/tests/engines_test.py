#!/usr/bin/env python3
"""The environment under the real TRL, and examples/verl under the real verl, both from PyPI: two steps of a tiny random
model on the CPU, with the real server and real Lean. And rows of `zermelo export` under their own readers.

What is not run here: verl's whole trainer, which needs Ray, a GPU, and vLLM or SGLang. The agent loop's worker,
tokenization, estimators and losses are verl's own; the server that samples is replaced by one of a few lines.
"""
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import types
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]

if __name__ == "__main__" and "ZERMELO_IN_VENV" not in os.environ:
    sys.path.insert(0, str(ROOT / "tests/e2e"))
    from testing.pypi import run_with
    run_with("engines", "torch==2.11.0", "trl==1.16.0", "verl==0.9.1", "jmespath",
             "cachetools", "fastapi", "uvicorn", limit=1500)  # the last three, which verl needs, come with vLLM

VARIABLES = {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "TRL_EXPERIMENTAL_SILENCE": "1",
             "VERL_USE_EXTERNAL_MODULES": "vapo", "VERL_USE_EXTERNAL_PLUGINS": "none"}
os.environ.update(VARIABLES)
sys.path[:0] = [str(ROOT / "examples/verl"), str(ROOT / "python")]
warnings.filterwarnings("ignore")

import tokenizers  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from trl.chat_template_utils import qwen3_chat_template  # noqa: E402

from support import EMBEDDED, PROGRAM, PythonTest, ServerTest, clean_environment  # noqa: E402
from zermelo import parquet  # noqa: E402
from zermelo.environment import LeanEnvironment, chat  # noqa: E402

STATEMENT = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
END = "<|im_end|>"


def call(code):
    """A call of the tool, as models write it."""
    return f"<tool_call>\n{json.dumps({'name': 'verify_lean', 'arguments': {'code': code}})}\n</tool_call>{END}"


LEMMA = call("theorem mine (a b : Nat) : b + a = a + b := by omega")
PROOF = call(STATEMENT.replace("sorry", "exact (mine a b).symm"))


def make_tokenizer():
    """Byte-level BPE with Qwen's special tokens, learnt from the texts that it will see."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", END]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=800, special_tokens=special, show_progress=False,
                                             initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet())
    texts = [qwen3_chat_template, LEMMA, PROOF, (ROOT / "python/zermelo/environment.py").read_text(encoding="utf-8")]
    model.train_from_iterator(texts, trainer)
    model.add_tokens([tokenizers.AddedToken(text) for text in ("<tool_call>", "</tool_call>", "<tool_response>",
                                                                "</tool_response>", "<think>", "</think>")])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=model, eos_token=END, pad_token="<|endoftext|>",
                                                chat_template=qwen3_chat_template, padding_side="left")


def make_model(tokenizer):
    torch.manual_seed(1)
    return transformers.Qwen3ForCausalLM(transformers.Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, head_dim=8, max_position_embeddings=4096, tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, bos_token_id=None))


CHATML = ("{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
PROOFS = """theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  obtain ⟨hp, hq⟩ := h
  constructor
  · exact hq
  · exact hp

theorem add (a b : Nat) : a + b = b + a := by
  omega
"""


class Readers(PythonTest):
    """Rows of `zermelo export`, read by the engines' own classes."""

    def setUp(self):
        super().setUp()
        os.environ.update(VARIABLES)
        self.tokenizer = make_tokenizer()
        self.write("Proofs.lean", PROOFS)
        self.run_zermelo("trace", "Proofs.lean", "--workers", "1", "--out", "trace.jsonl")
        self.run_zermelo("export", "sft", "--from", "trace.jsonl", "--valid", "0", "--cuts", "0", "--out", "sft.jsonl")
        self.run_zermelo("export", "rl", "--from", "trace.jsonl", "--valid", "0", "--out", "rl.jsonl")

    def run_zermelo(self, *arguments):
        run = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300,
                             check=False, env=clean_environment(ZERMELO_EMBEDDED=EMBEDDED))
        self.assertEqual(run.returncode, 0, run.stderr)

    def rows(self, name):
        return [json.loads(line) for line in (self.folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]

    def as_parquet(self, name):
        out = self.folder / f"{name}.parquet"
        self.assertEqual(parquet.main([str(self.folder / f"{name}.jsonl"), str(out)]), 0)
        return str(out)

    def test_verl_reads_prompts(self):
        from omegaconf import OmegaConf
        from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn
        settings = OmegaConf.create({"max_prompt_length": 4096, "cache_dir": str(self.folder / "cache")})
        read = RLHFDataset(self.as_parquet("rl"), self.tokenizer, settings)
        rows = self.rows("rl")
        self.assertEqual(len(read), len(rows), "none is too long")
        batch = collate_fn([read[i] for i in range(len(read))])
        for i, row in enumerate(rows):
            self.assertEqual(batch["raw_prompt"][i], [{"role": "user", "content": row["prompt"]}])
            self.assertEqual(batch["reward_model"][i]["ground_truth"], parquet.problem(row["theorem"]))

    def test_verl_reads_answers(self):
        from omegaconf import OmegaConf
        from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
        self.tokenizer.chat_template = CHATML  # Qwen3's adds an empty thought to the last turn, which verl refuses
        settings = OmegaConf.create({"max_length": 4096, "truncation": "error", "pad_mode": "no_padding"})
        read = MultiTurnSFTDataset(self.as_parquet("sft"), self.tokenizer, settings)
        rows = self.rows("sft")
        self.assertEqual(len(read), len(rows))
        for i, row in enumerate(rows):
            item = read[i]
            learnt = self.tokenizer.decode(item["input_ids"][item["loss_mask"].bool()])
            self.assertIn(row["completion"], learnt)
            self.assertNotIn(row["prompt"], learnt)

    def test_openrlhf_reads_both(self):
        """Its package is installed without what it needs for training, which cannot be built everywhere."""
        import datasets
        there = self.folder / "openrlhf"
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(there),
                        "openrlhf==0.11.2"], check=True, timeout=200)
        sys.path.append(str(there))
        self.addCleanup(sys.path.remove, str(there))
        from openrlhf.datasets import PromptDataset, SFTDataset
        keys = {"input_key": "prompt", "output_key": "completion", "label_key": "theorem"}
        strategy = types.SimpleNamespace(args=types.SimpleNamespace(data=types.SimpleNamespace(**keys)), is_rank_0=lambda: True)

        def load(name):
            return datasets.load_dataset("json", data_files=str(self.folder / f"{name}.jsonl"), split="train",
                                         cache_dir=str(self.folder / "cache"))
        answers = SFTDataset(load("sft"), self.tokenizer, 4096, strategy, num_processors=1)
        self.assertEqual(len(answers), 2)
        for i, row in enumerate(self.rows("sft")):
            ids, _, mask = answers[i][:3]
            learnt = self.tokenizer.decode(ids[0][1:][mask[0][:-1].bool()])
            self.assertEqual(learnt.removesuffix(END).strip(), row["completion"].strip())
        prompts = PromptDataset(load("rl"), self.tokenizer, strategy)
        self.assertEqual(prompts.prompts, [row["prompt"] for row in self.rows("rl")])
        self.assertEqual([label["name"] for label in prompts.labels], ["swap", "add"])

    def test_trl_trains_on_answers(self):
        import datasets
        import trl
        read = datasets.load_dataset("json", data_files=str(self.folder / "sft.jsonl"), split="train",
                                     cache_dir=str(self.folder / "cache"))
        arguments = trl.SFTConfig(output_dir=str(self.folder / "out"), max_steps=2, per_device_train_batch_size=2, max_length=4096,
                                  use_cpu=True, bf16=False, gradient_checkpointing=False, report_to="none", save_strategy="no",
                                  logging_steps=1, disable_tqdm=True)
        trainer = trl.SFTTrainer(model=make_model(self.tokenizer), args=arguments, train_dataset=read,
                                 processing_class=self.tokenizer)
        for row, item in zip(self.rows("sft"), trainer.train_dataset):
            learnt = [token for token in item["labels"] if token != -100]
            self.assertEqual(self.tokenizer.decode(learnt).removesuffix(END), row["completion"])
        trainer.train()
        losses = [line["loss"] for line in trainer.state.log_history if "loss" in line]
        self.assertEqual(len(losses), 2)


class EngineTest(ServerTest):
    def setUp(self):
        super().setUp()
        os.environ.update(VARIABLES, ZERMELO_URL=self.url, ZERMELO_API_KEY="secret")
        self.tokenizer = make_tokenizer()
        self.model = make_model(self.tokenizer)
        self.before = {name: value.detach().clone() for name, value in self.model.named_parameters()}

    def encode(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    @staticmethod
    def reply(prompt, number):
        """What is written next in every other trajectory: a lemma, and then the theorem."""
        if "Lean accepts mine" in prompt:
            return PROOF if "is proved" not in prompt else "Done." + END
        return LEMMA if number % 2 == 0 else "I do not know." + END

    def assert_it_has_learnt(self):
        moved = [name for name, value in self.model.named_parameters() if not torch.equal(value, self.before[name])]
        self.assertIn("model.layers.0.mlp.down_proj.weight", moved)
        for name, value in self.model.named_parameters():
            self.assertTrue(torch.isfinite(value).all(), name)


class Trl(EngineTest):
    def test_two_steps_of_grpo_with_the_environment(self):
        import datasets
        import trl

        def generate(input_ids, **_):
            texts = [self.tokenizer.decode(row) for row in input_ids]
            replies = [self.encode(self.reply(text, i)) for i, text in enumerate(texts)]
            longest = max(map(len, replies))
            padded = [ids + [self.tokenizer.pad_token_id] * (longest - len(ids)) for ids in replies]
            return torch.cat([input_ids, torch.tensor(padded)], dim=1)

        self.model.generate = generate
        rows = datasets.Dataset.from_list([{"prompt": chat(STATEMENT), "statement": STATEMENT}] * 4)
        arguments = trl.GRPOConfig(
            output_dir=str(self.folder / "out"), max_steps=2, per_device_train_batch_size=4, num_generations=4,
            max_completion_length=512, learning_rate=1e-3, lr_scheduler_type="constant", use_cpu=True, bf16=False,
            gradient_checkpointing=False, report_to="none", save_strategy="no", logging_steps=1, disable_tqdm=True)
        trainer = trl.GRPOTrainer(model=self.model, args=arguments, train_dataset=rows, processing_class=self.tokenizer,
                                  environment_factory=LeanEnvironment)
        trainer.train()
        steps = [line for line in trainer.state.log_history if "reward" in line]
        self.assertEqual([line["reward"] for line in steps], [0.5, 0.5], "half of the trajectories prove it")
        self.assertEqual([line["tools/call_frequency"] for line in steps], [1, 1], "two calls in half of them")
        self.assert_it_has_learnt()


class Sampler:
    """In place of verl's inference servers: calls of the tool in even trajectories, what the model samples in others."""

    def __init__(self, test):
        self.test, self.turns = test, {}

    async def generate(self, request_id, prompt_ids, sampling_params, **_):
        from verl.workers.rollout.replica import TokenOutput
        number = self.turns.setdefault(request_id, len(self.turns))
        if number % 2 == 0:
            reply = self.test.reply(self.test.tokenizer.decode(prompt_ids), number)
            return TokenOutput(token_ids=self.test.encode(reply))
        with torch.no_grad():
            made = self.test.model.generate(torch.tensor([prompt_ids]), max_new_tokens=8, do_sample=True)
        return TokenOutput(token_ids=made[0, len(prompt_ids):].tolist())


class Verl(EngineTest):
    group, response = 4, 512

    def config(self, name):
        """The configuration in examples/verl, composed as verl's own main does, for a tiny model."""
        import hydra
        folder = self.folder / "model"
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        os.environ["PYTHONPATH"] = f"{ROOT}/examples/verl"
        loops = ROOT / "examples/verl" / ("agent_loops_vapo.yaml" if name == "vapo" else "agent_loops.yaml")
        with hydra.initialize_config_dir(str(ROOT / "examples/verl"), version_base=None):
            return hydra.compose(name, overrides=[
                "hydra.searchpath=[pkg://verl.trainer.config]", f"actor_rollout_ref.model.path={folder}",
                "data.max_prompt_length=2048", f"data.max_response_length={self.response}", f"actor_rollout_ref.rollout.n={self.group}",
                f"actor_rollout_ref.rollout.agent.agent_loop_config_path={loops}"])

    def roll(self, config):
        """The trajectories of one problem, by verl's own worker."""
        import numpy as np
        from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
        from verl.protocol import DataProto
        rows = [{"raw_prompt": [{"role": "user", "content": "Prove it."}], "index": 0, "uid": "one",
                 "reward_model": {"style": "rule", "ground_truth": STATEMENT}} for _ in range(self.group)]
        columns = {}
        for key in rows[0]:
            columns[key] = np.empty(len(rows), dtype=object)
            for i, row in enumerate(rows):
                columns[key][i] = row[key]

        async def generate():
            worker = AgentLoopWorker(config, Sampler(self))
            return await worker.generate_sequences(DataProto.from_dict(tensors={}, non_tensors=columns))
        return asyncio.run(generate())

    def logprobs(self, batch):
        """Of all tokens without padding, as verl's engines return them."""
        kept = batch["attention_mask"].bool()
        logits = self.model(batch["input_ids"], attention_mask=batch["attention_mask"],
                            position_ids=batch["position_ids"]).logits[:, :-1].log_softmax(-1)
        chosen = logits.gather(2, batch["input_ids"][:, 1:, None])[..., 0]
        return torch.nn.functional.pad(chosen, (0, 1))[kept]

    def learn(self, config, rolled, estimator, optimizer):
        from tensordict import TensorDict
        from verl.trainer.ppo.ray_trainer import compute_advantage
        from verl.utils.config import omega_conf_to_dataclass
        from verl.workers.utils import losses
        from verl.workers.utils.padding import no_padding_2_padding
        batch = rolled.batch
        batch["token_level_rewards"] = batch["rm_scores"]
        batch["values"] = torch.zeros_like(batch["rm_scores"])
        rolled = compute_advantage(rolled, estimator, gamma=1.0, lam=1.0, config=config.algorithm)
        names = ("prompts", "responses", "attention_mask", "response_mask")
        with torch.no_grad():
            old = no_padding_2_padding(self.logprobs(batch), batch)
        data = TensorDict({**{name: batch[name] for name in names}, "advantages": batch["advantages"],
                           "returns": batch["returns"], "old_log_probs": old, "ref_log_prob": old},
                          batch_size=len(batch))
        for name, value in (("dp_size", 1), ("batch_num_tokens", int(batch["response_mask"].sum())),
                            ("global_batch_size", len(batch))):
            data.set_non_tensor(name, value)
        actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
        loss, metrics = losses.ppo_loss(actor, {"log_probs": self.logprobs(batch)}, data)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item(), metrics

    def check(self, batch, failure):
        """Half of the trajectories prove the theorem, and what the tool answered carries no loss."""
        scores = batch["rm_scores"].sum(-1)
        self.assertEqual(sorted(scores.tolist()), sorted([1.0, failure] * (self.group // 2)))
        for row in (scores == 1).nonzero().flatten().tolist():
            written = batch["responses"][row][batch["response_mask"][row].bool()]
            there = batch["attention_mask"][row][-self.response:].bool()
            hidden = batch["responses"][row][there & ~batch["response_mask"][row].bool()]
            self.assertIn("verify_lean", self.tokenizer.decode(written))
            self.assertNotIn("Lean accepts", self.tokenizer.decode(written))
            self.assertIn("Lean accepts mine", self.tokenizer.decode(hidden))
            self.assertNotIn("is proved", self.tokenizer.decode(hidden), "the answer that nothing follows is dropped")

    def run_two_steps(self, name, estimator, failure):
        config = self.config(name)
        self.assertEqual(float(config.ray_kwargs.ray_init.runtime_env.env_vars.ZERMELO_UNJUDGED), failure)
        optimizer = torch.optim.AdamW(self.model.parameters(), 1e-3)
        found = []
        for _ in range(2):
            rolled = self.roll(config)
            self.check(rolled.batch, failure)
            found.append((rolled.batch, *self.learn(config, rolled, estimator, optimizer)))
        self.assert_it_has_learnt()
        return found

    def test_two_steps_of_grpo(self):
        for batch, _, _ in self.run_two_steps("grpo", "grpo", 0.0):
            self.assertEqual(len(set(batch["advantages"][batch["response_mask"].bool()].tolist())), 2)

    def test_two_steps_of_vapo(self):
        for batch, loss, metrics in self.run_two_steps("vapo", "gae", -1.0):
            mask = batch["response_mask"].bool()
            scores = batch["rm_scores"].sum(-1, keepdim=True).expand_as(mask)
            torch.testing.assert_close(batch["returns"][mask], scores[mask], msg="the critic's λ is 1")
            for row in range(self.group):  # with values of 0, an advantage is λ^k times the reward
                length = int(mask[row].sum())
                lam = max(0.0, 1 - 1 / (0.05 * length))
                wanted = [lam ** (length - 1 - i) * float(scores[row, 0]) for i in range(length)]
                torch.testing.assert_close(batch["advantages"][row][mask[row]], torch.tensor(wanted), atol=1e-5, rtol=1e-4)
            self.assertGreater(metrics["actor/nll"], 0)

    def test_the_second_call_of_a_reply_uses_the_lemma_of_the_first(self):
        self.reply = lambda *_: LEMMA.removesuffix(END) + "\n" + PROOF
        scores = self.roll(self.config("grpo")).batch["rm_scores"].sum(-1)
        self.assertEqual(sorted(scores.tolist()), [0.0] * (self.group // 2) + [1.0] * (self.group // 2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
