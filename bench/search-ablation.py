#!/usr/bin/env python3
# bench: single pass, UCT and RMaxTS with each bandit on synthetic theorems, equal budgets (1 minute)
"""Pass rates of the searches of DeepSeek-Prover-V1.5's figure 4 and table 8 on a synthetic proof space
(docs/search.md): random graphs of tactic states in which many tactics lead to the same state and few
paths reach the goal. 32 generations are in flight at once; a budget counts generations.

usage: search-ablation.py [--theorems N] [--runs N] [--budget N] [--first N]
                          [--convention paper|reference_code] [--build DIR] [--json]

Every search gets the same theorems. A pass rate is the mean over runs with different seeds, and the
deviation is that of the runs, as in the paper (its section B: 1/n). The space was fixed before
any search was compared on it; theorems below 1,000,000 were examined while it was written, the default
ones were not.
"""
import argparse
import json
import platform
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The method, and the paper's pass rates on miniF2F-test with 4 x 6400 and 16 x 6400 samples.
METHODS = [
    ("single_pass", "58.4 ± 0.5  60.2"),
    ("uct", "58.2 ± 0.3  61.1"),
    ("rmaxts_ucb1", "58.6 ± 0.3  60.7"),
    ("rmaxts_swucb32", "58.2 ± 0.5  61.1"),
    ("rmaxts_swucb64", "59.1 ± 0.4  61.9"),
    ("rmaxts_swucb128", "58.4 ± 0.4  61.5"),
    ("rmaxts_ducb", "59.6 ± 0.6  62.7"),
]
# The paper's order: (method, method that it should not be worse than).
ORDER = [("rmaxts_ducb", "single_pass"), ("rmaxts_ducb", "uct"), ("rmaxts_ducb", "rmaxts_ucb1"),
         ("rmaxts_ducb", "rmaxts_swucb64"), ("rmaxts_swucb64", "rmaxts_ucb1")]


def measure(args):
    made = subprocess.run(["cmake", "--build", args.build, "--target", "search_ablation_bench"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        sys.exit(made.stdout + "search-ablation: the build failed")
    numbers = [args.first, args.theorems, args.runs, args.budget]
    run = subprocess.run([args.build / "src/search/search_ablation_bench", *map(str, numbers), args.convention],
                         stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def rates(runs, budget):
    """Pass rate of each run, in percent."""
    return [100 * sum(samples <= budget for samples in run) / len(run) for run in runs]


def spread(values):
    return statistics.mean(values), statistics.pstdev(values)


def difference(better, worse, budget):
    """Difference of the pass rates, and its standard error."""
    values = [a - b for a, b in zip(rates(better, budget), rates(worse, budget))]
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return statistics.mean(values), error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--theorems", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", type=int, default=6400)
    parser.add_argument("--first", type=int, default=1_000_000)
    parser.add_argument("--convention", choices=["paper", "reference_code"], default="paper")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    results = measure(args)
    theorems = results.pop("theorems")
    budgets = [args.budget // 64, args.budget // 16, args.budget // 4, args.budget]
    expected = 100 * statistics.mean(1 - (1 - chance) ** args.budget for _, chance in theorems)

    metrics, targets = {"single_pass_expected": expected}, {}
    for method, _ in METHODS:
        for budget in budgets:
            mean, deviation = spread(rates(results[method], budget))
            metrics[f"{method}_{budget}"], metrics[f"{method}_{budget}_sd"] = mean, deviation
    for better, worse in ORDER:
        name = f"{better}_minus_{worse}"
        metrics[name], metrics[name + "_se"] = difference(results[better], results[worse], args.budget)
        targets[name] = {"op": ">=", "value": 0}
    if args.json:
        print(json.dumps({"name": "search-ablation", "machine": platform.node(), "metrics": metrics,
                          "targets": targets}))
        return
    print(f"{args.theorems} theorems, {args.runs} runs, convention {args.convention}; pass rates in percent\n")
    print(f"{'samples':<17}" + "".join(f"{budget:>15}" for budget in budgets) + "   the paper (miniF2F)")
    for method, paper in METHODS:
        cells = [f"{metrics[f'{method}_{b}']:.1f} ± {metrics[f'{method}_{b}_sd']:.1f}" for b in budgets]
        print(f"{method:<17}" + "".join(f"{cell:>15}" for cell in cells) + f"   {paper}")
    print(f"\nsingle_pass with {args.budget} samples, computed from the graphs: {expected:.1f}")
    for better, worse in ORDER:
        name = f"{better}_minus_{worse}"
        print(f"{better} - {worse}: {metrics[name]:+.1f} (standard error {metrics[name + '_se']:.1f}, target >= 0)")


if __name__ == "__main__":
    main()
