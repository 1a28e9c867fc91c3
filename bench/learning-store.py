#!/usr/bin/env python3
# bench: what was learned: opening the file of a million examples, and a query (2 minutes)
"""Writes examples with invented goals, whose symbols are as unequally frequent as a library's, opens the file, and asks
for the tactics of 1,000 other goals.

usage: learning-store.py [--examples N] [--build DIR] [--json]

Then as many outcomes of goals, from which the value is trained. Opening includes checking every record and making the
index. The file is in the page cache. CPU time, one thread.
"""
import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {"open_s": {"op": "<=", "value": 2}, "query_ms_median": {"op": "<=", "value": 1},
           "value_train_s": {"op": "<=", "value": 2}, "value_query_ms": {"op": "<=", "value": 1}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=1_000_000)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    made = subprocess.run(["cmake", "--build", args.build, "--target", "learning_store_bench"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if made.returncode != 0:
        sys.exit(made.stdout + "learning-store: the build failed")
    run = subprocess.run([args.build / "src/learn/learning_store_bench", str(args.examples)], text=True,
                         stdout=subprocess.PIPE, check=True)
    metrics = json.loads(run.stdout)
    if args.json:
        print(json.dumps({"name": "learning-store", "machine": platform.node(), "metrics": metrics, "targets": TARGETS}))
        return
    print(f"{metrics['examples']:,} examples, {metrics['megabytes']:.0f} MB")
    print(f"opened in {metrics['open_s']:.2f} s (target: 2 s)")
    print(f"a query takes {metrics['query_ms_median']:.2f} ms (target: 1 ms), 99 % below "
          f"{metrics['query_ms_p99']:.2f} ms, {metrics['tactics_per_query']:.1f} tactics each")
    print(f"{metrics['outcomes']:,} outcomes of goals, opened in {metrics['outcomes_open_s']:.2f} s; the value is trained in "
          f"{metrics['value_train_s']:.2f} s (target: 2 s) and takes {metrics['value_query_ms']:.3f} ms a goal (target: 1 ms)")


if __name__ == "__main__":
    main()
