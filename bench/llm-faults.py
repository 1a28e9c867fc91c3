#!/usr/bin/env python3
# bench: proofs with a model server that corrupts a third of its replies, compared with a faultless one (5 minutes)
"""Proves the same theorems with real Lean and the simulated model, without faults and with them.

usage: llm-faults.py [--problems N] [--time T] [--json]

The theorems are recurrences. Only the model is used (whole proofs); it knows their proofs and corrupts
some tactics. Baseline: the run without faults. Both must prove the same theorems by the same
proofs, and the usage that the program reports must match what the servers sent.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIM = ROOT / "tests/sim_model/sim_model.py"
FAULTS = ["429", "429:0", "500", "503", "reset", "close", "refused", "html", "error-200", "invalid-json",
          "wrong-types", "empty-choices", "half", "half-garbage"]
UNREADABLE = {"wrong-types", "empty-choices"}  # sent, but unusable
TARGETS = {"same_ends": {"op": ">=", "value": 1}, "paid_twice": {"op": "<=", "value": 0}}


def problem(number):
    factor, start = 2 + number % 7, 1 + number // 7
    statement = (f"theorem power_{number} (f : Nat → Nat) (h : ∀ n, f (n + 1) = {factor} * f n) "
                 f"(h0 : f 0 = {start}) (n : Nat) : f n = {start} * {factor} ^ n")
    proof = ("  induction n with\n  | zero => simp [h0]\n"
             "  | succ n ih =>\n    rw [h, ih, Nat.pow_succ]\n    omega")
    return {"name": f"power_{number}", "statement": statement, "proof": proof}


def prove(problems, folder, options, seconds):
    """The program's report and the server's log."""
    table = folder / "proofs.jsonl"
    table.write_text("".join(json.dumps(p) + "\n" for p in problems), encoding="utf-8")
    server = subprocess.Popen([sys.executable, SIM, "--proofs", table, "--spoil", "0.15", *options],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{json.loads(server.stdout.readline())['port']}"
        (folder / "zermelo.toml").write_text(
            f'[models.sim]\nendpoint = "{url}/v1"\ndialect = "vllm"\nformat = "chat"\n', encoding="utf-8")
        file = folder / "Problems.lean"
        file.write_text("\n\n".join(p["statement"] + " := by\n  sorry" for p in problems) + "\n", encoding="utf-8")
        program = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
        begin = time.monotonic()
        run = subprocess.run([program, "prove", file, "--model", "sim", "--seed", "1", "--time", seconds, "--strategy",
                              "whole_proof", "--json", "--quiet"], stdout=subprocess.PIPE, text=True, check=False)
        if not run.stdout:
            sys.exit(f"llm-faults: zermelo exited with {run.returncode} and no result")
        with urllib.request.urlopen(url + "/sim/log") as log:
            return json.loads(run.stdout), json.load(log), time.monotonic() - begin
    finally:
        server.stdin.close()
        server.wait(10)


def paid_twice(log):
    """Samples (prompt and seed) for which data arrived more than once."""
    seen, twice = set(), 0
    for entry in log:
        if entry["tokens"] == 0 or entry["fault"] in UNREADABLE:
            continue
        sample = (json.dumps(entry["body"]["messages"]), entry["body"]["seed"])
        twice += sample in seen
        seen.add(sample)
    return twice


def ends(report):
    return {t["name"]: (t["status"], t["proof"]) for t in report["theorems"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=12)
    parser.add_argument("--time", default="60s", help="time limit per theorem")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    problems = [problem(number) for number in range(options.problems)]
    rough = [word for fault in FAULTS for word in ("--fault", f"{fault}={1 / 3 / len(FAULTS):.4f}")]
    with tempfile.TemporaryDirectory() as folder:
        calm_report, calm_log, calm_seconds = prove(problems, Path(folder), [], options.time)
        report, log, seconds = prove(problems, Path(folder), rough, options.time)
    proved = [sum(t["status"] == "proved" for t in r["theorems"]) for r in (calm_report, report)]
    metrics = {
        "problems": len(problems), "proved": proved[1], "calm_proved": proved[0],
        "same_ends": int(ends(report) == ends(calm_report)),
        "faults": sum(entry["fault"] != "" for entry in log), "requests": len(log), "calm_requests": len(calm_log),
        "paid_twice": paid_twice(log) + paid_twice(calm_log),
        "tokens_told": report["models"]["sim"]["completion_tokens"],
        "tokens_sent": sum(e["tokens"] for e in log if e["fault"] not in UNREADABLE),
        "seconds": round(seconds, 1), "calm_seconds": round(calm_seconds, 1),
    }
    if options.json:
        print(json.dumps({"name": "llm-faults", "machine": platform.node(), "metrics": metrics, "targets": TARGETS}))
        return
    print(f"{'':<22}{'no faults':>11}{'faults':>9}")
    for name, text in (("proved", f"proved of {len(problems)}"), ("requests", "requests"), ("seconds", "seconds")):
        print(f"{text:<22}{metrics['calm_' + name]:>11}{metrics[name]:>9}")
    print(f"{'corrupted replies':<22}{0:>11}{metrics['faults']:>9}")
    print(f"same proofs: {'yes' if metrics['same_ends'] else 'NO'}; paid for twice: {metrics['paid_twice']}; completion "
          f"tokens: {metrics['tokens_told']} told, {metrics['tokens_sent']} sent")


if __name__ == "__main__":
    main()
