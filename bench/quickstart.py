#!/usr/bin/env python3
# bench: from the command to the verified file, for examples/quickstart.lean and for one easy theorem (about a minute)
"""usage: quickstart.py [--json]

Baseline of the first, measured in the same run: compiling only the resulting file. The second is done ROUNDS times, and the
median is shown, with the seconds until Lean had read the file, until there was a proof, and until it was verified.
"""
import json
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EASY = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
ROUNDS = 5
TARGETS = {"seconds": {"op": "<=", "value": 60}, "easy_s": {"op": "<=", "value": 4}}


def run(*args):
    started = time.monotonic()
    done = subprocess.run([os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo"), *args],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"quickstart: zermelo exited with {done.returncode} and no result")
    return time.monotonic() - started, json.loads(done.stdout)


def prove_easy(folder):
    """The seconds from the call to the verified file, and the times of the record at which its phases ended."""
    file = folder / "easy.lean"
    file.write_text(EASY, encoding="utf-8")
    seconds, result = run("prove", file, "--out", folder / "easy-proved.lean", "--json", "--quiet")
    if result["theorems"][0]["status"] != "proved":
        sys.exit("quickstart: the easy theorem was not proved")
    record = result["run"]
    with sqlite3.connect(record["database"]) as events:
        ends = dict(events.execute("SELECT kind, MAX(at) FROM events WHERE run = ? GROUP BY kind", (record["id"],)))
    return {"easy_s": seconds, "easy_read_s": ends["theorem_begun"], "easy_proof_s": ends["proof_found"],
            "easy_verified_s": ends["proved"]}


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        proved = folder / "proved.lean"
        seconds, result = run("prove", ROOT / "examples/quickstart.lean", "--out", proved, "--json",
                              "--quiet")
        baseline, _ = run("check", proved, "--json", "--quiet")
        easy = [prove_easy(folder) for _ in range(ROUNDS)]
    solved = sum(t["status"] == "proved" for t in result["theorems"])
    metrics = {"seconds": seconds, "proved": solved, "compile_only_seconds": baseline}
    metrics |= {name: statistics.median(one[name] for one in easy) for name in easy[0]}
    metrics = {name: round(value, 1) for name, value in metrics.items()}
    targets = TARGETS | {"proved": {"op": ">=", "value": len(result["theorems"])}}
    if "--json" in sys.argv:
        print(json.dumps({"name": "quickstart", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": targets}))
        return
    print(f"{'':22}{'measured':>10}{'target':>8}")
    for name, value in metrics.items():
        target = f"{targets[name]['op']} {targets[name]['value']}" if name in targets else ""
        print(f"{name:22}{value:10}{target:>8}")


if __name__ == "__main__":
    main()
