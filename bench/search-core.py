#!/usr/bin/env python3
# bench: the search tree: select, backup, memory, growth to ten million nodes, 32 workers (30 seconds)
"""Times src/search on trees grown with invented expansions (one to eight steps, 64 possible next states, 32
expansions in flight).

usage: search-core.py [--nodes N] [--max-nodes N] [--build DIR] [--json]

Baseline, measured in the same run: nodes as objects with their children in an unordered_map, every score computed
as printed. Wall time in one thread, medians of nine rounds of 20,000 iterations; select includes reading
the clock. A level is a node at which an arm is chosen.
"""
import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {
    "select_ns_per_level_ucb1": {"op": "<=", "value": 1000},
    "select_ns_per_level_ducb": {"op": "<=", "value": 1000},
    "select_ns_per_level_swucb": {"op": "<=", "value": 1000},
    "bytes_per_node_ucb1": {"op": "<=", "value": 160},
    "bytes_per_node_ducb": {"op": "<=", "value": 160},
    "bytes_per_node_swucb": {"op": "<=", "value": 160},
}
ROWS = [
    ("select, ns a level (target <= 1000)", "select_ns_per_level_"),
    ("select and backup, ns", "select_backup_ns_"),
    ("levels of a select", "levels_"),
    ("arms looked at in a select", "arms_"),
    ("memory, bytes a node (target <= 160)", "bytes_per_node_"),
    ("iterations a second, 32 workers", "iterations_per_s_"),
]
HISTORY = [(f"backup of 5 levels after {n} rewards, ns", f"backup_ns_after_{n}_") for n in ("1e2", "1e4", "1e6")]


def measure(build, nodes, max_nodes):
    made = subprocess.run(["cmake", "--build", build, "--target", "search_core_bench"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        sys.exit(made.stdout + "search-core: the build failed")
    run = subprocess.run([build / "src/search/search_core_bench", str(nodes), str(max_nodes)],
                         stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout)


def print_table(title, columns, rows, metrics):
    print(f"{title:<40}" + "".join(f"{column:>10}" for column in columns))
    for text, key in rows:
        cells = [metrics.get(key + column) for column in columns]
        print(f"{text:<40}" + "".join(f"{'' if cell is None else format(cell, cell_format(cell)):>10}"
                                      for cell in cells))
    print()


def cell_format(value):
    return ",.0f" if value >= 100 else ".1f"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--max-nodes", type=int, default=10_000_000)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    metrics = measure(args.build, args.nodes, args.max_nodes)
    if args.json:
        print(json.dumps({"name": "search-core", "machine": platform.node(), "metrics": metrics,
                          "targets": TARGETS}))
        return
    print_table(f"a tree of {args.nodes:,} nodes", ["baseline", "ucb1", "ducb", "swucb"], ROWS + HISTORY, metrics)
    sizes = [f"1e{power}" for power in range(3, 12) if f"levels_1e{power}" in metrics]
    print_table("growth, ducb", sizes, ROWS[:-1], metrics)


if __name__ == "__main__":
    main()
