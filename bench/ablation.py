#!/usr/bin/env python3
# bench: what each heuristic of the built-in policy proves that nothing else does (hours; --problems N for less)
"""Leaves out each heuristic of the built-in policy in turn and counts the problems that only it solves, with real Lean.

usage: ablation.py [--time 10] [--problems N] [--sets A,B] [--heuristics A,B] [--set NAME=VALUE] [--jobs 1]
                   [--results FILE] [--json]

The sets: `minif2f`, the 60 problems of minif2f-core; `corelib`, a sample of the theorems of corelib's valid split (the
one of corelib.py); `written`, problems written for the purpose (bench/data/written and bench/data/own-files).

Each problem is attempted once with everything. For each tactic of a proof, the record of the run names the heuristic
that proposed it. A problem is then attempted again without each of the heuristics that its proof used, so a heuristic
is left out only where it was used; one that no proof used earns nothing. Where at most three problems fail without a
heuristic, they are attempted once more, since a failure may be chance. The last rows are what automation alone proves and
what uses the tactics of `close`, which is not left out: without it hardly a proof ends. `mathlib` and `learned` propose
nothing here.

--jobs: files at once, each with one worker. --results saves what is finished, so that an interrupted run can be
resumed, or continued with more problems.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import corelib

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", str(ROOT / "build/release/zermelo"))
SETS = ("minif2f", "corelib", "written")
CORELIB_PROBLEMS = 100
FEW = 3  # failures without a heuristic that are attempted once more
KEPT = {"automation", "close", "mathlib", "learned"}
HOLE = re.compile(r"by\s+sorry\b")


def minif2f():
    problems = [json.loads(line) for line in
                (ROOT / "bench/data/minif2f-core-valid.jsonl").read_text(encoding="utf-8").splitlines()]
    return {p["name"]: p["header"] + p["formal_statement"].rstrip() + "\n  sorry\n" for p in problems}


def library(count):
    wanted = "|".join(re.escape(name) for _, name in corelib.sample("valid", count))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.jsonl"
        subprocess.run([PROGRAM, "eval", "corelib", "--split", "valid", "--filter", f"^({wanted})$", "--quiet",
                        "--write-problems", path], stdout=subprocess.DEVNULL, check=True)
        problems = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {p["name"]: p["header"] + p["formal_statement"] + "\n" for p in problems}


def written():
    folders = [ROOT / "bench/data/written", ROOT / "bench/data/own-files"]
    return {f"{path.parent.name}/{path.stem}": path.read_text(encoding="utf-8")
            for folder in folders for path in sorted(folder.glob("*.lean")) if ".proved." not in path.name}


def theorems_in(text):
    """The names of its theorems as they are written, in order: the n-th has the n-th hole."""
    names = re.findall(r"^(?:private |protected )?theorem\s+(\S+?)(?=\.\{|\s)", text, re.MULTILINE)
    assert len(names) == len(set(names)) == len(HOLE.findall(text)), "a file needs one hole in each theorem"
    return names


def problems_of(kind, count):
    """The files of a set, with the problems that a sample of this size takes from each."""
    files = {"minif2f": minif2f, "corelib": lambda: library(count or CORELIB_PROBLEMS), "written": written}[kind]()
    names = [(file, name) for file, text in files.items() for name in theorems_in(text)]
    names.sort(key=lambda name: hashlib.sha256(" ".join(name).encode()).hexdigest())
    chosen = set(names[:count])
    return {file: (text, [n for n in theorems_in(text) if (file, n) in chosen]) for file, text in files.items()}


def with_proofs(text, proofs):
    """The text with these proofs, by the name of the theorem, in place of its holes."""
    names = iter(theorems_in(text))

    def fill(hole):
        proof = proofs.get(next(names))
        return "by\n" + re.sub("^(?=.)", "  ", proof, flags=re.MULTILINE) if proof else hole[0]
    return HOLE.sub(fill, text)


def origins_in(database, run):
    """Who proposed the tactics of the proofs that a run found: names by the index of the theorem."""
    events = subprocess.run([PROGRAM, "events", str(run), "--jsonl", "--run-db", database, "--kind",
                             "theorem_begun,proof_origins"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found, names = {}, {}
    theorem = None
    for event in map(json.loads, events.splitlines()):
        if event["kind"] == "theorem_begun":
            theorem = event["theorem"]
            names[theorem] = event["name"]
        else:
            found.setdefault(names[theorem], sorted(set(event["origins"])))
    return found


def prove(text, theorems, without, options):
    """The outcome for each of these theorems of a file."""
    with tempfile.TemporaryDirectory(prefix="zermelo-ablation-") as folder:
        path, database = Path(folder) / "File.lean", Path(folder) / "runs.db"
        path.write_text(text, encoding="utf-8")
        command = [PROGRAM, "prove", path, "--json", "--quiet", "--no-learning", "--trace", "--run-db", database,
                   "--time", f"{options.time:g}s", "--workers", "1", "--out", Path(folder) / "Proved.lean"]
        command += [part for name in theorems for part in ("--theorem", name)]
        command += [part for setting in options.settings for part in ("--set", setting)]
        command += ["--set", f"builtin.without={without}"] if without else []
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if not done.stdout:
            sys.exit(f"ablation: {' '.join(map(str, command))} exited with {done.returncode}:\n{done.stderr}")
        report = json.loads(done.stdout)
        origins = origins_in(database, report["run"]["id"])
    outcomes = {}
    for found in report["theorems"]:
        name = next(n for n in theorems if found["name"] == n or found["name"].endswith("." + n))
        proved = found["status"] == "proved"  # not if it follows from a theorem above that has no proof
        outcomes[name] = {"proved": proved, "proof": found.get("proof", ""), "seconds": round(found["seconds"], 1),
                          "origins": origins.get(found["name"], []) if proved else []}
    return outcomes


def label(file, name):
    return name if file == name else f"{file}: {name}"


class Results:
    """What is finished: set -> file -> left out ("": nothing) -> theorem -> outcome."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.all = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}

    def of(self, kind, file, without):
        with self.lock:
            return self.all.get(kind, {}).get(file, {}).get(without, {})

    def by_heuristic(self, kind, file):
        with self.lock:
            return {without: outcomes for without, outcomes in self.all.get(kind, {}).get(file, {}).items() if without}

    def add(self, kind, file, without, outcomes):
        with self.lock:
            self.all.setdefault(kind, {}).setdefault(file, {}).setdefault(without, {}).update(outcomes)
            if self.path:
                self.path.write_text(json.dumps(self.all, indent=1, ensure_ascii=False), encoding="utf-8")
        for name, outcome in outcomes.items():
            print(f"{'proved' if outcome['proved'] else '-':7} {outcome['seconds']:6.1f} s  {label(file, name)}"
                  f"  {'without ' + without if without else ' '.join(outcome['origins'])}", file=sys.stderr, flush=True)


