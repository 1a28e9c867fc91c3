#!/usr/bin/env python3
# bench: theorems of a project with and without learning from the proofs above them (an hour for 75 theorems)
"""Proves theorems of a built project that have proofs by tactics, each twice: without learning, and with what the
project's own proofs teach (`zermelo trace`, `zermelo learn`): those of the files that its file imports, directly or
not, and those above it in its file.

usage: learning-project.py PROJECT [--time 10] [--most N] [--seed 1] [--out DIR] [--json]

Both sides have the same time, one after the other, in an order that alternates. --most: a sample. With --out, the same
command goes on where it was stopped. Prints how many each side proves, and McNemar's exact test of the pairs.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from learning import compare  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")


def zermelo(*arguments, also=()):
    """`also`: exit codes that are no errors either."""
    quiet = [] if arguments[0] == "export" else ["--quiet"]
    run = subprocess.run([PROGRAM, *map(str, arguments), *quiet], check=False, stdout=subprocess.DEVNULL)
    if run.returncode not in (0, *also):
        sys.exit(f"learning-project: zermelo {arguments[0]} exited with {run.returncode}")


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Traced:
    """The trace of a project: heads of files by module, each with its theorems in order."""

    def __init__(self, path):
        self.heads, self.theorems, module = {}, {}, None
        for line in lines_of(path):
            if "sha256" in line:  # a file
                module = line["module"]
                self.heads[module], self.theorems[module] = line, []
            else:
                self.theorems[module].append(line)
        self.imports = {module: {name for name in re.findall(r"^(?:public |meta )*import (?:all )?([\w.]+)", head["text"],
                                                             re.MULTILINE) if name in self.heads}
                        for module, head in self.heads.items() if "text" in head}

    def imported_by(self, module):
        found, left = set(), [module]
        while left:
            for name in self.imports.get(left.pop(), set()) - found:
                found.add(name)
                left.append(name)
        return sorted(found)

    def before(self, module, count):
        """The trace without what a theorem, the next one in its module after `count`, does not know."""
        for name in self.imported_by(module):
            yield from (self.heads[name], *self.theorems[name])
        if count > 0:
            yield from ({**self.heads[module], "theorems": count}, *self.theorems[module][:count])


def problems_of(traced, folder):
    """(module, number in it, row of a dataset), for theorems with complete proofs."""
    zermelo("export", "rl", "--from", folder / "trace.jsonl", "--out", folder / "rl.jsonl")
    stated = {(row["source"]["module"], row["theorem"]["name"]): row["theorem"] for row in lines_of(folder / "rl.jsonl")}
    for module, theorems in traced.theorems.items():
        for number, theorem in enumerate(theorems):
            row = stated.get((module, theorem["theorem"]))
            if theorem["complete"] and row:
                yield module, number, {"name": f"{module}:{theorem['theorem']}", "header": row["header"],
                                       "formal_statement": row["statement"]}


def outcome(folder):
    results = folder / "results.jsonl"
    lines = lines_of(results) if results.exists() else []
    return lines[-1]["outcome"] if lines else None


def attempt(options, folder, problem, *more):
    if outcome(folder) is None:
        data = folder.with_suffix(".jsonl")
        data.parent.mkdir(parents=True, exist_ok=True)
        data.write_text(json.dumps(problem) + "\n", encoding="utf-8")
        zermelo("eval", data, "--project", options.project, "--budget", f"{options.time:g}s", "--jobs", "1",
                "--seed", options.seed, "--out", folder, *more, also=(3,))  # 3: Lean could not judge it
    return outcome(folder)


def measure(options, folder):
    folder.mkdir(parents=True, exist_ok=True)
    zermelo("trace", options.project, "--out", folder / "trace.jsonl", also=(1,))  # 1: some files could not be traced
    traced = Traced(folder / "trace.jsonl")
    problems = list(problems_of(traced, folder))
    random.Random(options.seed).shuffle(problems)
    pairs = {}
    for turn, (module, number, problem) in enumerate(problems[:options.most]):
        own = folder / "theorems" / f"{turn:04}"
        own.mkdir(parents=True, exist_ok=True)
        taught = own / "learned"
        if not taught.exists():
            (own / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in traced.before(module, number)))
            zermelo("learn", own / "trace.jsonl", "--out", taught)
        sides = {"cold": [], "taught": ["--learn", str(taught)] if taught.exists() else []}
        done = {side: attempt(options, own / side, problem, *sides[side]) for side in sorted(sides, reverse=turn % 2 == 1)}
        print(f"{turn + 1}/{len(problems[:options.most])} {problem['name']}: {done}", file=sys.stderr)
        pairs[problem["name"]] = (done["cold"], done["taught"])
    return {**compare(pairs, "cold", "taught"), "seconds_each": options.time}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--time", type=float, default=10, help="seconds of search for each theorem")
    parser.add_argument("--most", type=int, help="so many theorems, chosen by chance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.project = options.project.resolve()
    with tempfile.TemporaryDirectory(prefix="zermelo-learning-") as folder:
        metrics = measure(options, options.out or Path(folder))
    if options.json:
        print(json.dumps({"name": "learning-project", "metrics": metrics}))
        return
    print(f"{metrics['problems']} theorems, {options.time:g} s each: {metrics['proved_cold']} proved without learning, "
          f"{metrics['proved_taught']} with the proofs above (ratio {metrics['ratio']:.2f})")
    print(f"only with: {metrics['only_taught']}, only without: {metrics['only_cold']}, McNemar p = {metrics['p']:.3f}")


if __name__ == "__main__":
    main()
