#!/usr/bin/env python3
# bench: the state server on 10,000 random pairs of a state and a tactic: agreement with Lean's workers, memory, faults (45 minutes)
"""Runs random tactics in random states of known proofs in the state server (docs/state-server.md).

usage: states.py [--modes agreement,memory,faults,threads] [--count N] [--seed N] [--file FILE ...] [--json]

A state is one between the tactics of a proof: of those found for minif2f-core, of tests/honest, of bench/data/own-files and
of the files that --file adds (what cannot be opened, for want of its imports, is counted). A tactic is one of all these
proofs, from any block, half of the time within another one (`have … := by`, `first`, `case`, `<;>`, `set_option … in`).

agreement: goals, also within blocks, the errors of the first tactic with one, and the last state are those of the language
    server; a run that reached its time limit is not compared. The pairs of every second theorem are run two at a time in one hole.
memory: one process, the 14 theorems of bench/data/stepwise-proofs.lean and their tactics; the largest resident size after a run.
faults: the same theorems, run without faults and then with 2 %: a process is killed or stopped, or a tactic takes more memory than
    it may have. Every run must say what it said without.
threads: the runs a second of one process with two runs at a time over those with one; four tactics, the best of five
    rounds. It needs two idle cores.
"""
import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "bench/data"
MODES = ["agreement", "memory", "faults", "threads"]
TARGETS = {
    "states_differences": {"op": "<=", "value": 0},
    "memory_most_resident_mb": {"op": "<=", "value": 1300},
    "faults_differences": {"op": "<=", "value": 0},
    "faults_failed": {"op": "<=", "value": 0},
    "states_two_threads": {"op": ">=", "value": 1.5},
}


def known_proofs(folder):
    """The found proofs of minif2f-core, each in a file."""
    files = {}
    for source in ("minif2f-core-found.jsonl", "minif2f-core-proofs.jsonl"):
        for line in (DATA / source).read_text(encoding="utf-8").splitlines():
            problem = json.loads(line)
            files[folder / f"{problem['name']}.lean"] = (
                f"set_option autoImplicit false\nopen Nat Rat\n{problem['statement']} := by\n{problem['proof'].rstrip()}\n")
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    return sorted(files)


def run(mode, args, files):
    program = args.build / "src/lean/states_bench"
    done = subprocess.run([program, mode, args.lean, str(args.seed), str(args.count), *files],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"states: {mode} failed")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--count", type=int, default=10_000, help="pairs (default: 10,000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, action="append", default=[], help="another Lean file with proofs")
    parser.add_argument("--lean", type=Path, default=ROOT / "embedded/bin/lean")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    made = subprocess.run(["cmake", "--build", args.build, "--target", "states_bench"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if made.returncode != 0:
        sys.exit(made.stdout + "states: the build failed")
    metrics = {}
    with tempfile.TemporaryDirectory() as folder:
        files = [*known_proofs(Path(folder)), DATA / "stepwise-proofs.lean", *sorted((DATA / "own-files").rglob("*.lean")),
                 *sorted((ROOT / "tests/honest").glob("*/candidate.lean")), *args.file]
        for mode in args.modes.split(","):
            measured = run(mode, args, files if mode == "agreement" else [DATA / "stepwise-proofs.lean"])
            print(f"{mode}: {json.dumps(measured, ensure_ascii=False)}", file=sys.stderr)
            outcome = measured[mode]
            outcome = outcome.get("with", outcome)
            if "error" in outcome:
                sys.exit(f"states: {outcome['error']}")
            name = mode if mode in ("memory", "faults") else "states"
            metrics |= {f"{name}_{key}": value for key, value in outcome.items() if isinstance(value, (int, float))}
    if args.json:
        targets = {name: target for name, target in TARGETS.items() if name in metrics}
        print(json.dumps({"name": "states", "machine": platform.node(), "metrics": metrics, "targets": targets}))
        return
    for name, value in metrics.items():
        print(f"{name:<32}{value:>14,.1f}")


if __name__ == "__main__":
    main()
