#!/usr/bin/env python3
# bench: `zermelo serve` under load: good, bad, slow and crashing snippets from many connections
"""usage: serve-load.py [--requests N] [--connections N] [--workers N] [--queue N] [--time SECONDS] [--json]
       serve-load.py --rollouts N [--workers N] [--time SECONDS] [--json]

Every request must be answered correctly or rejected with 429; rejected requests are sent again. The full run is
--requests 20000 --connections 200. Baseline, measured in the same run: the same snippets, one after another.

--rollouts: N rollouts of a model with tools at once, 200, say. Each has four checks one after another, with pauses for
the model; eight belong to one problem, and their texts begin alike. Lean is the fake one of the unit tests, so this
measures the server alone.
"""
import argparse
import asyncio
import json
import os
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
START_LIMIT = 240
ANSWER_LIMIT = 900
SEED = 7


def snippet(kind, n):
    """(code, timeout, expected answer)."""
    if kind == "good":
        return f"theorem t{n} (a : Nat) : a + {n} + 1 = a + {n + 1} := by\n  rfl\n", 30, "valid"
    if kind == "bad":
        return f"theorem t{n} (a : Nat) : a + {n} + 1 = a + {n} := by\n  rfl\n", 30, "lean_error"
    if kind == "omega":
        return f"theorem t{n} (a b : Nat) : a + b + {n} = {n} + b + a := by\n  omega\n", 30, "valid"
    if kind == "unfinished":
        return f"theorem t{n} (a : Nat) : a + {n} = {n} + a := by\n  sorry\n", 30, "sorry"
    if kind == "slow":
        return (f"theorem t{n} : (List.range {10 ** 8 + n}).length = {10 ** 8 + n} := by\n  decide +kernel\n",
                1, "timeout")
    return f"#eval (IO.Process.exit {n % 100 + 1} : IO Unit)\n", 30, "crash"


def mix(count):
    """The kinds of snippets in a fixed order; slow and crashing ones occupy a worker for seconds, so they are rare."""
    kinds = random.Random(SEED).choices(["good", "bad", "omega", "unfinished", "slow", "crash"],
                                        [50, 25, 10, 14.8, 0.1, 0.1], k=count)
    kinds[1:3] = ["slow", "crash"]
    return kinds


def verdict(result):
    if "error" in result:
        return "timeout" if "timed out" in result["error"] else "crash"
    response = result["response"]
    if any(m["severity"] == "error" for m in response.get("messages", [])):
        return "lean_error"
    return "sorry" if response.get("sorries") else "valid"


class Connection:
    """A minimal keep-alive HTTP/1.1 client."""

    def __init__(self, host, port):
        self.host, self.port, self.streams = host, port, None

    async def post(self, path, body):
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        writer.write(f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Length: {len(body)}\r\n\r\n"
                     .encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(re.search(r"content-length: (\d+)", head, re.I)[1])
        retry = re.search(r"retry-after: (\d+)", head, re.I)
        answer = await reader.readexactly(length)
        return int(head.split()[1]), int(retry[1]) if retry else None, json.loads(answer)


def turn(rollout, number):
    """What a rollout has checked, for the fake Lean: a lemma, wrong and right, and the theorem, wrong and right."""
    header = "".join(f"def premise_{i} : Nat := {rollout // 8}\n" for i in range(20))
    right = "  dec\n  dec\n  zero\n"
    lemma = f"theorem lemma_{rollout} : 2 := by\n"
    theorem = f"theorem t : {number} := by\n" + "  dec\n" * number
    return [(header + lemma + "  zero\n", 30, "lean_error"), (header + lemma + right, 30, "valid"),
            (header + lemma + right + theorem, 30, "lean_error"),
            (header + lemma + right + theorem + "  zero\n", 30, "valid")][number]


class Load:
    def __init__(self, host, port, kinds):
        self.host, self.port = host, port
        self.kinds, self.next = kinds, 0
        self.seconds, self.wrong, self.refused = [], [], 0

    def snippet(self, n):
        return snippet(self.kinds[n], n)

    async def one(self, connection, n):
        code, timeout, wanted = self.snippet(n)
        body = json.dumps({"snippets": [{"id": str(n), "code": code}], "timeout": timeout}).encode()
        while True:
            began = time.monotonic()
            status, retry, answer = await asyncio.wait_for(connection.post("/api/check", body), ANSWER_LIMIT)
            if status != 429:
                break
            self.refused += 1
            if retry is None:
                self.wrong.append((n, "429 without Retry-After"))
            await asyncio.sleep(min(retry or 1, 5) * random.uniform(0.5, 1))
        self.seconds.append(time.monotonic() - began)
        result = answer["results"][0] if status == 200 else {}
        if status != 200 or result["id"] != str(n) or verdict(result) != wanted:
            self.wrong.append((n, wanted, status, answer))

    async def client(self):
        connection = Connection(self.host, self.port)
        while self.next < len(self.kinds) and time.monotonic() < self.deadline:
            n, self.next = self.next, self.next + 1
            try:
                await self.one(connection, n)
            except (OSError, EOFError, asyncio.TimeoutError) as error:
                self.wrong.append((n, f"no answer: {error!r}"))
                connection.streams = None

    async def run(self, connections, limit):
        began = time.monotonic()
        self.deadline = began + limit
        await asyncio.gather(*(self.client() for _ in range(connections)))
        return time.monotonic() - began


class Rollouts(Load):
    turns = 4

    def __init__(self, host, port, count):
        super().__init__(host, port, range(count))

    def snippet(self, n):
        return turn(*divmod(n, self.turns))

    async def client(self):
        connection = Connection(self.host, self.port)
        rollout, self.next = self.next, self.next + 1
        pauses = random.Random(rollout)
        for number in range(self.turns):
            await asyncio.sleep(pauses.uniform(0, 0.5))
            try:
                await self.one(connection, rollout * self.turns + number)
            except (OSError, EOFError, asyncio.TimeoutError) as error:
                self.wrong.append((rollout, number, f"no answer: {error!r}"))
                return


def resident(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def start(arguments, err):
    fake = ["--lean", ROOT / "src/lean/testing/fake_lean.py", "--no-sandbox"] if arguments.rollouts else []
    server = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--quiet", "--workers", str(arguments.workers),
                               "--queue", str(arguments.queue), *fake], stderr=err)
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"listening on http://([\d.]+):(\d+)", Path(err.name).read_text())
        if found:
            return server, found[1], int(found[2])
        time.sleep(0.1)
    server.kill()
    sys.exit("serve-load: the server did not start: " + Path(err.name).read_text())


