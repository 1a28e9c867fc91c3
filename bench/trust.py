#!/usr/bin/env python3
# bench: time of the verdict in addition to Lean's, for one theorem and for 500 (five minutes)
"""usage: trust.py [--runs N] [--json]

Each verdict is taken with Zermelo's kernel and, for comparison with programs that have none, with `--kernel off`.

Measures the time of `zermelo check --against` from start to end, minus the time in which it waits for Lean.
Baseline, from the same runs: that waiting time, for the two compilations.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
SIZES = {"one": 1, "five_hundred": 500}
TARGETS = {"one_s": {"op": "<=", "value": 0.05}, "five_hundred_s": {"op": "<=", "value": 1.0}}


def theorems(count, proof):
    """Each uses the definition and the theorem before it, so that all proofs depend on each other."""
    lines = ["def f (n : Nat) : Nat := n + n", "theorem t0 (n : Nat) : f n = 2 * n := by unfold f; omega"]
    for i in range(1, count + 1):
        lines.append(f"theorem t{i} (n : Nat) : f n + {i} = 2 * n + {i} := by {proof.format(i - 1)}")
    return "\n".join(lines) + "\n"


def measure(count, folder, kernel="on"):
    original, candidate = folder / "original.lean", folder / "candidate.lean"
    original.write_text(theorems(count, "sorry"), encoding="utf-8")
    candidate.write_text(theorems(count, "have := t{} n; omega"), encoding="utf-8")
    started = time.monotonic()
    done = subprocess.run([PROGRAM, "check", candidate, "--against", original, "--json", "--quiet",
                           "--kernel", kernel], stdout=subprocess.PIPE, text=True, check=False)
    whole = time.monotonic() - started
    if done.returncode != 0:
        sys.exit(f"trust: the verdict on {count} theorems exited with {done.returncode}: {done.stdout[:500]}")
    verdict = json.loads(done.stdout)
    assert len(verdict["theorems"]) == count
    lean = verdict["seconds"]["lean"]
    return {"beyond": whole - lean, "lean": lean, "judge": verdict["seconds"]["trust"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    metrics = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, count in SIZES.items():
            runs = [measure(count, Path(folder)) for _ in range(arguments.runs)]
            alone = [measure(count, Path(folder), "off")["judge"] for _ in range(arguments.runs)]
            middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            metrics |= {f"{name}_s": round(middle["beyond"], 3), f"{name}_judge_s": round(middle["judge"], 3),
                        f"{name}_judge_without_kernel_s": round(statistics.median(alone), 3),
                        f"{name}_lean_s": round(middle["lean"], 2)}
    if arguments.json:
        print(json.dumps({"name": "trust", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": TARGETS}))
        return
    print(f"{'theorems':<10}{'beyond Lean':>12}{'target':>10}{'judging':>10}{'kernel off':>12}{'waiting for Lean':>18}")
    for name, count in SIZES.items():
        print(f"{count:<10}{metrics[name + '_s']:>10.3f} s{TARGETS[name + '_s']['value']:>8} s"
              f"{metrics[name + '_judge_s']:>8.3f} s"
              f"{metrics[name + '_judge_without_kernel_s']:>10.3f} s{metrics[name + '_lean_s']:>16.2f} s")


if __name__ == "__main__":
    main()
