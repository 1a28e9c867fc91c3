#!/usr/bin/env python3
# bench: from the command to the verified file for examples/quickstart.lean (about a minute)
"""usage: quickstart.py [--json]

Baseline, measured in the same run: compiling only the resulting file.
"""
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = 60


def run(*args):
    started = time.monotonic()
    done = subprocess.run([os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo"), *args],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"quickstart: zermelo exited with {done.returncode} and no result")
    return time.monotonic() - started, json.loads(done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        proved = Path(folder) / "proved.lean"
        seconds, result = run("prove", ROOT / "examples/quickstart.lean", "--out", proved, "--json",
                              "--quiet")
        baseline, _ = run("check", proved, "--json", "--quiet")
    solved = sum(t["status"] == "proved" for t in result["theorems"])
    if "--json" in sys.argv:
        print(json.dumps({
            "name": "quickstart", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
            "metrics": {"seconds": round(seconds, 1), "proved": solved,
                        "compile_only_seconds": round(baseline, 1)},
            "targets": {"seconds": {"op": "<=", "value": TARGET},
                        "proved": {"op": ">=", "value": len(result["theorems"])}}}))
        return
    print(f"{'':20}{'measured':>10}{'compile only':>14}{'target':>8}")
    print(f"{'seconds':20}{seconds:10.1f}{baseline:14.1f}{'<= ' + str(TARGET):>8}")
    print(f"{'proved of ' + str(len(result['theorems'])):20}{solved:10}{'':14}"
          f"{len(result['theorems']):>8}")


if __name__ == "__main__":
    main()
