#!/usr/bin/env python3
# bench: problems of minif2f-core solved by the built-in policy (about 20 minutes)
"""Proves the 60 problems of minif2f-core with the built-in policy and real Lean.

usage: builtin-policy.py [--time 60s] [--workers 2] [--filter RE] [--data FILE] [--premises on|off|both] [--json]

--premises both proves them twice, without and with the theorems that the premise index finds, and reports the
difference (twice the time).

Baseline, measured in the same run: the problems that one of omega, grind, simp_all, decide solves alone.
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
BASELINE = ["omega", "grind", "simp_all", "decide"]
TARGET = 55


def load(path, pattern):
    problems = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [p for p in problems if re.search(pattern, p["name"])]


def lean_file(problems, proof):
    """Puts all problems into one file; they share the header."""
    headers = {p["header"] for p in problems}
    assert len(headers) == 1, "the problems of one file must share their header"
    text = headers.pop()
    for p in problems:
        text += p["formal_statement"].rstrip() + f"\n  {proof}\n\n"
    return text


def run(program, *args):
    done = subprocess.run([program, *args], stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"builtin-policy: {program} {' '.join(map(str, args))} exited with "
                 f"{done.returncode} and no result")
    return json.loads(done.stdout)


def baseline_solved(program, problems, folder):
    path = folder / "baseline.lean"
    attempts = " | ".join(f"({tactic}; done)" for tactic in BASELINE)
    path.write_text(lean_file(problems, f"first | {attempts}"), encoding="utf-8")
    report = run(program, "check", path, "--json", "--quiet")["files"][0]
    failed = {m["theorem"] for m in report["messages"] if m["kind"] in ("error", "sorry")}
    return sum(p["name"] not in failed for p in problems)


def prove(program, path, options, *more):
    return run(program, "prove", path, "--json", "--time", options.time, "--workers", options.workers, *more)


def names_of_solved(result):
    return {t["name"] for t in result["theorems"] if t["status"] == "proved"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--time", default="60s")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--filter", default="")
    parser.add_argument("--data", type=Path, default=ROOT / "bench/data/minif2f-core-valid.jsonl")
    parser.add_argument("--premises", choices=["on", "off", "both"], default="on")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    program = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
    problems = load(options.data, options.filter)

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        path = folder / "problems.lean"
        path.write_text(lean_file(problems, "sorry"), encoding="utf-8")
        without = prove(program, path, options, "--no-premises") if options.premises != "on" else None
        if options.premises == "off":
            result = without
        else:
            subprocess.run([program, "index", "--quiet"], check=True)
            result = prove(program, path, options)
        baseline = baseline_solved(program, problems, folder)
    theorems = result["theorems"]
    solved = [t for t in theorems if t["status"] == "proved"]
    metrics = {
        "problems": len(problems),
        "solved": len(solved),
        "solved_by_one_tactic": baseline,
        "seconds": round(result["seconds"], 1),
        "checks": sum(t["checks"] for t in theorems),
        "samples": sum(t["samples"] for t in theorems),
    }
    if options.premises == "both":
        gained = sorted(names_of_solved(result) - names_of_solved(without))
        lost = sorted(names_of_solved(without) - names_of_solved(result))
        metrics.update(solved_without_premises=len(names_of_solved(without)), gained=len(gained), lost=len(lost))
    if options.json:
        print(json.dumps({
            "name": "builtin-policy", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
            "metrics": metrics, "targets": {"solved": {"op": ">=", "value": TARGET}}}))
        return
    for t in sorted(theorems, key=lambda t: (t["status"], -t["seconds"])):
        print(f"{t['status']:>8}  {t['seconds']:6.1f} s  {t['samples']:5}  {t['name']}")
    print(f"\n{'':24}{'measured':>10}{'baseline':>10}{'target':>8}")
    print(f"{'solved of ' + str(len(problems)):24}{len(solved):10}{baseline:10}{TARGET:>7}+")
    if options.premises == "both":
        print(f"{'without premises':24}{metrics['solved_without_premises']:10}")
        print(f"only with: {', '.join(gained) or '-'}\nonly without: {', '.join(lost) or '-'}")
    print(f"{'samples per second':24}{metrics['samples'] / result['seconds']:10.1f}")
    print(f"{'checks':24}{metrics['checks']:10}\n{'seconds':24}{metrics['seconds']:10}")


if __name__ == "__main__":
    main()
