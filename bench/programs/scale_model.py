"""Searches and training on many Leans, as discrete events: the model of ./zermelo bench scale-simulation.

Measured and Assumed name the source of every number. Equal seeds give equal figures.
"""
import collections
import dataclasses
import heapq
import math
import random


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
        in_turn = self.theorems < math.inf
        steps = self.lengths[self.begun % len(self.lengths)] if in_turn else self.rng.choice(self.lengths)
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
