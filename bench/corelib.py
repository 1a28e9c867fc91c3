#!/usr/bin/env python3
# bench: theorems of Lean's own library solved by the built-in policy, by module (about an hour)
"""Proves theorems of the valid split of `zermelo eval corelib` with the built-in policy and real Lean.

usage: corelib.py [--problems 300] [--time 10] [--jobs 1] [--split valid] [--seed 1] [--singles] [--out DIR] [--json]

The problems are a sample, the same for one --problems, in which modules have the shares that they have in the split.
Prints how many of each module are proved, and by what: the tactics of the proof, if it is one line, else `several steps`.
Problems that are not there yet are made first (docs/evaluation.md), which is not counted. --singles also counts what
`intros` and one tactic solve: a fresh Lean for each problem and tactic. --out: the folder of the evaluation, which is
resumed if it is there.
"""
import argparse
import collections
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SINGLES = ["grind", "simp", "omega", "exact?"]


def names_of(split):
    """The theorems of a split, with their modules."""
    found, module = [], ""
    for line in (ROOT / f"bench/data/corelib-{split}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found.append((module, line.strip()))
        elif not line.startswith("#"):
            module = line
    return found


def sample(split, count):
    def order(entry):
        return hashlib.sha256(f"{entry[0]} {entry[1]}".encode()).hexdigest()
    return sorted(names_of(split), key=order)[:count]


def solved_by(proof):
    """The tactics that prove it after names are introduced, as in `simp <;> omega`; `several steps` if it has more."""
    steps = [line.strip() for line in proof.splitlines() if line.strip()]
    steps = [step for step in steps if not re.match(r"(by$|intros?\b|rename_i\b)", step)]
    if len(steps) != 1:
        return "several steps"
    return " <;> ".join(re.match(r"[^\s;]*", tactic.strip())[0] for tactic in steps[0].split("<;>"))


def singles(program, problems, folder):
    """How many problems each single tactic solves."""
    solved = {}
    for tactic in SINGLES:
        files = []
        for number, problem in enumerate(problems):
            files.append(folder / f"{number}_{tactic.strip('?')}.lean")
            proof = problem["statement"].removesuffix("sorry") + f"intros\n  {tactic}\n"
            files[-1].write_text(problem["header"] + proof, encoding="utf-8")
        done = subprocess.run([program, "check", *files, "--json", "--quiet"], stdout=subprocess.PIPE, text=True,
                              check=False)
        wrong = [[m for m in file["messages"] if m["kind"] in ("error", "sorry")] for file in
                 json.loads(done.stdout)["files"]]
        solved[tactic] = sum(not messages for messages in wrong)
    return solved


def report(results, problems):
    modules = {name: module for module, name in problems}
    by_module = collections.defaultdict(lambda: [0, 0])
    by_tactic = collections.Counter()
    for result in results:
        row = by_module[modules[result["problem"]]]
        row[1] += 1
        if result["outcome"] == "proved":
            row[0] += 1
            by_tactic[solved_by(result["proof"])] += 1
    return by_module, by_tactic


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=300)
    parser.add_argument("--time", type=float, default=10, help="seconds of search for each problem")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--split", choices=["valid", "train"], default="valid")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--singles", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    problems = sample(options.split, options.problems)
    names = "^(" + "|".join(re.escape(name) for _, name in problems) + ")$"
    program = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
    with tempfile.TemporaryDirectory(prefix="zermelo-corelib-") as folder:
        out = options.out or Path(folder) / "run"
        command = [program, "eval", "corelib", "--split", options.split, "--filter", names, "--out", out,
                   "--budget", f"{options.time:g}s", "--jobs", str(options.jobs), "--seed", str(options.seed), "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 3) or not done.stdout:
            sys.exit(f"corelib: zermelo eval exited with {done.returncode}")
        figures = json.loads(done.stdout)
        lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()
        manifest = json.loads((out / "eval.json").read_text(encoding="utf-8"))
        alone = singles(program, manifest["problems"], Path(folder)) if options.singles else {}
    by_module, by_tactic = report([json.loads(line) for line in lines], problems)
    if options.json:
        metrics = {"corelib_solved": figures["solved"], "corelib_problems": figures["problems"],
                   "invalid": figures["invalid"], "seconds": figures["seconds"]}
        metrics |= {f"alone_{tactic.strip('?')}": count for tactic, count in alone.items()}
        print(json.dumps({"name": "corelib", "machine": platform.node(), "metrics": metrics, "targets": {},
                          "by_module": dict(sorted(by_module.items())), "by_tactic": dict(by_tactic.most_common())}))
        return
    for module, (solved, count) in sorted(by_module.items()):
        print(f"{solved:4} of {count:3}  {module}")
    for tactic, count in by_tactic.most_common():
        print(f"{count:4} by {tactic}")
    for tactic, count in alone.items():
        print(f"{count:4} by {tactic} alone")
    print(f"{figures['solved']} of {figures['problems']} solved at {options.time:g} s each; {figures['invalid']} do not "
          f"elaborate")


if __name__ == "__main__":
    main()