def with_everything(kind, file, text, names, options, results):
    left = [name for name in names if name not in results.of(kind, file, "")]
    if left:
        results.add(kind, file, "", prove(text, left, "", options))


def without_each(kind, file, text, names, options, results):
    """Proves again, without each heuristic, the theorems whose proofs used it."""
    uses = collections.defaultdict(list)
    for name in names:
        outcome = results.of(kind, file, "")[name]
        for origin in outcome["origins"] if outcome["proved"] else []:
            if options.judged(origin) and name not in results.of(kind, file, origin):
                uses[origin].append(name)
    for heuristic, users in sorted(uses.items()):
        results.add(kind, file, heuristic, prove_without(kind, file, text, users, heuristic, options, results))


def prove_without(kind, file, text, theorems, heuristic, options, results):
    """The outcome for each of these theorems; what the file has above may be used as before."""
    others = {name: outcome["proof"] for name, outcome in results.of(kind, file, "").items()
              if outcome["proved"] and name not in theorems}
    return prove(with_proofs(text, others), theorems, heuristic, options)


def measure(kind, options, results):
    """Fills the results; returns the files of the set and the names of their problems."""
    files = problems_of(kind, options.problems)
    for step in (with_everything, without_each):
        run_at_once([(step, kind, file, text, names, options, results) for file, (text, names) in files.items()], options)
    return files


def run_at_once(calls, options):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(*call) for call in calls]:
            done.result()


def repeat_failures(sets, options, results):
    """Attempts again what failed without a heuristic that little depends on: the failure may be chance."""
    failed = collections.defaultdict(list)
    for kind, files in sets.items():
        for file, (text, names) in files.items():
            for heuristic, outcomes in results.by_heuristic(kind, file).items():
                if options.judged(heuristic):
                    again = [name for name in names if not outcomes.get(name, {"proved": True})["proved"]]
                    failed[heuristic] += [(kind, file, text, again)] if again else []

    def repeat(heuristic, kind, file, text, names):
        known = results.of(kind, file, heuristic)
        names = [name for name in names if known[name].get("attempts", 1) == 1]
        if names:
            outcomes = prove_without(kind, file, text, names, heuristic, options, results)
            results.add(kind, file, heuristic, {name: outcome | {"attempts": 2} for name, outcome in outcomes.items()})
    run_at_once([(repeat, heuristic, *one) for heuristic, ones in sorted(failed.items())
                 if sum(len(names) for *_, names in ones) <= FEW for one in ones], options)


