#!/usr/bin/env python3
# bench: a simulation of searches and of training on 1 to 1,000 Leans, checked with waiting ones here (2 minutes)
"""usage: scale-simulation.py [PART...] [--seed N] [--json]

A discrete-event simulation (docs/scale.md) of

    search      many RMaxTS searches at once: theorems proved, use of the Leans, where more of them stop helping
    one         one RMaxTS search with more and more generations in flight
    training    steps of reinforcement learning with stragglers, timeouts and nodes that fail
    results     its model of a search against docs/results.md: theorems proved with 64 samples each
    check       its predictions for 1, 2 and 4 waiting Leans against the program on this machine

and, named alone, `lean-seconds`, which measures the service times of Lean in bench/data/lean-seconds.json: the
processor seconds of checks of bench/data/lean-trace.jsonl by one embedded Lean. Equal seeds give equal figures.
The model is in programs/scale_model.py, whose Measured and Assumed name the source of every number.
"""
import argparse
import asyncio
import importlib.util
import json
import math
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench/programs"))

from scale_model import Clock, Measured, Searches, Station, Training  # noqa: E402

DATA = ROOT / "bench/data"


# ------------------------------------------------------------------------ parts


def recorded_checks():
    return json.loads((DATA / "lean-seconds.json").read_text(encoding="utf-8"))["seconds"]


def table(title, rows):
    print(f"\n{title}")
    names = list(rows[0])
    print("  ".join(f"{name:>{max(9, len(name))}}" for name in names))
    for row in rows:
        print("  ".join(f"{row[name]:>{max(9, len(name))}.4g}" for name in names), flush=True)


def when(times, nth):
    return times[nth - 1] if len(times) >= nth else math.nan


