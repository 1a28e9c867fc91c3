#!/usr/bin/env python3
# bench: the model client: 1,000 requests in flight, compared with Python's AsyncOpenAI (1 minute)
"""Keeps 1,000 completions in flight against a local server that answers after a fixed delay.

usage: llm-fanout.py [--in-flight N] [--rounds N] [--delay S] [--stream] [--build DIR] [--json]

Baseline, measured in the same run: the same load from AsyncOpenAI, as pip installs it. The load is even: the
requests in flight start at different times and are sent again when they are answered. Added latency is
the time of a request beyond the server's delay, so it includes the server's own work. Processor time is that of
the client's process alone; memory is its growth until the end of the load.
"""
import argparse
import asyncio
import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SERVER = ROOT / "tests/sim_model/sim_model.py"
TARGETS = {"cpu_ratio": {"op": ">=", "value": 10}, "failures": {"op": "<=", "value": 0}}
PROMPT = "Complete the following Lean 4 code.\n" * 50 + "theorem t (xs : List Nat) : xs.reverse.reverse = xs := by\n"


def run_or_exit(*command):
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        sys.exit(made.stdout + f"llm-fanout: {command[0]} failed")


def python_with_openai(build):
    venv = build.parent / "openai-venv"
    python = venv / "bin/python"
    if subprocess.run([python, "-c", "import openai"], stderr=subprocess.DEVNULL).returncode \
            if python.exists() else True:
        run_or_exit(sys.executable, "-m", "venv", venv)
        run_or_exit(python, "-m", "pip", "install", "--quiet", "openai")
    return python


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


async def ask_with_openai(url, args):
    """Runs the baseline, in the virtual environment."""
    from openai import AsyncOpenAI
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=2, timeout=600)
    latencies, failures = [], 0

    async def ask():
        reply = await client.completions.create(model="sim", prompt=PROMPT, max_tokens=64, n=1, temperature=1,
                                                top_p=0.95, stream=args.stream)
        if args.stream:
            async for _ in reply:
                pass

    async def keep_asking(offset):
        nonlocal failures
        await asyncio.sleep(offset)
        for _ in range(args.rounds):
            begin = time.monotonic()
            try:
                await ask()
            except Exception:  # whatever the error, the request failed
                failures += 1
            latencies.append(time.monotonic() - begin)

    memory, cpu = resident_bytes(), time.process_time()
    await asyncio.gather(*(keep_asking(args.delay * i / args.in_flight) for i in range(args.in_flight)))
    print(json.dumps({"cpu_seconds": time.process_time() - cpu, "memory_bytes": resident_bytes() - memory,
                      "failures": failures, "latencies": latencies}))


def summarise(result, args):
    added = sorted((latency - args.delay) * 1000 for latency in result["latencies"])
    return {"added_p50_ms": round(added[len(added) // 2], 2), "added_p99_ms": round(added[len(added) * 99 // 100], 2),
            "cpu_ms_per_request": round(result["cpu_seconds"] * 1000 / len(added), 4),
            "memory_kb_per_request": round(result["memory_bytes"] / 1024 / args.in_flight, 1),
            "failures": result["failures"]}


def measure(command, args):
    """Runs a client against a new server; `command` gets the server's address."""
    server = subprocess.Popen([sys.executable, SERVER, "--delay", str(args.delay), "--no-log"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = "http://127.0.0.1:%d/v1" % json.loads(server.stdout.readline())["port"]
        run = subprocess.run([str(part) for part in command(url)], stdout=subprocess.PIPE, text=True, check=True)
        return summarise(json.loads(run.stdout), args)
    finally:
        server.stdin.close()
        server.wait(10)


def measure_both(args):
    run_or_exit("cmake", "--build", args.build, "--target", "llm_fanout_bench")
    python = python_with_openai(args.build)
    spread = str(args.delay)
    ours = measure(lambda url: [args.build / "src/llm/llm_fanout_bench", url, args.in_flight, args.rounds, spread,
                                PROMPT, int(args.stream)], args)
    options = ["--in-flight", args.in_flight, "--rounds", args.rounds, "--delay", args.delay]
    theirs = measure(lambda url: [python, __file__, "--openai-at", url, *options,
                                  *(["--stream"] if args.stream else [])], args)
    metrics = {**ours, **{"openai_" + name: value for name, value in theirs.items()}}
    for name in ("cpu_ms", "memory_kb"):
        ratio = theirs[name + "_per_request"] / max(ours[name + "_per_request"], 1e-9)
        metrics[name.split("_")[0] + "_ratio"] = round(ratio, 1)
    return metrics


def table(metrics, args):
    print(f"{args.in_flight} in flight, {args.rounds * args.in_flight} requests, answered after {args.delay} s, "
          f"{'streamed' if args.stream else 'not streamed'}")
    print(f"{'':<28}{'zermelo':>10}{'AsyncOpenAI':>13}")
    for name, text in (("added_p50_ms", "added latency p50, ms"), ("added_p99_ms", "added latency p99, ms"),
                       ("cpu_ms_per_request", "CPU per request, ms"), ("memory_kb_per_request", "memory per request, KB"),
                       ("failures", "failed requests")):
        print(f"{text:<28}{metrics[name]:>10}{metrics['openai_' + name]:>13}")
    print(f"CPU: {metrics['cpu_ratio']} times less (target >= {TARGETS['cpu_ratio']['value']}); "
          f"memory: {metrics['memory_ratio']} times less")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in-flight", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--delay", type=float, default=4.0)
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--openai-at", help=argparse.SUPPRESS)  # this process is the baseline
    args = parser.parse_args()
    if args.openai_at:
        asyncio.run(ask_with_openai(args.openai_at, args))
        return
    metrics = measure_both(args)
    if args.json:
        print(json.dumps({"name": "llm-fanout", "machine": platform.node(), "metrics": metrics, "targets": TARGETS}))
    else:
        table(metrics, args)


if __name__ == "__main__":
    main()
