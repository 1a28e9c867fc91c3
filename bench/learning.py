#!/usr/bin/env python3
# bench: theorems of Lean's own library, module by module, with and without learning from the proofs found (30 minutes)
"""Proves theorems of corelib's train split with the built-in policy and real Lean, twice: without learning, and with
the proofs that the run itself has found before (online, as in Graph2Tac, arXiv 2401.02949). With --value, both sides
learn online; the second one also uses the value of goals, with this weight.

usage: learning.py [--modules 10] [--each 10] [--time 5] [--seed 1] [--split train] [--value WEIGHT]
                   [--budget 10min] [--out DIR] [--json]

The modules are a sample of those with enough theorems, the same for one --seed; of each, consecutive theorems. A module
comes after those that it imports, directly or not. Each module is run twice in succession, so that both sides see the
same machine, and one problem at a time, so that online learning does not depend on which ends first. Prints how many
problems each side proves, the ratio, and McNemar's exact test of the pairs. --budget: stop after this time; the same
command with the same --out goes on. What is printed is about the modules that both sides have finished.
"""
import argparse
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
STOPPING = 120  # seconds in which an evaluation must end after it was interrupted

# Raises an error, since `zermelo check` reports nothing else, and in a way that needs no compiled code of Lean's library.
ORDER = """\
import Std
import Lean.Elab.Command

def textOf : Lean.Name → String
  | .anonymous => ""
  | .str .anonymous part => part
  | .str before part => textOf before ++ "." ++ part
  | .num before _ => textOf before

def linesOf : List Lean.Name → String
  | [] => ""
  | name :: names => textOf name ++ "\\n" ++ linesOf names

run_cmd do
  let env ← Lean.getEnv
  (throw (IO.userError (linesOf env.header.moduleNames.toList)) : IO Unit)
"""


class OutOfTime(Exception):
    pass


def seconds(text):
    units = {"s": 1, "min": 60, "m": 60, "h": 3600}
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(s|min|m|h)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text} is no time, such as 90s, 10min or 2h")
    return float(found[1]) * units[found[2]]


def modules_of(split):
    """The theorems of a split, by module."""
    found, module = {}, ""
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
    return {module: modules[module][:options.each] for module in sorted(modules, key=order)[:options.modules]}


def in_import_order(modules, folder):
    """The modules, each after those that it imports: the order in which Lean loads them."""
    kept = folder / "order.json"
    if not kept.exists():
        program = folder / "Order.lean"
        program.write_text(ORDER, encoding="utf-8")
        done = subprocess.run([PROGRAM, "check", program, "--json", "--quiet"], stdout=subprocess.PIPE, text=True,
                              check=False)
        messages = json.loads(done.stdout)["files"][0]["messages"] if done.stdout else []
        if len(messages) != 1 or not messages[0]["message"].startswith("Init."):
            sys.exit(f"learning: Lean does not say in which order it loads its modules: {messages}")
        kept.write_text(json.dumps(messages[0]["message"].split()), encoding="utf-8")
    order = {name: place for place, name in enumerate(json.loads(kept.read_text(encoding="utf-8")))}
    if missing := sorted(set(modules) - set(order)):
        sys.exit(f"learning: Lean does not load {', '.join(missing)}")
    return sorted(modules, key=order.__getitem__)


def outcomes_in(out):
    """The outcomes of an evaluation, by problem; None if it has not finished."""
    if not (out / "eval.json").exists() or not (out / "results.jsonl").exists():
        return None
    problems = json.loads((out / "eval.json").read_text(encoding="utf-8"))["problems"]
    lines = map(json.loads, (out / "results.jsonl").read_text(encoding="utf-8").splitlines())
    outcomes = {line["problem"]: line["outcome"] for line in lines}
    return outcomes if all(problem["name"] in outcomes for problem in problems) else None


