#!/usr/bin/env python3
"""Checks that every false proof in tests/attacks is rejected, and every honest one in tests/honest accepted.

usage: trust_corpus.py [--jobs N] [--live] [NAME | attacks | honest]...

The whole report on each must be the one in golden/verdicts.json (golden/README.md); with ZERMELO_GOLDEN_UPDATE=1 the
reports are stored there.

An attack's expected.json has the codes that `zermelo check --against` prints with --json: for the file, and for
each theorem that has any. `live` means that plain Lean compiles the candidate without an error; --live compiles
each candidate with Lean instead and compares the result with `live`.
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo"))
EMBEDDED = pathlib.Path(os.environ.get("ZERMELO_EMBEDDED", ROOT / "embedded"))
VERDICTS = ROOT / "tests/golden/verdicts.json"
LIMIT = 120  # seconds for one verdict
SECONDS_EACH = 20  # for each further one


def verdicts(folders, jobs):
    """The report of `check --against` on each folder, from a single run."""
    with tempfile.TemporaryDirectory(prefix="zermelo-trust-") as scratch:
        scratch = pathlib.Path(scratch)
        for folder in folders:
            for side in ("original", "candidate"):
                copy = scratch / side / folder.parent.name / (folder.name + ".lean")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / (side + ".lean"), copy)
        environment = {**os.environ, "ZERMELO_EMBEDDED": str(EMBEDDED), "TMPDIR": str(scratch)}
        done = subprocess.run([PROGRAM, "check", scratch / "candidate", "--against", scratch / "original", "--json",
                               "--quiet", "--jobs", str(jobs), "--lean", EMBEDDED / "bin/lean"],
                              capture_output=True, text=True, timeout=LIMIT + SECONDS_EACH * len(folders),
                              env=environment, check=False)
        if not done.stdout:
            sys.exit(f"exit code {done.returncode} and no verdict: {done.stderr.strip()}")
        said = json.loads(done.stdout.replace(str(scratch) + "/", ""))
        if not said["lean"]["warnings"]:
            sys.exit("no warning about the known bugs of this Lean's kernel")
        by_name = {pathlib.Path(file["candidate"]).relative_to("candidate"): file for file in said["files"]}
    all_accepted = all(file["verdict"] == "accepted" for file in said["files"])
    if (done.returncode == 0) != all_accepted:
        sys.exit(f"exit code {done.returncode}, although all files accepted is {all_accepted}")
    return [by_name[pathlib.Path(folder.parent.name, folder.name + ".lean")] for folder in folders]


def lines(report):
    return json.dumps(report, indent=1, ensure_ascii=False).splitlines()


def changed(reports):
    """The difference between these reports and the stored ones, apart from times; stores them instead if told to."""
    for report in reports.values():
        report["seconds"] = {what: 0 for what in report.get("seconds", {})}
    stored = json.loads(VERDICTS.read_text(encoding="utf-8")) if VERDICTS.exists() else {}
    if os.environ.get("ZERMELO_GOLDEN_UPDATE") == "1":
        text = json.dumps({**stored, **reports}, indent=1, ensure_ascii=False, sort_keys=True)
        VERDICTS.write_text(text + "\n", encoding="utf-8")
        return ""
    differences = [difflib.unified_diff(lines(stored.get(name)), lines(report), f"stored {name}", "found", lineterm="")
                   for name, report in reports.items()]
    return "\n".join(line for difference in differences for line in difference)


def codes(reasons):
    return sorted({reason["code"] for reason in reasons})


def summary(said):
    return {"verdict": said["verdict"], "reasons": codes(said["reasons"]),
            "theorems": {t["name"]: codes(t["reasons"]) for t in said["theorems"] if t["reasons"]}}


def judge(folder, said):
    """The problem with the verdict on this folder; empty if there is none."""
    if said["verdict"] == "error":
        return said["error"]["message"]
    if folder.parent.name == "honest":
        expected = {"verdict": "accepted", "reasons": [], "theorems": {}}
        if not said["theorems"]:
            return "the original has no `sorry` to prove"
    else:
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        del expected["live"]
    found = summary(said)
    if found == expected:
        return ""
    messages = [r["message"] for t in [said, *said["theorems"]] for r in t["reasons"]]
    return f"expected {json.dumps(expected)}\n  found    {json.dumps(found)}\n  " + "\n  ".join(messages)


def compile_plainly(folder):
    if folder.parent.name == "honest":
        return ""
    live = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["live"]
    done = subprocess.run([EMBEDDED / "bin/lean", folder / "candidate.lean"], capture_output=True,
                          text=True, timeout=LIMIT, check=False)
    if (done.returncode == 0) == live:
        return ""
    return f"live is {live}, but Lean exits with {done.returncode}: {done.stdout[:600]}{done.stderr[:200]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4), help="number of concurrent verdicts")
    parser.add_argument("--live", action="store_true", help="only compile the candidates with plain Lean")
    parser.add_argument("names", nargs="*", help="folders, or attacks or honest (default: all)")
    arguments = parser.parse_args()
    names = arguments.names
    folders = [f for kind in ("attacks", "honest") for f in sorted((ROOT / "tests" / kind).iterdir())
               if f.is_dir() and (not names or f.name in names or kind in names)]
    started, difference = time.monotonic(), ""
    if arguments.live:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            wrongs = list(pool.map(compile_plainly, folders))
    else:
        reports = verdicts(folders, arguments.jobs)
        wrongs = [judge(folder, said) for folder, said in zip(folders, reports)]
        difference = changed({f"{f.parent.name}/{f.name}": said for f, said in zip(folders, reports)})
    for folder, wrong in zip(folders, wrongs):
        if wrong:
            print(f"FAILED {folder.parent.name}/{folder.name}: {wrong}", flush=True)
    failed = sum(wrong != "" for wrong in wrongs)
    print(f"{len(folders) - failed} of {len(folders)} as expected in {time.monotonic() - started:.0f} s")
    if difference:
        print(f"FAILED: the reports are not those of golden/verdicts.json\n{difference}")
    sys.exit(1 if failed or difference or not folders else 0)


if __name__ == "__main__":
    main()
