#!/usr/bin/env python3
# bench: Lean checks of a recorded tree search by eight methods, from fresh processes to proof states as values (10 minutes)
"""Replays the candidates of a tree search (bench/data/lean-trace.jsonl) by eight methods.

usage: lean-checks.py [--lean PATH] [--trace FILE] [--fresh N] [--header N] [--json]

All theorems are searched concurrently with two workers; a search sends the candidates of a tactic state together
and waits for their answers. Ratios are of checks per second. The first two methods, in which no candidate benefits
from another, are measured on N candidates, spread evenly over the trace. The fifth and later ones leave the kernel to
acceptance, as a search does; the sixth and the eighth request only the first error, where a search truncates a proof.
The last two are the state server's (docs/state-server.md), two processes like the others. All
except the first are measured as after some minutes of work: 48 candidates have warmed up Lean. Verdicts that
differ from those of header reuse are counted. bench/data/README.md describes the trace.

states_differences adds to the state server's other verdicts the candidates whose states or whose first error, up to the
tactic with that error, are not the language server's.

The bound assumes that each distinct tactic (with everything before it) is elaborated once, and that a check takes as
long for each of its tactics as it does with affinity and without the kernel.
"""
import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WAYS = [
    ("fresh", "a fresh process per proof"),
    ("header", "header reuse only"),
    ("no_affinity", "prefix reuse without affinity"),
    ("affinity", "prefix reuse with affinity"),
    ("affinity_no_kernel", "with affinity, kernel left to acceptance"),
    ("first_error", "the same, up to the first error"),
    ("states", "state server"),
    ("states_first_error", "the same, up to the first error"),
]
TARGETS = {
    "states_over_header": {"op": ">=", "value": 7},
    "states_over_fresh": {"op": ">=", "value": 50},
    "states_differences": {"op": "<=", "value": 0},
}


def measure(args):
    made = subprocess.run(["cmake", "--build", args.build, "--target", "lean_checks_bench"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        sys.exit(made.stdout + "lean-checks: the build failed")
    command = [args.build / "src/lean/lean_checks_bench", args.lean, args.trace, str(args.fresh), str(args.header)]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit("lean-checks: the replay failed")
    return json.loads(run.stdout)


def summarize(ways):
    metrics = {}
    for key, _ in WAYS:
        way = ways[key]
        metrics[f"{key}_checks_per_s"] = way["checks"] / way["seconds"]
        metrics[f"{key}_tactics_per_check"] = way["tactics"] / way["checks"]
        if "differences" in way:
            metrics[f"{key}_differences"] = way["differences"]
    for key, name in (("affinity_no_kernel", "no_kernel"), ("first_error", "first_error"), ("states", "states"),
                      ("states_first_error", "states_first_error")):
        rate = metrics[f"{key}_checks_per_s"]
        metrics[f"{name}_over_header"] = rate / metrics["header_checks_per_s"]
        metrics[f"{name}_over_fresh"] = rate / metrics["fresh_checks_per_s"]
    metrics["checks"] = ways["affinity"]["checks"]
    metrics["distinct_tactics_per_check"] = ways["distinct_tactics"] / metrics["checks"]
    bound = metrics["affinity_no_kernel_tactics_per_check"] / metrics["distinct_tactics_per_check"]
    metrics["bound_over_header"] = bound * metrics["no_kernel_over_header"]
    metrics["bound_over_fresh"] = bound * metrics["no_kernel_over_fresh"]
    metrics["states_differences"] += ways["states"]["state_differences"]
    metrics["stalled"] = ways["affinity"]["stalled"]
    return metrics


def table(metrics):
    header = metrics["header_checks_per_s"]
    print(f"{metrics['checks']} candidates, {metrics['stalled']} of them cut off after 20 s\n")
    print(f"{'':<42}{'checks/s':>10}{'x header':>10}{'tactics/check':>15}{'other verdicts':>16}")
    for key, text in WAYS:
        rate = metrics[f"{key}_checks_per_s"]
        print(f"{text:<42}{rate:>10.2f}{rate / header:>10.2f}{metrics[key + '_tactics_per_check']:>15.1f}"
              f"{metrics.get(key + '_differences', ''):>16}")
    print(f"{'each distinct tactic once':<42}{'':>20}{metrics['distinct_tactics_per_check']:>15.1f}")
    print("\n                       over header reuse   over a fresh process")
    for name, text in (("no_kernel", "kernel left out"), ("first_error", "to the first error"),
                       ("states", "state server"), ("states_first_error", "to its first error"),
                       ("bound", "bound, kernel left out")):
        print(f"{text:<22}{metrics[name + '_over_header']:>17.1f}{metrics[name + '_over_fresh']:>23.0f}")
    print(f"{'target, state server':<22}{7:>17}{50:>23}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lean", type=Path, default=ROOT / "embedded/bin/lean")
    parser.add_argument("--trace", type=Path, default=ROOT / "bench/data/lean-trace.jsonl")
    parser.add_argument("--fresh", type=int, default=28, help="number of candidates for fresh processes (default: 28)")
    parser.add_argument("--header", type=int, default=112, help="number of candidates for header reuse (default: 112)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    metrics = summarize(measure(args))
    if args.json:
        print(json.dumps({"name": "lean-checks", "machine": platform.node(), "metrics": metrics, "targets": TARGETS}))
    else:
        table(metrics)


if __name__ == "__main__":
    main()