def evaluate(options, module, names, out, *more):
    """The outcomes of an evaluation, which is begun, resumed, or only read. OutOfTime: it was interrupted."""
    outcomes = outcomes_in(out)
    if outcomes is not None:
        return outcomes
    left = options.ends - time.monotonic()
    if left <= 0:
        raise OutOfTime
    command = [PROGRAM, "eval", f"corelib:{module}", "--split", options.split, "--filter",
               "^(" + "|".join(map(re.escape, names)) + ")$", "--out", out, "--budget", f"{options.time:g}s", "--jobs", "1",
               "--seed", str(options.seed), "--json", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            running.communicate(timeout=left if math.isfinite(left) else None)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
            try:
                running.communicate(timeout=STOPPING)
            except subprocess.TimeoutExpired:
                running.kill()
    outcomes = outcomes_in(out)
    if outcomes is None and time.monotonic() >= options.ends:
        raise OutOfTime
    if outcomes is None:
        sys.exit(f"learning: zermelo eval exited with {running.returncode}")
    return outcomes


def mcnemar(better, worse):
    """The exact two-sided probability of at least such a difference."""
    n = better + worse
    tail = sum(math.comb(n, k) for k in range(min(better, worse) + 1)) / 2 ** n
    return min(1.0, 2 * tail)


def sides_of(options):
    """The two sides by name, with their options of `zermelo eval`."""
    if options.value is None:
        return {"cold": [], "online": ["--learn-online"]}
    return {"online": ["--learn-online"],
            "value": ["--learn-online", "--set", f"best_first.value_weight={options.value:g}"]}


def compare(pairs, first, second):
    """Figures of (first, second) outcomes by problem, of those that both sides judged."""
    judged = {name: pair for name, pair in pairs.items() if set(pair) <= {"proved", "unproved"}}
    by_first = {name for name, pair in judged.items() if pair[0] == "proved"}
    by_second = {name for name, pair in judged.items() if pair[1] == "proved"}
    better, worse = len(by_second - by_first), len(by_first - by_second)
    return {"problems": len(judged), f"proved_{first}": len(by_first), f"proved_{second}": len(by_second),
            "ratio": len(by_second) / max(len(by_first), 1), f"only_{second}": better, f"only_{first}": worse,
            "p": mcnemar(better, worse)}


def evaluate_side(options, side, module, names, folder, learned):
    """As evaluate; `learned`, by side, has what the modules before have taught."""
    name, more = side
    out = folder / f"{name}-{module}"
    if learned.get(name) and not (out / "eval.json").exists():
        out.mkdir(exist_ok=True)
        shutil.copy(learned[name], out / "learned")
    outcomes = evaluate(options, module, names, out, *more)
    if (out / "learned").exists():
        learned[name] = out / "learned"
    return outcomes


def measure(options, folder):
    folder.mkdir(parents=True, exist_ok=True)
    chosen, sides = sample(options), sides_of(options)
    pairs, finished, learned = {}, 0, {}
    try:
        for module in in_import_order(chosen, folder):
            first, second = (evaluate_side(options, side, module, chosen[module], folder, learned)
                             for side in sides.items())
            pairs.update((name, (outcome, second[name])) for name, outcome in first.items() if name in second)
            finished += 1
    except OutOfTime:
        pass
    return {**compare(pairs, *sides), "modules": finished, "all_modules": len(chosen), "seconds_each": options.time}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", type=int, default=10)
    parser.add_argument("--each", type=int, default=10, help="theorems of each module")
    parser.add_argument("--time", type=float, default=5, help="seconds of search for each theorem")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", choices=["train", "valid"], default="train")
    parser.add_argument("--value", type=float, metavar="WEIGHT", help="compare learning with and without the value of goals")
    parser.add_argument("--budget", type=seconds, default=math.inf, metavar="TIME", help="such as 10min; with --out")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if math.isfinite(options.budget) and not options.out:
        parser.error("--budget needs --out, where it goes on")
    options.ends = time.monotonic() + options.budget
    with tempfile.TemporaryDirectory(prefix="zermelo-learning-") as folder:
        metrics = measure(options, options.out or Path(folder))
    if options.json:
        print(json.dumps({"name": "learning", "metrics": metrics}))
        return
    first, second = sides_of(options)
    said = {"cold": "without learning", "online": "with the proofs found before", "value": "with the value, too"}
    print(f"{metrics['problems']} theorems, {options.time:g} s each: {metrics[f'proved_{first}']} proved {said[first]}, "
          f"{metrics[f'proved_{second}']} {said[second]} (ratio {metrics['ratio']:.2f})")
    print(f"only {said[second]}: {metrics[f'only_{second}']}, only {said[first]}: {metrics[f'only_{first}']}, "
          f"McNemar p = {metrics['p']:.3f}")
    if metrics["modules"] < metrics["all_modules"]:
        print(f"{metrics['modules']} of {metrics['all_modules']} modules are finished; the same command goes on")


if __name__ == "__main__":
    main()