def end(server):
    """The exit code of a server that was asked to end; None if it did not."""
    server.send_signal(signal.SIGTERM)
    try:
        return server.wait(60)
    except subprocess.TimeoutExpired:
        server.kill()
        return None


def figures(load, seconds, others=(), code=0):
    """Of a load, with what else went wrong."""
    for wrong in [*others, *load.wrong][:5]:
        print("wrong:", *wrong, file=sys.stderr)
    ordered = sorted(load.seconds) or [0]
    return {
        "answered": len(load.seconds),
        "wrong": len(others) + len(load.wrong) + (code != 0),
        "refused_429": load.refused,
        "requests_per_second": len(load.seconds) / seconds,
        "p50_seconds": statistics.median(ordered),
        "p99_seconds": ordered[int(0.99 * (len(ordered) - 1))],
    }


def measure(arguments):
    with tempfile.NamedTemporaryFile(prefix="serve-load-") as err:
        server, host, port = start(arguments, err)
        try:
            alone = Load(host, port, [k for k in mix(200) if k not in ("slow", "crash")])
            alone_seconds = asyncio.run(alone.run(1, arguments.time))
            before = resident(server.pid)
            load = Load(host, port, mix(arguments.requests))
            seconds = asyncio.run(load.run(arguments.connections, arguments.time))
            grown = resident(server.pid) - before
        finally:
            code = end(server)
    return {**figures(load, seconds, alone.wrong, code),
            "one_client_requests_per_second": len(alone.seconds) / alone_seconds, "server_growth_mib": grown}


def measure_rollouts(arguments):
    with tempfile.NamedTemporaryFile(prefix="serve-load-") as err:
        server, host, port = start(arguments, err)
        try:
            load = Rollouts(host, port, arguments.rollouts)
            seconds = asyncio.run(asyncio.wait_for(load.run(arguments.rollouts, arguments.time), arguments.time))
        finally:
            code = end(server)
    return figures(load, seconds, code=code)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name, default in (("requests", 2000), ("connections", 200), ("workers", 2), ("queue", 256), ("time", 480)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rollouts", type=int)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    metrics = measure_rollouts(arguments) if arguments.rollouts else measure(arguments)
    expected = arguments.rollouts * Rollouts.turns if arguments.rollouts else arguments.requests
    targets = {"answered": {"op": ">=", "value": expected}, "wrong": {"op": "<=", "value": 0}}
    if arguments.json:
        print(json.dumps({"name": "serve-load", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": targets}))
    else:
        for name, value in metrics.items():
            target = targets.get(name)
            print(f"{name:32} {value:10.3f}" + (f"  target {target['op']} {target['value']}" if target else ""))
    missed = metrics["answered"] < expected or metrics["wrong"] > 0
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
