#!/usr/bin/env python3
# bench: each strategy on minif2f-core at equal budgets (hours; --problems N for less)
"""Counts the problems of minif2f-core that each strategy solves, with real Lean; only accepted proofs count.

usage: strategies.py [--budget samples|tokens|time|builtin] [--problems N] [--strategies A,B] [--results DIR] [--json]

--budget samples: a simulated model that knows proofs of some problems (bench/data/minif2f-core-proofs.jsonl)
    and gets a third of its tactics right; 64 samples per problem, without the built-in policy. For hilbert, agent and
    sketch it also is the reasoner, and writes sketches: the proofs that it knows, cut at random `have`s.
--budget tokens: the same, 40,000 tokens of prompts and answers per problem.
--budget time: the same, 10 s per problem.
--budget builtin: the built-in policy alone, 60 s per problem, for the strategies that need no model.

One `zermelo eval` for each strategy, one problem at a time. --results keeps their folders, and a run that was
interrupted goes on there.
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
SIM = ROOT / "tests/sim_model/sim_model.py"
DATA = ROOT / "bench/data/minif2f-core-valid.jsonl"
PROOFS = ROOT / "bench/data/minif2f-core-proofs.jsonl"
PROGRAM = os.environ.get("ZERMELO_PROGRAM", str(ROOT / "build/release/zermelo"))

# Equal for all: 64 samples, a third of the model's tactics correct, the first proof ends a problem.
SAMPLES, SPOIL, SEED, TOKENS = 64, 2 / 3, 1, 40_000
WITHOUT_PYTHON = ["--set", "agent.python_megabytes=0"]
BY_TEXT = ["--set", "agent.protocol=text"]
SIM_MODEL = ["--model", "sim"]
RMAXTS = ["--set", "rmaxts.workers=4"]
HILBERT = ["--set", "hilbert.extraction=lean", "--set", "hilbert.shallow_attempts=1"]
ENDLESS = {  # until the tokens or the time are used up
    "whole_proof": ["--set", "whole_proof.samples=100000", *SIM_MODEL],
    "hilbert": [*HILBERT, "--set", "hilbert.sketch_attempts=1000"],
    "agent": [*BY_TEXT, *WITHOUT_PYTHON, "--set", "agent.rounds=1000"],
    "sketch": [*BY_TEXT, *WITHOUT_PYTHON, "--set", "sketch.restarts=1000"],
    "rmaxts": [*RMAXTS, "--set", "rmaxts.generations=100000", *SIM_MODEL],
    "sg_mdp": ["--set", "sg_mdp.iterations=100000", *SIM_MODEL],
    "best_first": ["--set", "best_first.samples_per_state=4", *SIM_MODEL],
    "auto": [*RMAXTS, "--set", "rmaxts.generations=100000", *SIM_MODEL],  # whole proofs only at first
}
BUDGETS = {
    "samples": {
        "whole_proof": ["--set", f"whole_proof.samples={SAMPLES}", *SIM_MODEL],
        "rmaxts": [*RMAXTS, *SIM_MODEL],
        "sg_mdp": SIM_MODEL,
        "best_first": ["--set", "best_first.samples_per_state=4", *SIM_MODEL],
        "auto": [*RMAXTS, "--set", f"whole_proof.samples={SAMPLES // 2}", *SIM_MODEL],
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
LIMITS = {"samples": f"1x{SAMPLES},600s", "tokens": f"{TOKENS}tok,600s", "time": "10s", "builtin": "60s"}
BASELINE = {"samples": "whole_proof", "tokens": "whole_proof", "time": "whole_proof", "builtin": "best_first"}
AGAINST = {"samples": ("rmaxts", "sg_mdp"), "tokens": ("hilbert",), "time": (), "builtin": ()}


def load(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


class Sim:
    """The simulated model, as `zermelo.toml` in `folder` has it. It keeps its port, which belongs to an evaluation."""

    def __init__(self, folder):
        config = folder / "zermelo.toml"
        known = re.search(r":(\d+)/v1", config.read_text(encoding="utf-8")) if config.exists() else None
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(SIM), "--proofs", str(PROOFS), "--spoil", str(SPOIL), "--sketches", "--no-log",
             "--port", known[1] if known else "0"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = json.loads(self.process.stdout.readline())["port"]
        endpoint = f'endpoint = "http://127.0.0.1:{port}/v1"\nmodel = "sim"\n'
        config.write_text(
            f'[models.sim]\n{endpoint}format = "deepseek-prover-v1.5"\n[models.reasoner]\n{endpoint}format = "chat"\n'
            '[models.reasoner.sampling]\nmax_tokens = 2048\n[roles]\nprover = "sim"\nreasoner = "reasoner"\n',
            encoding="utf-8")
        self.arguments = ["--config", config, "--no-builtin", "--no-premises"]  # it cannot answer search requests

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def evaluate(strategy, options, problems, model, folder):
    """The results of one strategy: by problem, lines of results.jsonl."""
    out = folder / f"{options.budget}-{strategy}"
    command = [PROGRAM, "eval", problems, "--out", out, "--json", "--jobs", "1", "--workers", "1", "--seed", str(SEED),
               "--budget", options.limits, "--strategy", strategy, *BUDGETS[options.budget][strategy], *model]
    print(f"{strategy}:", file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    results = {}
    if (out / "results.jsonl").exists():
        results = {result["problem"]: result for result in load(out / "results.jsonl")}
    if len(results) < len(load(problems)):
        sys.exit(f"strategies: {' '.join(map(str, command))} exited with {done.returncode}")
    return list(results.values())


def measure(options, problems, folder):
    """strategy -> its results."""
    dataset = folder / f"{options.budget}-problems.jsonl"
    dataset.write_text("".join(json.dumps(problem) + "\n" for problem in problems), encoding="utf-8")
    sim = Sim(folder) if options.budget != "builtin" else None
    try:
        model = sim.arguments if sim else []
        return {s: evaluate(s, options, dataset, model, folder) for s in options.strategies}
    finally:
        if sim:
            sim.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--budget", choices=BUDGETS, default="samples")
    parser.add_argument("--problems", type=int, help="number of problems (default: all)")
    parser.add_argument("--strategies", default="", help="names, separated by commas (default: all)")
    parser.add_argument("--limits", default="", help="as of `zermelo eval --budget` (default: by budget)")
    parser.add_argument("--results", type=Path, help="folder that keeps what was done")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.strategies = options.strategies.split(",") if options.strategies else list(BUDGETS[options.budget])
    options.limits = options.limits or LIMITS[options.budget]

    known = {p["name"] for p in load(PROOFS)}
    problems = load(DATA)
    if options.budget != "builtin":  # problems that the model does not know are skipped: no strategy could prove them
        problems = [p for p in problems if p["name"] in known]
    total, problems = len(load(DATA)), problems[:options.problems]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.results or Path(temporary)
        folder.mkdir(exist_ok=True)
        results = measure(options, problems, folder.resolve())
    solved = {s: sum(result["outcome"] == "proved" for result in results[s]) for s in options.strategies}
    if options.json:
        metrics = {f"solved_{s}": count for s, count in solved.items()}
        base = solved.get(BASELINE[options.budget], 0)
        print(json.dumps({"name": "strategies", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": {"problems": len(problems), **metrics},
                          "targets": {f"solved_{s}": {"op": ">=", "value": base}
                                      for s in AGAINST[options.budget] if s in solved}}))
        return
    what = f"of {total}" if options.budget == "builtin" else f"the model knows {len(known)} of {total}"
    print(f"| strategy | solved of {len(problems)} ({what}) | samples | tokens | Lean documents | seconds |\n"
          "|---|---|---|---|---|---|")
    for s in options.strategies:
        used = [use for result in results[s] for use in result["models"].values()]
        print(f"| `{s}` | {solved[s]} | {sum(use['samples'] for use in used)} "
              f"| {sum(use['prompt_tokens'] + use['completion_tokens'] for use in used)} "
              f"| {sum(use['checks'] for result in results[s] for use in result['lean_by_role'].values())} "
              f"| {sum(result['cost']['seconds'] for result in results[s]):.0f} |")


if __name__ == "__main__":
    main()
