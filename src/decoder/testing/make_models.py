#!/usr/bin/env python3
"""Makes the models and the expected values of the decoder's tests with Hugging Face's libraries.

usage: make_models.py     (needs torch, transformers and tokenizers; writes src/decoder/testing/models)

The results are committed, so that the tests need none of these.
"""
import json
import shutil
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config,
                          Qwen3ForCausalLM)

HERE = Path(__file__).resolve().parent
MODELS = HERE / "models"
TEXTS = ["", "theorem t : 1 + 1 = 2 := by", "a\n\n  b\tc   d ", "ℕ → ℤ, x₁ ≤ x₂ ∧ α ∈ Γ⟨₀⟩", "it's 12345 o'clock",
         "<|end|>omega<|end|>", "x" * 100, "éè 漢字 🙂", "simp [Nat.add_comm]; exact h₀"]
SIZES = {"vocab_size": 320, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 1024, "eos_token_id": 0,
         "bos_token_id": None}
KINDS = {
    "llama": (LlamaConfig, LlamaForCausalLM, {"attention_bias": False, "rope_theta": 5000.0}),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM, {"tie_word_embeddings": True}),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM, {"head_dim": 8, "rope_theta": 1000000.0}),
}


def make_tokenizer(split):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False) if not split else \
        pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|(?i:'s)| ?\p{L}+|\s+"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=SIZES["vocab_size"], special_tokens=["<|end|>"],
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator([text for text in TEXTS if "<" not in text] * 3, trainer)
    if split:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<|end|> $A", special_tokens=[("<|end|>", tokenizer.token_to_id("<|end|>"))])
    return tokenizer


def make_model(kind, tokenizer):
    config_class, model_class, settings = KINDS[kind]
    torch.manual_seed(7)
    model = model_class(config_class(**SIZES, **settings)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():  # norms and biases, too, must matter
            parameter.copy_(torch.randn_like(parameter) * 0.3 + ("norm" in name))
            parameter.copy_(parameter.to(torch.bfloat16).float())
    tokens = tokenizer.encode("theorem t : 1 + 1 = 2 := by omega").ids
    with torch.no_grad():
        logits = model(torch.tensor([tokens])).logits[0]
    folder = MODELS / kind
    model.to(torch.bfloat16 if kind != "llama" else torch.float32).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    for extra in folder.glob("generation_config.json"):
        extra.unlink()
    return {"tokens": tokens, "rows": [[round(x, 6) for x in row] for row in logits[[0, 5, -1]].tolist()],
            "positions": [0, 5, len(tokens) - 1]}


def main():
    shutil.rmtree(MODELS, ignore_errors=True)
    expected = {"texts": TEXTS}
    for kind in KINDS:
        tokenizer = make_tokenizer(split=kind == "qwen3")
        expected[kind] = make_model(kind, tokenizer)
        expected[kind]["encoded"] = [tokenizer.encode(text).ids for text in TEXTS]
    (MODELS / "expected.json").write_text(json.dumps(expected, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
