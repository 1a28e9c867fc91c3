#!/usr/bin/env python3
# bench: the trainer beside TRL in Python: tokens per second of SFT and GRPO, and memory (10 minutes; 5 GB from PyPI)
"""Trains the same random model on the same tokens with `zermelo train` and with TRL and transformers in Python.

usage: train.py [--full] [--rounds N] [--threads N] [--precision float32|bfloat16] [--python PYTHON] [--json]

Both sides have the same torch, threads and precision. Supervised training packs rows on both sides. A step of GRPO
samples 8 answers of up to 128 tokens to each of 8 problems; its rewards are a stand-in that answers at once. Both sides
run in turn, and the first step of each run is left out. Tokens are counted per second of the wall clock, and per second
of processor time of all threads, which other programs on the machine change less. --full: models of 1, 5, 15 and 50
million parameters, not only 5. --python: a Python that has the packages, instead of a virtual environment under build/.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
PACKAGES = ["transformers==5.10.4", "trl==1.16.0"]
LIMIT = 3600  # seconds, for one run
SHAPES = {1: (4, 128, 2), 5: (6, 256, 4), 15: (9, 384, 6), 50: (11, 640, 10)}  # layers, hidden, heads
VOCABULARY = 2048
SFT = {"steps": 4, "batch": 8, "context": 512, "learning_rate": 1e-4}
GRPO = {"steps": 3, "prompts": 8, "group": 8, "max_tokens": 128, "learning_rate": 5e-6}
# Sequences in a forward pass. TRL makes one sequence of the packs of a pass, so its attention grows as their square.
MICRO_BATCH = {"zermelo": {"sft": 4, "grpo": 4}, "python": {"sft": 1, "grpo": 4}}
PARTS = {"sft": ("",), "grpo": ("sampling_", "update_")}
TARGETS = {"sft_5m": 1.2, "rollout_5m": 2.0}


def torch_version():
    return re.search(r"^torch==(\S+)", (ROOT / "src/train/torch.txt").read_text(), re.MULTILINE)[1]


def python_with_trl():
    """A virtual environment with the trainer's torch, and CUDA's libraries, which torch does not start without."""
    folder = ROOT / "build/bench-train-venv"
    mark = folder / "installed"
    wanted = [f"torch=={torch_version()}", *PACKAGES]
    if not mark.exists() or mark.read_text() != "\n".join(wanted):
        print("train: installing torch, transformers and TRL (once)", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted],
                       check=True, stdout=sys.stderr)
        mark.write_text("\n".join(wanted))
    return folder / "bin/python"


def build():
    """The trainer, as ./zermelo train builds it, and train_bench."""
    script = f'root="{ROOT}"; source "$root/scripts/build.sh"; ensure_trainer; compile release train_bench'
    if subprocess.run(["bash", "-euo", "pipefail", "-c", script], check=False).returncode != 0:
        sys.exit("train: the build failed")


def pieces(text, seed):
    """Cuts a text where the seed says, into pieces of 100 to 1,000 characters."""
    state, at = seed, 0
    while at < len(text):
        state = (1103515245 * state + 12345) % 2**31
        size = 100 + state // 65536 % 900
        yield text[at:at + size]
        at += size


def write_data(folder):
    """Rows and problems whose texts are this repository's pages."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    rows = [{"prompt": piece[:len(piece) // 4], "completion": piece[len(piece) // 4:]} for piece in pieces(text, 1)]
    problems = [{"prompt": piece[:200], "theorem": {"header": "", "statement": "theorem t : True := by"}}
                for piece in pieces(text, 2)]
    for name, lines in (("rows", rows), ("problems", problems)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def run(command, limit=LIMIT):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=limit, check=False)
    if done.returncode != 0:
        sys.exit(f"train: {command[0]} failed\n{done.stderr[-3000:]}")
    return done


def make_model(folder, millions):
    """Returns its number of parameters."""
    layers, hidden, heads = SHAPES[millions]
    made = run([BUILD / "zermelo-train", "init", "--tokenizer", folder / "tokenizer.json", "--layers", layers, "--hidden",
                hidden, "--heads", heads, "--kv-heads", 2, "--context", 1024, "--out", folder / f"model-{millions}"])
    return int(re.search(r"(\d+) parameters", made.stderr)[1])