def search_part(options):
    """Twenty minutes of searches, half as many as Leans, eight generations in flight each."""
    metrics = {}
    for title, gpus in (("a GPU for 40 Leans", None), ("8 GPUs", 8)):
        rows = []
        for leans, processes in ((1, 1), (4, 1), (16, 1), (64, 1), (250, 1), (1000, 1), (1000, 4)):
            if gpus and (leans < 16 or processes > 1):
                continue
            run = Searches(options.seed, recorded_checks(), leans, gpus or max(1, leans // 40), max(1, leans // 2), 8,
                           seconds=1200, processes=processes).run()
            rows.append({"leans": leans, "processes": processes, "gpus": len(run.gpus), **run.figures(),
                         "to_10th_s": when(run.proofs, 10), "to_100th_s": when(run.proofs, 100)})
            metrics[f"search_{leans}_{processes}_{len(run.gpus)}_per_s"] = rows[-1]["per_s"]
        table(f"Searches with {title}: Leans/2 at once, 8 generations in flight each", rows)
    return metrics


SAMPLE = 64  # searches, for a mean


def one_part(options):
    rows = []
    for in_flight in (1, 4, 16, 64, 256, 1000):
        runs = [Searches(options.seed + i, recorded_checks(), 1000, 8, 1, in_flight, 1, most=6400, lengths=(5,),
                         failures=False).run() for i in range(SAMPLE)]
        rows.append({"in_flight": in_flight, "seconds": sum(run.clock.now for run in runs) / len(runs),
                     "begun": sum(run.started for run in runs) / len(runs),
                     "checked": sum(run.generations for run in runs) / len(runs)})
    for row in rows:
        row["faster"] = rows[0]["seconds"] / row["seconds"]
    table(f"One search for a proof of 5 tactics with 1,000 Leans and 8 GPUs (mean of {SAMPLE})", rows)
    return {"one_faster_16": rows[2]["faster"], "one_faster_1000": rows[-1]["faster"]}


def training_part(options):
    rows = []
    for leans in (64, 128, 250, 500, 1000, 2000):
        row = {"leans": leans}
        for name, changes in (("step", {}), ("step_98%", {"wanted": 0.98}), ("overlapped", {"overlapped": True}),
                              ("no_failures", {"failures": False})):
            figures = Training(options.seed, recorded_checks(), leans, 8, **changes).run().figures()
            row[name] = figures["step_seconds"]
            if not changes:
                row.update({key: figures[key] for key in ("tail_seconds", "lean_use", "gpu_use", "thread_use",
                                                          "lost_checks")})
        rows.append(row)
    table("Training with 4,096 proofs a step and 8 GPUs: seconds a step", rows)
    return {f"training_step_{row['leans']}": row["step"] for row in rows}


def results_part(options):
    """docs/results.md, equal samples: rmaxts.workers=4, 64 samples each, one Lean."""
    proved, samples = [], []
    for i in range(20):
        run = Searches(options.seed + i, recorded_checks(), 1, 1, 1, 4, 29, most=64, failures=False, factor=1).run()
        proved.append(len(run.proofs))
        samples.append(run.generations)
    figures = {"results_proved": sum(proved) / 20, "results_samples": sum(samples) / 20,
               "results_proved_measured": 23, "results_samples_measured": 728}
    table("29 theorems of minif2f-core with 64 samples each (mean of 20)", [figures])
    return figures


# ------------------------------------------------------------- on this machine


def module(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), ROOT / f"bench/{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def service_times(count, seed):
    """Milliseconds of checks for waiting Leans: a few of them are stragglers."""
    rng = random.Random(seed)
    return [1500 if rng.random() < 0.05 else rng.randrange(60, 300) for _ in range(count)]


def predicted_step(waits, leans, loop):
    clock = Clock()
    thread, station = Station(clock, 1), Station(clock, leans)
    for wait in waits:
        thread.submit(loop, lambda wait=wait: station.submit(wait / 1000, lambda: None))
    clock.run()
    return clock.now, station.use()


def check_training(scale, leans, seed):
    """One step's rewards by a real `serve` with so many waiting Leans."""
    waits = service_times(40 * leans, seed)
    texts = [f"-- fake: slow {wait}\ntheorem t{n} (a : Nat) : a + {n} = {n} + a := by omega\n"
             for n, wait in enumerate(waits)]
    connection = scale.serve_load().Connection
    with scale.server(leans, len(texts) + 64) as (_, host, port):
        def connect():
            return connection(host, port)
        warm = [f"-- fake: slow 300\ntheorem w{n} (a : Nat) : a = a := by rfl\n" for n in range(leans)]
        asyncio.run(scale.check_all(connect, warm, leans))
        began = time.monotonic()
        wrong = asyncio.run(scale.check_all(connect, texts, len(texts)))
        return time.monotonic() - began, wrong


def rmaxts_run(scale, leans, generations, folder, address):
    """(seconds from the first to the last event, generations, checks) of a real RMaxTS search."""
    (folder / "zermelo.toml").write_text(
        f'[models.sim]\nendpoint = "{address}"\nmodel = "sim"\nformat = "deepseek-prover-v1.5"\n', encoding="utf-8")
    (folder / "game.lean").write_text("-- fake: slow 400\ntheorem p0 : 40 := by\n  sorry\n", encoding="utf-8")
    database = folder / f"{leans}-{generations}.db"
    command = [scale.PROGRAM, "prove", folder / "game.lean", "--model", "sim", "--strategy", "rmaxts", "--set",
               f"rmaxts.workers={2 * leans}", "--set", f"rmaxts.generations={generations}", "--workers", leans,
               "--no-builtin", "--no-premises", "--no-learning", "--time", "10m", "--run-db", database, "--config",
               folder / "zermelo.toml", "--quiet", *scale.FAKE]
    scale.run(command, folder, codes=(0, 1, 3))
    lines = subprocess.run([scale.PROGRAM, "events", "1", "--jsonl", "--run-db", str(database)], stdout=subprocess.PIPE,
                           check=True).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    checks = [event["at"] for event in events if event["kind"] == "checked"]
    begun = [event["at"] for event in events if event["kind"] == "generated_begun"]
    return max(checks) - min(begun), len(begun), sum(at >= min(begun) for at in checks)


def predicted_search(leans, generations, checks, delay, seconds, loop):
    """A search with 2 * leans generations in flight; a share of them has a second check, or none."""
    clock = Clock()
    thread, station = Station(clock, 1), Station(clock, leans)
    state = {"begun": 0, "due": 0.0}

    def begin():
        if state["begun"] < generations:
            state["begun"] += 1
            clock.after(delay, lambda: thread.submit(loop, generated))

    def generated():
        state["due"] += checks / generations
        count = int(state["due"] + 1e-9)
        state["due"] -= count
        check(count)

    def check(left):
        if left == 0:
            begin()
        else:
            station.submit(seconds, lambda: check(left - 1))
    for _ in range(2 * leans):
        begin()
    clock.run()
    return clock.now


def check_part(options):
    scale, rows, worst, wrong = module("scale"), [], 0.0, 0
    measured = Measured()
    for leans in (1, 2, 4):
        predicted, use = predicted_step(service_times(40 * leans, options.seed), leans, measured.loop_serve)
        seconds, errors = check_training(scale, leans, options.seed)
        wrong += errors
        rows.append({"leans": leans, "predicted_s": predicted, "measured_s": seconds,
                     "difference_%": 100 * (seconds / predicted - 1), "lean_use": use, "load": scale.load()})
    table("Rewards of a training step (40 a Lean) by `serve`", rows)
    worst = max(abs(row["difference_%"]) for row in rows)
    rows = []
    with tempfile.TemporaryDirectory(prefix="scale-") as name:
        folder = Path(name)
        (folder / "known.jsonl").write_text(json.dumps(
            {"name": "p0", "statement": "theorem p0 : 40", "proof": "\n".join(["dec"] * 40 + ["zero"])}) + "\n",
            encoding="utf-8")
        with scale.sim_model("--delay", 0.3, "--proofs", folder / "known.jsonl", "--spoil", 2 / 3) as address:
            for leans in (1, 2, 4):
                seconds, generations, checks = rmaxts_run(scale, leans, 30 * leans, folder, address)
                predicted = predicted_search(leans, generations, checks, 0.3, 0.4, measured.loop_search)
                rows.append({"leans": leans, "generations": generations, "checks": checks, "predicted_s": predicted,
                             "measured_s": seconds, "difference_%": 100 * (seconds / predicted - 1),
                             "load": scale.load()})
    table("RMaxTS with two generations in flight for each Lean", rows)
    worst_search = max(abs(row["difference_%"]) for row in rows)
    return {"check_training_difference_percent": worst, "check_search_difference_percent": worst_search,
            "check_wrong": wrong}


def measure_lean_seconds():
    """Every third candidate of the trace, in its order, on one Lean that keeps prefixes; kernel off, as in a search."""
    remote, scale = module("remote-checks"), module("scale")
    lines = (DATA / "lean-trace.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [row["before"] + row["candidate"] for row in map(json.loads, lines)][::3]
    worker = remote.Worker([remote.LEAN, "-Dserver.reportDelayMs=0", "-Ddebug.skipKernelTC=true", "-Dlinter.all=false",
                            "--worker", "file:///tmp/Zermelo.lean"], remote.environment({}), False)
    seconds = []
    try:
        for text in texts[:16] + texts:  # the first ones compile WebAssembly
            before = scale.processor_seconds_of_all(worker.process.pid)
            worker.check(text)
            seconds.append(round(scale.processor_seconds_of_all(worker.process.pid) - before, 2))
    finally:
        worker.process.kill()
        worker.process.wait()
    seconds = seconds[16:]
    (DATA / "lean-seconds.json").write_text(json.dumps(
        {"what": "processor seconds of checks of every third candidate of lean-trace.jsonl by one embedded Lean 4.28, "
                 "kernel off (./zermelo bench scale-simulation lean-seconds)", "seconds": sorted(seconds)}) + "\n",
        encoding="utf-8")
    print(f"{len(seconds)} checks, mean {sum(seconds) / len(seconds):.3f} s, most {max(seconds):.2f} s")


PARTS = {"results": results_part, "search": search_part, "one": one_part, "training": training_part,
         "check": check_part}
TARGETS = {"check_training_difference_percent": 15, "check_search_difference_percent": 15, "check_wrong": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.parts == ["lean-seconds"]:
        return measure_lean_seconds()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'")
    metrics = {}
    out, sys.stdout = sys.stdout, sys.stderr if options.json else sys.stdout
    for part in options.parts or PARTS:
        metrics.update(PARTS[part](options))
    sys.stdout = out
    if options.json:
        print(json.dumps({"name": "scale-simulation", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": {name: {"op": "<=", "value": value}
                                                          for name, value in TARGETS.items() if name in metrics}}))
    return sys.exit(any(metrics.get(name, 0) > value for name, value in TARGETS.items()))


if __name__ == "__main__":
    main()
