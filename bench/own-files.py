#!/usr/bin/env python3
# bench: theorems about files' own definitions solved by the built-in policy (about 15 minutes)
"""Proves the theorems of bench/data/own-files (functions on lists and trees, inductive predicates, relations, states as
functions, small programs, logic) with the built-in policy and real Lean.

usage: own-files.py [--time 30s] [--workers 2] [--files RE] [--size] [--json]

--size measures instead what the size of a file costs: the time to a proof of the same theorems alone and below 10, 50
and 200 other declarations.

Every figure counts only proofs that a fresh Lean accepted in the delivered file.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "bench/data/own-files"
TARGET = 60
SIZES = [0, 10, 50, 200]

MEASURED = """
def grow : List Nat → List Nat
  | [] => []
  | x :: xs => x :: x :: grow xs

theorem length_grow (xs : List Nat) : (grow xs).length = 2 * xs.length := by
  sorry

theorem grow_append (xs ys : List Nat) : grow (xs ++ ys) = grow xs ++ grow ys := by
  sorry

theorem grow_reverse (xs : List Nat) : grow xs.reverse = (grow xs).reverse := by
  sorry
"""


def others(count):
    """`count` declarations in the manner of textbooks, half of them theorems with proofs."""
    text = ""
    for i in range((count + 1) // 2):
        text += (f"def walk{i} (n : Nat) : List Nat → Nat\n  | [] => n + {i}\n  | x :: xs => x + walk{i} n xs\n\n"
                 f"theorem walk{i}_nil (n : Nat) : walk{i} n [] = n + {i} := rfl\n\n")
    return text


def prove(text, options):
    """The results for a file of this text; the file with the proofs is written beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "File.lean"
        path.write_text(text, encoding="utf-8")
        return prove_file(path, options)


def prove_file(path, options):
    program = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
    command = [program, "prove", path, "--json", "--time", options.time, "--workers", options.workers]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"own-files: {' '.join(map(str, command))} exited with {done.returncode} and no result")
    return json.loads(done.stdout)["theorems"]


def measure_sizes(options):
    rows = []
    for size in SIZES:
        rows.append((size, prove(others(size) + MEASURED, options)))
    if options.json:
        print(json.dumps({"name": "own-files-size", "metrics": {
            f"{t['name']}_below_{size}": round(t["seconds"], 1) for size, theorems in rows for t in theorems}}))
        return
    print(f"{'other declarations':20}" + "".join(f"{t['name']:>16}" for t in rows[0][1]))
    for size, theorems in rows:
        cells = (f"{t['seconds']:.1f} s" if t["status"] == "proved" else "-" for t in theorems)
        print(f"{size:<20}" + "".join(f"{cell:>16}" for cell in cells))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--time", default="30s")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--files", default="")
    parser.add_argument("--size", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.size:
        measure_sizes(options)
        return
    results = {}
    for path in sorted(DATA.glob("*.lean")):
        if ".proved." in path.name:  # what `zermelo prove` leaves beside a file
            continue
        if not re.search(options.files, path.stem):
            continue
        results[path.stem] = prove(path.read_text(encoding="utf-8"), options)
        if not options.json:
            for t in results[path.stem]:
                print(f"{t['status']:>8}  {t['seconds']:6.1f} s  {t['samples']:5}  {path.stem}: {t['name']}", flush=True)
    theorems = [t for file in results.values() for t in file]
    solved = sum(t["status"] == "proved" for t in theorems)
    if options.json:
        metrics = {"theorems": len(theorems), "solved": solved}
        for name, file in results.items():
            metrics[f"solved_{name}"] = sum(t["status"] == "proved" for t in file)
        print(json.dumps({"name": "own-files", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": {"solved": {"op": ">=", "value": TARGET}}}))
        return
    print(f"\n{'file':14}{'solved':>8}{'of':>5}")
    for name, file in results.items():
        print(f"{name:14}{sum(t['status'] == 'proved' for t in file):8}{len(file):5}")
    print(f"{'all':14}{solved:8}{len(theorems):5}   target {TARGET}+")


if __name__ == "__main__":
    main()
