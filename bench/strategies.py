#!/usr/bin/env python3
# bench: each strategy on minif2f-core at equal budgets (hours; --problems N for less)
"""Counts the problems of minif2f-core that each strategy solves, with real Lean; only accepted proofs count.

usage: strategies.py [--budget samples|tokens|time|builtin] [--problems N] [--strategies A,B] [--results FILE] [--json]

--budget samples: a simulated model that knows proofs of some problems (bench/data/minif2f-core-proofs.jsonl)
    and gets a third of its tactics right; 64 samples per problem, without the built-in policy. For hilbert, agent and
    sketch it also is the reasoner, and writes sketches: the proofs that it knows, cut at random `have`s.
--budget tokens: the same, 40,000 tokens of prompts and answers per problem.
--budget time: the same, 10 s per problem.
--budget builtin: the built-in policy alone, 60 s per problem, for the strategies that need no model.

One problem at a time. --results saves finished problems, so that an interrupted run can be resumed.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIM = ROOT / "tests/sim_model/sim_model.py"
DATA = ROOT / "bench/data/minif2f-core-valid.jsonl"
PROOFS = ROOT / "bench/data/minif2f-core-proofs.jsonl"
PROGRAM = os.environ.get("ZERMELO_PROGRAM", str(ROOT / "build/release/zermelo"))

# Equal for all: 64 samples, a third of the model's tactics correct, the first proof ends a problem.
SAMPLES, SPOIL, SEED, TOKENS = 64, 2 / 3, 1, 40_000
WITHOUT_PYTHON = ["--set", "agent.python_megabytes=0"]
BY_TEXT = ["--set", "agent.protocol=text"]
RMAXTS = ["--set", "rmaxts.workers=4"]
HILBERT = ["--set", "hilbert.extraction=lean", "--set", "hilbert.shallow_attempts=1"]
ENDLESS = {  # until the tokens or the time are used up
    "whole_proof": ["--set", "whole_proof.samples=100000", "--model", "sim"],
    "hilbert": [*HILBERT, "--set", "hilbert.sketch_attempts=1000"],
    "agent": [*BY_TEXT, *WITHOUT_PYTHON, "--set", "agent.rounds=1000"],
    "sketch": [*BY_TEXT, *WITHOUT_PYTHON, "--set", "sketch.restarts=1000"],
    "rmaxts": [*RMAXTS, "--set", "rmaxts.generations=100000", "--model", "sim"],
    "sg_mdp": ["--set", "sg_mdp.iterations=100000", "--model", "sim"],
    "best_first": ["--set", "best_first.samples_per_state=4", "--model", "sim"],
    "auto": [*RMAXTS, "--set", "whole_proof.samples=100000", "--model", "sim"],
}
BUDGETS = {
    "samples": {
        "whole_proof": ["--set", f"whole_proof.samples={SAMPLES}", "--model", "sim"],
        "rmaxts": [*RMAXTS, "--model", "sim"],
        "sg_mdp": ["--model", "sim"],
        "best_first": ["--set", "best_first.samples_per_state=4", "--model", "sim"],
        "auto": [*RMAXTS, "--set", f"whole_proof.samples={SAMPLES // 2}", "--model", "sim"],
        "hilbert": HILBERT,
        "agent": [*BY_TEXT, *WITHOUT_PYTHON],
        "sketch": [*BY_TEXT, *WITHOUT_PYTHON],
    },
    "tokens": ENDLESS,
    "time": ENDLESS,
    "builtin": {
        "sg_mdp": ["--set", "sg_mdp.iterations=100000"],
        "best_first": [],
        "auto": ["--set", "sg_mdp.iterations=100000"],
    },
}
TIMES = {"samples": "600s", "tokens": "600s", "time": "10s", "builtin": "60s"}
BASELINE = {"samples": "whole_proof", "tokens": "whole_proof", "time": "whole_proof", "builtin": "best_first"}
AGAINST = {"samples": ("rmaxts", "sg_mdp"), "tokens": ("hilbert",), "time": (), "builtin": ()}


def load(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


class Sim:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(SIM), "--proofs", str(PROOFS), "--spoil", str(SPOIL), "--sketches", "--no-log"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def prove(problem, strategy, budget, sim, folder, time):
    path = folder / "Problem.lean"
    path.write_text(problem["header"] + problem["formal_statement"].rstrip() + "\n  sorry\n", encoding="utf-8")
    command = [PROGRAM, "prove", str(path), "--json", "--quiet", "--time", time, "--workers", "1",
               "--seed", str(SEED), "--strategy", strategy, *BUDGETS[budget][strategy]]
    if sim:
        endpoint = f'endpoint = "http://127.0.0.1:{sim.port}/v1"\nmodel = "sim"\n'
        (folder / "zermelo.toml").write_text(
            f'[models.sim]\n{endpoint}format = "deepseek-prover-v1.5"\n[models.reasoner]\n{endpoint}format = "chat"\n'
            '[models.reasoner.sampling]\nmax_tokens = 2048\n[roles]\nprover = "sim"\nreasoner = "reasoner"\n',
            encoding="utf-8")
        command += ["--no-builtin", "--no-premises"]  # the model cannot answer search requests
    if budget == "samples":
        command += ["--samples", str(SAMPLES)]
    if budget == "tokens":
        command += ["--tokens", str(TOKENS)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"strategies: {' '.join(command)} exited with {done.returncode}:\n{done.stderr}")
    report = json.loads(done.stdout)
    theorem = report["theorems"][0]
    models = report.get("models", {}).values()
    return {"proved": theorem["status"] == "proved", "samples": sum(m["samples"] for m in models),
            "tokens": sum(m["prompt_tokens"] + m["completion_tokens"] for m in models), "checks": theorem["checks"],
            "seconds": round(theorem["seconds"], 2), "message": theorem.get("message", "")}


def measure(options, problems, results):
    """Fills `results` (strategy -> problem -> outcome) and saves it to the file after each problem."""
    sim = Sim() if options.budget != "builtin" else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            for problem in problems:
                for strategy in options.strategies:
                    done = results.setdefault(strategy, {})
                    if problem["name"] in done:
                        continue
                    done[problem["name"]] = prove(problem, strategy, options.budget, sim, Path(folder), options.time)
                    if options.results:
                        options.results.write_text(json.dumps(results, indent=1), encoding="utf-8")
                    outcome = done[problem["name"]]
                    print(f"{problem['name']:48} {strategy:12} {'proved' if outcome['proved'] else '-':7}"
                          f"{outcome['samples']:4} samples {outcome['seconds']:7.1f} s", file=sys.stderr, flush=True)
    finally:
        if sim:
            sim.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--budget", choices=BUDGETS, default="samples")
    parser.add_argument("--problems", type=int, help="number of problems (default: all)")
    parser.add_argument("--strategies", default="", help="names, separated by commas (default: all)")
    parser.add_argument("--time", default="", help="time limit per problem (default: by budget)")
    parser.add_argument("--results", type=Path, help="file that saves finished problems")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.strategies = options.strategies.split(",") if options.strategies else list(BUDGETS[options.budget])
    options.time = options.time or TIMES[options.budget]

    known = {p["name"] for p in load(PROOFS)}
    problems = load(DATA)
    if options.budget != "builtin":  # problems that the model does not know are skipped: no strategy could prove them
        problems = [p for p in problems if p["name"] in known]
    total, problems = len(load(DATA)), problems[:options.problems]
    results = {}
    if options.results and options.results.exists():
        results = json.loads(options.results.read_text(encoding="utf-8"))
    measure(options, problems, results)

    names = [p["name"] for p in problems]
    solved = {s: sum(results[s][n]["proved"] for n in names) for s in options.strategies}
    if options.json:
        metrics = {f"solved_{s}": count for s, count in solved.items()}
        base = solved.get(BASELINE[options.budget], 0)
        print(json.dumps({"name": "strategies", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": {"problems": len(names), **metrics},
                          "targets": {f"solved_{s}": {"op": ">=", "value": base}
                                      for s in AGAINST[options.budget] if s in solved}}))
        return
    what = f"of {total}" if options.budget == "builtin" else f"the model knows {len(known)} of {total}"
    print(f"| strategy | solved of {len(names)} ({what}) | samples | tokens | Lean documents | seconds |\n"
          "|---|---|---|---|---|---|")
    for s in options.strategies:
        rows = [results[s][n] for n in names]
        print(f"| `{s}` | {solved[s]} | {sum(r['samples'] for r in rows)} | {sum(r.get('tokens', 0) for r in rows)} "
              f"| {sum(r['checks'] for r in rows)} "
              f"| {sum(r['seconds'] for r in rows):.0f} |")


if __name__ == "__main__":
    main()
