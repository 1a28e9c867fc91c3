#!/usr/bin/env python3
# bench: a simulation of searches and of training on 1 to 1,000 Leans, checked with waiting ones here (2 minutes)
"""usage: scale-simulation.py [PART...] [--seed N] [--json]

A discrete-event simulation, with a heap of its own (docs/scale.md says why), of

    search      many RMaxTS searches at once: theorems proved, use of the Leans, where more of them stop helping
    one         one RMaxTS search with more and more generations in flight
    training    steps of reinforcement learning with stragglers, timeouts and nodes that fail
    results     its model of a search against docs/results.md: theorems proved with 64 samples each
    check       its predictions for 1, 2 and 4 waiting Leans against the program on this machine

and, named alone, `lean-seconds`, which measures the service times of Lean in bench/data/lean-seconds.json: the
processor seconds of checks of bench/data/lean-trace.jsonl by one embedded Lean. Equal seeds give equal figures.
MEASURED and ASSUMED below name the source of every number.
"""
import argparse
import asyncio
import collections
import dataclasses
import heapq
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
DATA = ROOT / "bench/data"


@dataclasses.dataclass(frozen=True)
class Measured:
    """Of this program, on two cores of an AMD EPYC."""
    loop_search: float = 0.0007  # processor seconds of Zermelo per generation and its check (bench scale searches)
    loop_serve: float = 0.0002   # … per request to `serve` (bench scale serve)
    # Tactics of the known proofs of bench/data/minif2f-core-proofs.jsonl.
    lengths: tuple = (1,) * 9 + (2,) * 5 + (3,) * 4 + (4,) * 3 + (5, 6, 8, 9, 9, 9, 9, 10)
    right: float = 1 / 3         # a tactic of the model of docs/results.md is right


@dataclasses.dataclass(frozen=True)
class Assumed:
    """Of hardware and models that were not here."""
    tokens: float = 600          # of a proof, mean (a prover without a chain of thought)
    spread: float = 0.8          # sigma of their logarithm
    gpu_tokens: float = 8000     # a second, of a 7B model on one GPU, with many sequences at once
    gpu_half: float = 64         # sequences at which a GPU reaches half of that
    gpu_slots: int = 256         # sequences at once
    mathlib: float = 20          # times the processor seconds of a check in core Lean
    aside: float = 0.2           # wrong tactics that Lean accepts, but that lead nowhere
    timeouts: float = 0.005      # checks that take the whole limit
    limit: float = 60            # seconds of a check
    node_cores: int = 32         # Leans that fail together
    node_hours: float = 24       # mean time between failures of a node, as where nodes are preempted
    repair: float = 1800         # seconds until its Leans are back
    training: float = 60         # seconds to update the model once


# ------------------------------------------------------------------- the clock


class Clock:
    """Actions in the order of their times, and of their creation where these are equal."""

    def __init__(self):
        self.now, self._heap, self._made = 0.0, [], 0

    def after(self, delay, action):
        self._made += 1
        heapq.heappush(self._heap, (self.now + delay, self._made, action))

    def run(self, ended=lambda: False):
        """Until there is nothing to do, or it has ended."""
        while self._heap and not ended():
            self.now, _, action = heapq.heappop(self._heap)
            action()


class Station:
    """Servers behind one queue, first come, first served. The job of a server that fails goes to the queue's head."""

    def __init__(self, clock, servers):
        self.clock, self.servers, self.queue = clock, servers, collections.deque()
        self.free, self.running, self.busy, self.lost = collections.deque(range(servers)), {}, 0.0, 0

    def submit(self, seconds, done):
        self.queue.append((seconds, done))
        self._start()

    def _start(self):
        while self.queue and self.free:
            server = self.free.popleft()
            run = self.running[server] = (self.queue.popleft(), self.clock.now)
            self.clock.after(run[0][0], lambda server=server, run=run: self._end(server, run))

    def _end(self, server, run):
        if self.running.get(server) is not run:
            return  # the server failed meanwhile
        (_, done), began = self.running.pop(server)
        self.busy += self.clock.now - began
        self.free.append(server)
        self._start()
        done()

    def fail(self, servers, repair):
        for server in servers:
            run = self.running.pop(server, None)
            if run:
                self.lost += 1
                self.busy += self.clock.now - run[1]
                self.queue.appendleft(run[0])
            elif server in self.free:
                self.free.remove(server)
            else:
                continue  # it is down already
            self.clock.after(repair, lambda server=server: self._back(server))
        self._start()

    def _back(self, server):
        self.free.append(server)
        self._start()

    def use(self):
        return (self.busy + sum(self.clock.now - began for _, began in self.running.values())) / max(
            self.clock.now * self.servers, 1e-9)