def table(problems, results, options):
    """By heuristic and set: proofs that used it, and the names of those that nothing else solves."""
    rows = collections.defaultdict(lambda: {kind: {"used": 0, "only": []} for kind in problems})
    for kind, files in problems.items():
        for file, names in files.items():
            for name in names:
                full = results.of(kind, file, "")[name]
                for origin in full["origins"] if full["proved"] else []:
                    cell = rows[origin][kind]
                    cell["used"] += 1
                    if options.judged(origin) and not results.of(kind, file, origin)[name]["proved"]:
                        cell["only"].append(label(file, name))
    return dict(sorted(rows.items(), key=lambda row: (row[0] in KEPT, -sum(len(c["only"]) for c in row[1].values()),
                                                      -sum(c["used"] for c in row[1].values()))))


def heuristics():
    """All names, as the error about an unknown one lists them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "Empty.lean"
        path.write_text("", encoding="utf-8")
        done = subprocess.run([PROGRAM, "prove", path, "--no-record", "--set", "builtin.without=?"],
                              stderr=subprocess.PIPE, text=True, check=False)
    listed = re.search(r"heuristics: (.*)", done.stderr.replace("\n", " "))
    return re.findall(r"[\w/]+", listed[1]) if listed else sys.exit(f"ablation: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=10, help="seconds of search for each problem")
    parser.add_argument("--problems", type=int, help=f"of each set (default: all, of corelib {CORELIB_PROBLEMS})")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas (default: all)")
    parser.add_argument("--heuristics", default="", help="names, separated by commas (default: all but close, mathlib, learned)")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
                        help="a parameter of the strategy for all runs")
    parser.add_argument("--jobs", type=int, default=1, help="files at once")
    parser.add_argument("--results", type=Path, help="file that saves finished problems")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    all_names = heuristics()
    judged = set(options.heuristics.split(",")) if options.heuristics else set(all_names) - KEPT
    kinds = options.sets.split(",")
    if unknown := (judged - set(all_names)) | (set(kinds) - set(SETS)):
        sys.exit(f"ablation: unknown: {', '.join(unknown)}; heuristics: {', '.join(all_names)}; sets: {', '.join(SETS)}")
    options.judged = judged.__contains__
    results = Results(options.results)
    sets = {kind: measure(kind, options, results) for kind in kinds}
    repeat_failures(sets, options, results)
    problems = {kind: {file: names for file, (_, names) in files.items()} for kind, files in sets.items()}
    rows = table(problems, results, options)
    unused = [name for name in all_names if name in judged and name not in rows]
    counts = {kind: sum(map(len, files.values())) for kind, files in problems.items()}
    solved = {kind: sum(results.of(kind, file, "")[name]["proved"] for file, names in files.items() for name in names)
              for kind, files in problems.items()}
    if options.json:
        metrics = {f"{what}_{kind}": n for what, by in (("problems", counts), ("solved", solved)) for kind, n in by.items()}
        for name, cells in rows.items():
            metrics[f"{name}_used"] = sum(cell["used"] for cell in cells.values())
            if name in judged:
                metrics[f"{name}_only"] = sum(len(cell["only"]) for cell in cells.values())
        print(json.dumps({"name": "ablation", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": {}, "heuristics": rows, "unused": unused}))
        return
    print(f"{'proofs that used it / only it':30}" + "".join(f"{f'{k} {solved[k]}/{counts[k]}':>18}" for k in kinds))
    for name, cells in rows.items():
        print(f"{name:30}" + "".join(f"{c['used']:>13} / " + (f"{len(c['only']):<2}" if name in judged else "- ")
                                     for c in cells.values()))
    print(f"\nUsed by no proof: {', '.join(unused) or '-'}\nSolved by nothing else:")
    for name, cells in rows.items():
        if only := [problem for cell in cells.values() for problem in cell["only"]]:
            print(f"  {name}: {', '.join(only)}")


if __name__ == "__main__":
    main()
