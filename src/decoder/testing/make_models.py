#!/usr/bin/env python3
"""Makes the models and the expected values of the decoder's tests with Hugging Face's libraries.

usage: make_models.py     (needs torch, transformers and tokenizers; writes src/decoder/testing/models)

The results are committed, so that the tests need none of these.
"""
import json
import shutil
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
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


def make_tokenizer(split, size=SIZES["vocab_size"]):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False) if not split else \
        pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|(?i:'s)| ?\p{L}+|\s+"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<|end|>"],
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator([text for text in TEXTS if "<" not in text] * 3, trainer)
    if split:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<|end|> $A", special_tokens=[("<|end|>", tokenizer.token_to_id("<|end|>"))])
    return tokenizer


# As Llama 3, Qwen 2 and later, and SmolLM 2 are published. A word of Llama 3's vocabulary is a token, merges or not.
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PUBLISHED_TEXTS = [*TEXTS, "e\u0301 A\u030a \u212b \u2126 \u2329x\u232a \u1112\u1161\u11ab <|end|>a\u0301", "\u0301omega 007  08\n\n 9"]


def make_published(kind):
    tokenizer = make_tokenizer(split=False, size=SIZES["vocab_size"] - 1)
    split = pre_tokenizers.Split(Regex(WORDS % {"llama3": r"\p{N}{1,3}", "qwen": r"\p{N}"}.get(kind, "")), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        if kind == "smollm" else [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    if kind == "qwen":
        tokenizer.normalizer = normalizers.NFC()
    if kind == "llama3":
        end = tokenizer.token_to_id("<|end|>")
        tokenizer.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single="<|end|> $A", special_tokens=[("<|end|>", end)])])
    written = json.loads(tokenizer.to_str())
    if kind == "llama3":
        written["model"]["ignore_merges"] = True
        written["model"]["vocab"]["Ġsorry"] = tokenizer.get_vocab_size()
    path = MODELS / "tokenizers" / f"{kind}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
    texts = [*PUBLISHED_TEXTS, "by sorry"]
    return {"texts": texts, "encoded": [Tokenizer.from_file(str(path)).encode(text).ids for text in texts]}


SCALED = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 150}


def scaled_rows(tokens):
    """Of the model "llama" with positions that are scaled as in Llama 3.1: some speeds stay, one lies between."""
    config = LlamaConfig.from_pretrained(MODELS / "llama")
    config.rope_parameters = {**SCALED, "rope_theta": 5000.0}
    model = LlamaForCausalLM.from_pretrained(MODELS / "llama", config=config, dtype=torch.float32).eval()
    with torch.no_grad():
        logits = model(torch.tensor([tokens])).logits[0]
    return [[round(x, 6) for x in row] for row in logits[[0, 5, -1]].tolist()]


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
    expected["published"] = {kind: make_published(kind) for kind in ("llama3", "qwen", "smollm")}
    expected["scaled"] = {"rope_scaling": SCALED, "rows": scaled_rows(expected["llama"]["tokens"])}
    (MODELS / "expected.json").write_text(json.dumps(expected, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