class Gpu:
    """Decodes up to `slots` sequences at once, n of them at rate / (n + half) tokens a second each."""

    def __init__(self, clock, rate, half, slots):
        self.clock, self.rate, self.half, self.slots = clock, rate, half, slots
        self.queue, self.ends, self.made, self.version = collections.deque(), [], 0, 0
        self.written, self.since, self.tokens = 0.0, 0.0, 0.0  # tokens of a sequence that never ends

    def load(self):
        return len(self.ends) + len(self.queue)

    def submit(self, tokens, done):
        self._write()
        self.queue.append((tokens, done))
        self._go_on()

    def _write(self):
        n = len(self.ends)
        more = (self.clock.now - self.since) * self.rate / (n + self.half) if n else 0.0
        self.written, self.since, self.tokens = self.written + more, self.clock.now, self.tokens + n * more

    def _go_on(self):
        while self.queue and len(self.ends) < self.slots:
            tokens, done = self.queue.popleft()
            self.made += 1
            heapq.heappush(self.ends, (self.written + tokens, self.made, done))
        self.version += 1
        if self.ends:
            left = max(0.0, self.ends[0][0] - self.written) * (len(self.ends) + self.half) / self.rate
            self.clock.after(left, lambda version=self.version: self._wake(version))

    def _wake(self, version):
        if version != self.version:
            return  # another sequence has begun or ended meanwhile
        self._write()
        self.written = max(self.written, self.ends[0][0])
        _, _, done = heapq.heappop(self.ends)
        self._go_on()
        done()

    def use(self):
        return self.tokens / max(self.clock.now * self.rate, 1e-9)


def nodes_fail(clock, station, rng, model, ended):
    """Nodes fail at random, with the Leans on them."""
    nodes = math.ceil(station.servers / model.node_cores)

    def fail():
        if not ended():
            node = rng.randrange(nodes) * model.node_cores
            station.fail(range(node, min(node + model.node_cores, station.servers)), model.repair)
            clock.after(rng.expovariate(nodes / (3600 * model.node_hours)), fail)
    clock.after(rng.expovariate(nodes / (3600 * model.node_hours)), fail)


# -------------------------------------------------------------- a search's tree

ASIDES = 4  # states to which the wrong tactics of a state lead, if not to an error


class Tree:
    """RMaxTS (docs/strategies.md) with DUCB on a theorem whose proof is a chain of so many tactics.

    A generation continues the selected state until its first error; each of its tactics is right with probability
    `right`. A wrong one is an error, or, with probability `aside`, leads to one of ASIDES states from which no proof
    follows.
    """
    GAMMA = 0.99

    def __init__(self, steps, right, aside, rng):
        self.steps, self.right, self.aside, self.rng = steps, right, aside, rng
        self.depth, self.parent, self.children = [0], [None], [{}]
        self.arms = [{None: [0.0, 0.0, 0]}]  # by child, None is "expand here": reward, visits, pending

    def score(self, arm, total):
        reward, visits, pending = arm
        kept = self.GAMMA ** pending
        visits = visits * kept + (1 - kept) / (1 - self.GAMMA)
        if visits == 0:
            return math.inf
        return reward * kept / visits + math.sqrt(2 * math.log(max(total, 1)) / visits)

    def begin(self):
        node = 0
        while True:
            total = sum(arm[1] + arm[2] for arm in self.arms[node].values())
            scores = {child: self.score(arm, total) for child, arm in self.arms[node].items()}
            best = max(scores.values())
            child = self.rng.choice([c for c, score in scores.items() if score == best])
            self.arms[node][child][2] += 1
            if child is None:
                return node
            node = child

    def path(self, node):
        child = None
        while node is not None:
            yield self.arms[node][child]
            node, child = self.parent[node], node

    def child(self, node, what):
        """The state after a tactic, and whether it is new; `what`: its depth, or ("aside", which)."""
        known = self.children[node].get(what)
        if known is not None:
            return known, False
        self.depth.append(what if isinstance(what, int) else None)
        self.parent.append(node)
        self.children.append({})
        self.arms.append({None: [0.0, 0.0, 0]})
        self.children[node][what] = added = len(self.depth) - 1
        self.arms[node][added] = [0.0, 0.0, 0]
        return added, True

    def end(self, selected):
        """Adds a generation; True if it completes a proof."""
        node, new, proved = selected, False, False
        while not proved:
            depth = self.depth[node]
            if depth is not None and self.rng.random() < self.right:
                if depth + 1 == self.steps:
                    proved = True
                    break
                node, added = self.child(node, depth + 1)
            elif self.rng.random() < self.aside:
                node, added = self.child(node, ("aside", self.rng.randrange(ASIDES)))
            else:
                break
            new = new or added
        for arm in self.path(selected):
            arm[0] = self.GAMMA * arm[0] + float(new)
            arm[1] = self.GAMMA * arm[1] + 1
            arm[2] -= 1
        return proved


