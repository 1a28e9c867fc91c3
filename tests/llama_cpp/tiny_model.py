#!/usr/bin/env python3
"""Writes a model file for llama.cpp: the smallest Llama there is, with random weights.

    tiny_model.py FILE [--seed N] [--parts N]

With --parts, FILE.gguf is FILE-00001-of-0000N.gguf and so on.

One layer, 32 dimensions, one token a character. What it says is nonsense in printable ASCII; it seldom
ends by itself. The format: github.com/ggml-org/ggml, docs/gguf.md, version 3.
"""
import argparse
import pathlib
import random
import struct

LENGTH, HEADS, LAYERS, FEED, CONTEXT = 32, 4, 1, 64, 2048
UINT16, UINT32, INT32, FLOAT32, STRING, ARRAY = 2, 4, 5, 6, 8, 9  # GGUF's types of metadata
F32_TENSOR, ALIGNMENT = 0, 32
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # kinds of tokens
TEMPLATE = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}assistant: "


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


def array(key, kind, values):
    form = {FLOAT32: "<f", INT32: "<i"}.get(kind)
    body = b"".join(text(v) if kind == STRING else struct.pack(form, v) for v in values)
    return entry(key, ARRAY, struct.pack("<IQ", kind, len(values)) + body)


def number(key, value):
    return entry(key, UINT32, struct.pack("<I", value))


def vocabulary():
    """(token, kind): three control tokens, all bytes, and the printable characters."""
    tokens = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]
    tokens += [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    return tokens + [("\u2581" if c == " " else c, NORMAL) for c in map(chr, range(32, 127))]


def metadata(tokens):
    arch = "llama"
    return [
        entry("general.architecture", STRING, text(arch)), entry("general.name", STRING, text("tiny")),
        number(f"{arch}.context_length", CONTEXT), number(f"{arch}.embedding_length", LENGTH),
        number(f"{arch}.block_count", LAYERS), number(f"{arch}.feed_forward_length", FEED),
        number(f"{arch}.attention.head_count", HEADS), number(f"{arch}.attention.head_count_kv", HEADS),
        number(f"{arch}.rope.dimension_count", LENGTH // HEADS), number(f"{arch}.vocab_size", len(tokens)),
        entry(f"{arch}.attention.layer_norm_rms_epsilon", FLOAT32, struct.pack("<f", 1e-5)),
        entry("tokenizer.ggml.model", STRING, text("llama")),
        array("tokenizer.ggml.tokens", STRING, [t for t, _ in tokens]),
        array("tokenizer.ggml.scores", FLOAT32, [0.0] * len(tokens)),
        array("tokenizer.ggml.token_type", INT32, [kind for _, kind in tokens]),
        number("tokenizer.ggml.bos_token_id", 1), number("tokenizer.ggml.eos_token_id", 2),
        number("tokenizer.ggml.unknown_token_id", 0),
        entry("tokenizer.chat_template", STRING, text(TEMPLATE)),
    ]


def tensors(tokens, dice):
    """(name, dimensions, values); the first dimension is the one that is contiguous."""
    def noise(count, scale):
        return [dice.gauss(0, scale) for _ in range(count)]

    def matrix(name, columns, rows):
        return name, (columns, rows), noise(columns * rows, columns ** -0.5)

    # Only characters are likely: the logits of all other tokens are 0.
    output = [x for _, kind in tokens for x in (noise(LENGTH, 1.5) if kind == NORMAL else [0.0] * LENGTH)]
    found = [("token_embd.weight", (LENGTH, len(tokens)), noise(LENGTH * len(tokens), 1)),
             ("output_norm.weight", (LENGTH,), [1.0] * LENGTH),
             ("output.weight", (LENGTH, len(tokens)), output)]
    for layer in range(LAYERS):
        blk = f"blk.{layer}."
        found += [(blk + "attn_norm.weight", (LENGTH,), [1.0] * LENGTH),
                  (blk + "ffn_norm.weight", (LENGTH,), [1.0] * LENGTH)]
        found += [matrix(blk + f"attn_{part}.weight", LENGTH, LENGTH) for part in ("q", "k", "v", "output")]
        found += [matrix(blk + "ffn_gate.weight", LENGTH, FEED), matrix(blk + "ffn_up.weight", LENGTH, FEED),
                  matrix(blk + "ffn_down.weight", FEED, LENGTH)]
    return found


def padding(size):
    return b"\0" * (-size % ALIGNMENT)


def file_of(entries, blocks):
    head = b"GGUF" + struct.pack("<IQQ", 3, len(blocks), len(entries)) + b"".join(entries)
    data = b""
    for name, dimensions, values in blocks:
        head += text(name) + struct.pack("<I", len(dimensions))
        head += struct.pack(f"<{len(dimensions)}Q", *dimensions) + struct.pack("<IQ", F32_TENSOR, len(data))
        data += struct.pack(f"<{len(values)}f", *values)
        data += padding(len(data))
    return head + padding(len(head)) + data


def files(parts, seed):
    """The first part has all metadata, as `llama-gguf-split` writes them."""
    tokens = vocabulary()
    entries, blocks = metadata(tokens), tensors(tokens, random.Random(seed))
    if parts == 1:
        return [file_of(entries, blocks)]
    each, found = -(-len(blocks) // parts), []
    for i in range(parts):
        split = [entry("split.no", UINT16, struct.pack("<H", i)), entry("split.count", UINT16, struct.pack("<H", parts)),
                 entry("split.tensors.count", INT32, struct.pack("<i", len(blocks)))]
        found.append(file_of((entries if i == 0 else []) + split, blocks[i * each:(i + 1) * each]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", type=int, default=1)
    options = parser.parse_args()
    path = pathlib.Path(options.file)
    for i, data in enumerate(files(options.parts, options.seed)):
        one = path if options.parts == 1 else path.with_name(f"{path.stem}-{i + 1:05}-of-{options.parts:05}.gguf")
        one.write_bytes(data)


if __name__ == "__main__":
    main()