class Side:
    """Runs one of the two trainers, and adds up what it took."""

    def __init__(self, name, options, folder):
        self.name, self.options, self.folder = name, options, folder
        self.runs = 0

    def command(self, method, model, settings):
        data = self.folder / ("rows.jsonl" if method == "sft" else "problems.jsonl")
        settings = {**settings, "precision": self.options.precision, "micro_batch": MICRO_BATCH[self.name][method]}
        if self.name == "python":
            return [self.options.python, "-B", ROOT / "bench/programs/train_baseline.py", method, model, data,
                    self.options.threads, json.dumps(settings)]
        self.runs += 1
        return [BUILD / "src/train/train_bench", method, model, data,
                self.folder / f"run-{model.name}-{method}-{self.runs}", self.options.threads, "checkpoint_every=1000000",
                *(f"{key}={value}" for key, value in {**settings, "warmup": 0}.items())]

    def measure(self, method, model, settings):
        """The sums over the steps but the first, and the peak memory."""
        lines = [json.loads(line) for line in run(self.command(method, model, settings)).stdout.splitlines()
                 if line.startswith('{"')]
        steps = [line for line in lines if line.get("step", 0) > 1]
        sums = {"peak_megabytes": lines[-1]["peak_megabytes"], "tokens": sum(tokens(step) for step in steps)}
        for part in PARTS[method]:
            for key in (f"{part}seconds", f"{part}processor_seconds"):
                sums[key] = sum(step[key] for step in steps)
        return sums


def tokens(step):
    return step["tokens"] if "tokens" in step else step["samples"] * step["length"]


def compare(options, folder, millions):
    """Both sides in turn, as often as `rounds` says; the best of each counts, as the least disturbed."""
    model = folder / f"model-{millions}"
    sides = [Side(name, options, folder) for name in ("zermelo", "python")]
    found = {}
    for method, settings in (("sft", SFT), ("grpo", GRPO)):
        for _ in range(options.rounds):
            for side in sides:
                sums = side.measure(method, model, settings)
                for part in PARTS[method]:
                    name = {"": "sft", "sampling_": "rollout", "update_": "update"}[part]
                    for clock in ("seconds", "processor_seconds"):
                        key = f"{side.name}_{name}_{millions}m_tokens_per_{clock[:-1]}"
                        found[key] = max(found.get(key, 0), sums["tokens"] / sums[part + clock])
                memory = f"{side.name}_{method}_{millions}m_peak_mb"
                found[memory] = max(found.get(memory, 0), sums["peak_megabytes"])
    return found


def add_ratios(metrics, millions):
    for name in ("sft", "rollout", "update"):
        for clock in ("second", "processor_second"):
            ours, theirs = (metrics[f"{side}_{name}_{millions}m_tokens_per_{clock}"] for side in ("zermelo", "python"))
            metrics[f"{name}_{millions}m" + ("" if clock == "second" else "_processor")] = ours / theirs


def show(metrics, sizes):
    print(f"{'':24}{'tokens/s':>20}{'':>8}{'tokens/processor s':>24}{'':>8}{'peak MB':>18}")
    print(f"{'':24}{'zermelo':>10}{'TRL':>10}{'ratio':>8}{'zermelo':>14}{'TRL':>10}{'ratio':>8}{'zermelo':>10}{'TRL':>8}")
    for millions in sizes:
        for name in ("sft", "rollout", "update"):
            cells = [metrics[f"{side}_{name}_{millions}m_tokens_per_{clock}"]
                     for clock in ("second", "processor_second") for side in ("zermelo", "python")]
            method = "sft" if name == "sft" else "grpo"
            memory = [metrics[f"{side}_{method}_{millions}m_peak_mb"] for side in ("zermelo", "python")]
            label = f"{millions} million, {name}"
            print(f"{label:24}{cells[0]:10.0f}{cells[1]:10.0f}{metrics[f'{name}_{millions}m']:8.2f}{cells[2]:14.0f}"
                  f"{cells[3]:10.0f}{metrics[f'{name}_{millions}m_processor']:8.2f}{memory[0]:10.0f}{memory[1]:8.0f}")
    for name, least in TARGETS.items():
        print(f"{name}: {metrics[name]:.2f}, target >= {least}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--python", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    build()
    options.python = options.python or python_with_trl()
    sizes = list(SHAPES) if options.full else [5]
    metrics = {}
    with tempfile.TemporaryDirectory(prefix="zermelo-bench-train-") as name:
        folder = Path(name)
        write_data(folder)
        run([BUILD / "zermelo-train", "tokenizer", "--data", folder / "rows.jsonl", "--size", VOCABULARY, "--out",
             folder / "tokenizer.json"])
        for millions in sizes:
            metrics[f"parameters_{millions}m"] = make_model(folder, millions)
            metrics.update(compare(options, folder, millions))
            add_ratios(metrics, millions)
    if options.json:
        print(json.dumps({"name": "train", "machine": f"{os.cpu_count()} cores, {platform.machine()}", "metrics": metrics,
                          "targets": {name: {"op": ">=", "value": least} for name, least in TARGETS.items()}}))
    else:
        show(metrics, sizes)
    sys.exit(0 if all(metrics[name] >= least for name, least in TARGETS.items()) else 1)


if __name__ == "__main__":
    main()