# ------------------------------------------------------------------ simulations


def lean_seconds(rng, measured, factor=1.0, timeouts=0.0, limit=math.inf):
    """The service time of one check."""
    return limit if rng.random() < timeouts else min(limit, factor * rng.choice(measured))


def tokens_of(rng, model):
    return max(1.0, rng.lognormvariate(math.log(model.tokens) - model.spread ** 2 / 2, model.spread))


class Searches:
    """So many searches at once, each for one theorem, until `theorems` have ended, or until `seconds` have passed."""

    def __init__(self, seed, checks, leans, gpus, at_once, in_flight, theorems=None, seconds=math.inf, processes=1,
                 most=640, measured=Measured(), model=Assumed(), factor=None, lengths=None, failures=True):
        self.rng, self.clock, self.measured, self.model = random.Random(seed), Clock(), measured, model
        self.checks, self.factor = checks, model.mathlib if factor is None else factor
        self.leans = Station(self.clock, leans)
        self.loops = [Station(self.clock, 1) for _ in range(processes)]
        self.gpus = [Gpu(self.clock, model.gpu_tokens, model.gpu_half, model.gpu_slots) for _ in range(gpus)]
        self.theorems, self.seconds = math.inf if theorems is None else theorems, seconds
        self.in_flight, self.most = in_flight, most
        self.lengths = lengths or measured.lengths
        self.begun, self.ended, self.proofs = 0, 0, []
        self.started, self.generations = 0, 0  # begun, and checked
        if failures:
            nodes_fail(self.clock, self.leans, self.rng, model, self.done)
        for search in range(int(min(at_once, self.theorems))):
            self.next_theorem(search % processes)

    def done(self):
        return self.ended >= self.theorems or self.clock.now >= self.seconds

    def run(self):
        self.clock.run(self.done)
        return self

    def next_theorem(self, process):
        if self.begun >= self.theorems:
            return
        steps = self.rng.choice(self.lengths) if self.theorems == math.inf else self.lengths[self.begun % len(self.lengths)]
        self.begun += 1
        search = {"tree": Tree(steps, self.measured.right, self.model.aside, self.rng), "over": False, "begun": 0,
                  "back": 0, "process": process}
        for _ in range(min(self.in_flight, self.most)):
            self.generate(search)

    def generate(self, search):
        search["begun"] += 1
        self.started += 1
        node = search["tree"].begin()
        gpu = min(self.gpus, key=Gpu.load)
        gpu.submit(tokens_of(self.rng, self.model), lambda: self.generated(search, node))

    def generated(self, search, node):
        if search["over"]:
            return
        self.loops[search["process"]].submit(self.measured.loop_search, lambda: self.leans.submit(
            lean_seconds(self.rng, self.checks, self.factor, self.model.timeouts, self.model.limit),
            lambda: self.checked(search, node)))

    def checked(self, search, node):
        self.generations += 1
        if search["over"]:
            return
        search["back"] += 1
        proved = search["tree"].end(node)
        if proved:
            self.proofs.append(self.clock.now)
        if proved or search["back"] >= self.most:
            search["over"] = True
            self.ended += 1
            self.next_theorem(search["process"])
        elif search["begun"] < self.most:
            self.generate(search)

    def figures(self):
        return {"proofs": len(self.proofs), "seconds": self.clock.now,
                "per_s": self.generations / self.clock.now, "lean_use": self.leans.use(),
                "gpu_use": sum(gpu.use() for gpu in self.gpus) / len(self.gpus),
                "thread_use": max(loop.use() for loop in self.loops), "lost_checks": self.leans.lost}


