#!/usr/bin/env python3
# bench: theorems of Lean's own library, module by module, with and without learning from the proofs found (30 minutes)
"""Proves theorems of corelib's train split with the built-in policy and real Lean, twice: without learning, and with
the proofs that the run itself has found before (online, as in Graph2Tac, arXiv 2401.02949).

usage: learning.py [--modules 10] [--each 10] [--time 5] [--seed 1] [--split train] [--out DIR] [--json]

The modules are a sample of those with enough theorems, the same for one --seed; of each, consecutive theorems. A module
comes after those that it imports, as far as the headers of the sample show; else in the order of names. One problem at a
time, so that online learning does not depend on which ends first. Prints how many each proves, the ratio, and McNemar's
exact test of the pairs. --out: the folder of the evaluations, which are resumed if they are there.
"""
import argparse
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")


def modules_of(split):
    """The theorems of a split, by module."""
    found = {}
    for line in (ROOT / f"bench/data/corelib-{split}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[module].append(line.strip())
        elif not line.startswith("#"):
            module = line
            found[module] = []
    return found


def sample(options):
    def order(module):
        return hashlib.sha256(f"{options.seed} {module}".encode()).hexdigest()
    modules = {module: names for module, names in modules_of(options.split).items() if len(names) >= options.each}
    chosen = sorted(sorted(modules, key=order)[:options.modules])
    return {module: modules[module][:options.each] for module in chosen}


def evaluate(options, names, out, *more):
    """The results of a run, by problem, and its problems."""
    command = [PROGRAM, "eval", "corelib", "--split", options.split, "--filter",
               "^(" + "|".join(map(re.escape, names)) + ")$", "--out", out, "--budget", f"{options.time:g}s", "--jobs", "1",
               "--seed", str(options.seed), "--json", *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"learning: zermelo eval exited with {done.returncode}")
    lines = map(json.loads, (out / "results.jsonl").read_text(encoding="utf-8").splitlines())
    problems = json.loads((out / "eval.json").read_text(encoding="utf-8"))["problems"]
    return {line["problem"]: line["outcome"] for line in lines}, problems


def in_import_order(problems):
    """The modules, each after those that it imports."""
    imports = {}
    for problem in problems:
        module = problem["source"]["file"]
        imports.setdefault(module, set()).update(re.findall(r"import +(?:all +)?([\w.«»]+)", problem["header"]))
    ordered = []

    def add(module):
        if module in ordered:
            return
        for imported in sorted(imports[module] & imports.keys() - {module}):
            add(imported)
        ordered.append(module)
    for module in sorted(imports):
        add(module)
    return ordered


def mcnemar(better, worse):
    """The exact two-sided probability of at least such a difference."""
    n = better + worse
    tail = sum(math.comb(n, k) for k in range(min(better, worse) + 1)) / 2 ** n
    return min(1.0, 2 * tail)


def measure(options, folder):
    chosen = sample(options)
    cold, problems = evaluate(options, sum(chosen.values(), []), folder / "cold")
    online, before = {}, None
    for module in in_import_order(problems):
        out = folder / f"online-{module}"
        if before and not (out / "learned").exists():
            out.mkdir(exist_ok=True)
            shutil.copy(before, out / "learned")
        results, _ = evaluate(options, chosen[module], out, "--learn-online")
        online.update(results)
        if (out / "learned").exists():
            before = out / "learned"
    proved = [{name for name, outcome in run.items() if outcome == "proved"} for run in (cold, online)]
    valid = [name for name in cold if cold[name] in ("proved", "unproved") and online.get(name) in ("proved", "unproved")]
    better, worse = len(proved[1] - proved[0]), len(proved[0] - proved[1])
    return {"problems": len(valid), "proved_cold": len(proved[0]), "proved_online": len(proved[1]),
            "ratio": len(proved[1]) / max(len(proved[0]), 1), "only_online": better, "only_cold": worse,
            "p": mcnemar(better, worse), "seconds_each": options.time}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", type=int, default=10)
    parser.add_argument("--each", type=int, default=10, help="theorems of each module")
    parser.add_argument("--time", type=float, default=5, help="seconds of search for each theorem")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=["train", "valid"], default="train")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="zermelo-learning-") as folder:
        metrics = measure(options, options.out or Path(folder))
    if options.json:
        print(json.dumps({"name": "learning", "metrics": metrics}))
        return
    print(f"{metrics['problems']} theorems, {options.time:g} s each: {metrics['proved_cold']} proved without learning, "
          f"{metrics['proved_online']} with the proofs found before (ratio {metrics['ratio']:.2f})")
    print(f"only with learning: {metrics['only_online']}, only without: {metrics['only_cold']}, "
          f"McNemar p = {metrics['p']:.3f}")


if __name__ == "__main__":
    main()
