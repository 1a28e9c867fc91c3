#!/usr/bin/env python3
# bench: the .olean reader: reading and walking the embedded Lean's whole library, memory (10 seconds)
"""Reads and walks every .olean of a folder, by default the embedded Lean's library.

usage: olean.py [--folder DIR] [--build DIR] [--json]

Baseline, measured in the same run: the same bytes read through one buffer. Rates are per second of processor
time in one thread, from the page cache, so that other work on the machine does not matter.
"""
import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {"read_mb_per_s": {"op": ">=", "value": 300}, "failures": {"op": "<=", "value": 0}}
ROWS = [
    ("bytes read (baseline)", "plain_mb_per_s"),
    ("every object checked", "check_mb_per_s"),
    ("checked, terms of each module interned", "read_mb_per_s"),
    ("checked, terms of all modules interned in one arena", "shared_mb_per_s"),
]


def measure(build, folder):
    made = subprocess.run(["cmake", "--build", build, "--target", "olean_bench"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        sys.exit(made.stdout + "olean: the build failed")
    run = subprocess.run([build / "src/kernel/olean_bench", folder], stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout)


def table(metrics):
    print("{files} files, {megabytes} MB, {objects} objects, {constants} constants, "
          "{failures} failures".format(**metrics))
    for text, key in ROWS:
        target = f"target >= {TARGETS[key]['value']}" if key in TARGETS else ""
        print(f"{text:<54}{metrics[key]:>7.0f} MB/s  {metrics[key] / metrics['plain_mb_per_s']:5.2f}x  {target}")
    print("memory: peak {peak_megabytes} MB, of which the arena of all {expressions} expressions "
          "{arena_megabytes} MB".format(**metrics))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "embedded/build/lib/lean")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    metrics = measure(args.build, args.folder)
    if args.json:
        print(json.dumps({"name": "olean", "machine": platform.node(), "metrics": metrics, "targets": TARGETS}))
    else:
        table(metrics)


if __name__ == "__main__":
    main()