class Training:
    """Steps of reinforcement learning. A step ends when `wanted` of its rewards are there; then the model is updated.

    Overlapped: the next step's proofs are written meanwhile, by the model before that update.
    """

    def __init__(self, seed, checks, leans, gpus, steps=10, samples=4096, wanted=1.0, overlapped=False,
                 measured=Measured(), model=Assumed(), factor=None, failures=True):
        self.rng, self.clock, self.measured, self.model = random.Random(seed), Clock(), measured, model
        self.checks, self.factor = checks, model.mathlib if factor is None else factor
        self.leans, self.loop = Station(self.clock, leans), Station(self.clock, 1)
        self.gpus = [Gpu(self.clock, model.gpu_tokens, model.gpu_half, model.gpu_slots) for _ in range(gpus)]
        self.samples, self.wanted, self.overlapped = samples, math.ceil(wanted * samples), overlapped
        self.steps, self.updates, self.tail, self.training = steps, [], [], False
        self.ready = collections.deque()
        if failures:
            nodes_fail(self.clock, self.leans, self.rng, model, self.done)
        self.generate()

    def done(self):
        return len(self.updates) >= self.steps

    def run(self):
        self.clock.run(self.done)
        return self

    def generate(self):
        step = {"rewards": 0, "written": 0, "most": 0.0}
        for _ in range(self.samples):
            min(self.gpus, key=Gpu.load).submit(tokens_of(self.rng, self.model), lambda: self.written(step))

    def written(self, step):
        step["written"] += 1
        if step["written"] == self.samples:
            step["all_written"] = self.clock.now
        self.loop.submit(self.measured.loop_serve, lambda: self.leans.submit(
            lean_seconds(self.rng, self.checks, self.factor, self.model.timeouts, self.model.limit),
            lambda: self.rewarded(step)))

    def rewarded(self, step):
        step["rewards"] += 1
        if step["rewards"] == math.ceil(0.95 * self.wanted):
            step["most"] = self.clock.now
        if step["rewards"] == self.wanted:
            self.tail.append(self.clock.now - step["most"])
            self.ready.append(step)
            self.train()

    def train(self):
        if self.training or not self.ready:
            return
        self.ready.popleft()
        self.training = True
        if self.overlapped:
            self.generate()
        self.clock.after(self.model.training, self.trained)

    def trained(self):
        self.training = False
        self.updates.append(self.clock.now)
        if not self.overlapped:
            self.generate()
        self.train()

    def figures(self):
        return {"step_seconds": self.clock.now / len(self.updates), "tail_seconds": sum(self.tail) / len(self.tail),
                "lean_use": self.leans.use(), "gpu_use": sum(gpu.use() for gpu in self.gpus) / len(self.gpus),
                "thread_use": self.loop.use(), "lost_checks": self.leans.lost}


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
               "results_proved_measured": 25, "results_samples_measured": 680}
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


def processor_seconds_of(pid):
    """Of a process and its descendants."""
    total, pids = 0.0, [pid]
    while pids:
        process = pids.pop()
        for task in Path(f"/proc/{process}/task").iterdir():
            fields = (task / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            pids += map(int, (task / "children").read_text(encoding="ascii").split())
    return total


def measure_lean_seconds():
    """Every third candidate of the trace, in its order, on one Lean that keeps prefixes; kernel off, as in a search."""
    remote = module("remote-checks")
    lines = (DATA / "lean-trace.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [row["before"] + row["candidate"] for row in map(json.loads, lines)][::3]
    worker = remote.Worker([remote.LEAN, "-Dserver.reportDelayMs=0", "-Ddebug.skipKernelTC=true", "-Dlinter.all=false",
                            "--worker", "file:///tmp/Zermelo.lean"], remote.environment({}), False)
    seconds = []
    try:
        for text in texts[:16] + texts:  # the first ones compile WebAssembly
            before = processor_seconds_of(worker.process.pid)
            worker.check(text)
            seconds.append(round(processor_seconds_of(worker.process.pid) - before, 2))
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
