#!/usr/bin/env python3
# bench: where the first walls are: serve, searches, events, evaluations, model calls (a minute each; --full: hours)
"""usage: scale.py [PART...] [--full] [--events N] [--problems N] [--keep DIR] [--json]

Lean and models are stand-ins that only wait (src/lean/testing/fake_lean.py, tests/sim_model), so what is measured is
Zermelo's own one thread. Parts, each alone if named:

    serve       requests a second of one `serve` with 1 to 64 workers (--full: 256)
    searches    searches at once in one `eval`: 1 to 64 (--full: 256)
    events      recording 10^5 events (--full: 10^6; --events 10000000: ten minutes, 3 GB), their size; resuming, showing, listing them
    evaluation  an evaluation of 10,000 problems (--full: 100,000): memory, resuming, the report
    models      1,000 and 4,000 model calls in flight (--full: 10,000)

A stand-in waits 100 ms a check, the mean of `bench lean-checks` (two workers, 22 checks a second). On a busy machine
the rates are low and the stand-ins take most of the processor; what does not depend on the load is the processor time
of the program itself. `ceiling` is its reciprocal: the rate at which one thread is busy all the time. Each ratio
compares the largest size with the smallest one of the same run.
"""
import argparse
import asyncio
import contextlib
import importlib.util
import json
import os
import platform
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", str(ROOT / "build/release/zermelo"))
TOOLS = Path(os.environ.get("ZERMELO_BENCH_TOOLS", ROOT / "build/release/src"))  # of the programs built here
LEAN = ROOT / "src/lean/testing/fake_lean.py"
SIM = ROOT / "tests/sim_model/sim_model.py"
FAKE = ["--lean", str(LEAN), "--no-sandbox"]
WAIT = "-- fake: slow 100\n"  # milliseconds
TICKS = os.sysconf("SC_CLK_TCK")
LIMIT = 3600  # seconds for one command

TARGETS = {
    "serve_wrong": ("<=", 0), "serve_cpu_ratio": ("<=", 2),
    "searches_wrong": ("<=", 0), "searches_cpu_ratio": ("<=", 1.2),
    "events_cost_ratio": ("<=", 1.5), "events_bytes_ratio": ("<=", 1.1),
    "evaluation_wrong": ("<=", 0), "evaluation_memory_ratio": ("<=", 1.5),
    "models_failures": ("<=", 0), "models_cpu_ratio": ("<=", 2),
}


# ------------------------------------------------------------------ processes


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def processor_seconds_of_all(pid):
    """Of a process and its descendants, while they run."""
    total, pids = 0.0, [pid]
    while pids:
        with contextlib.suppress(OSError):  # it has just ended
            process = pids.pop()
            total += processor_seconds(process)
            for task in Path(f"/proc/{process}/task").iterdir():
                pids += map(int, (task / "children").read_text(encoding="ascii").split())
    return total


def megabytes(pid, what="VmRSS"):
    return int(re.search(what + r":\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))[1]) / 1024


def load():
    return os.getloadavg()[0]


def run(command, folder=None, out=subprocess.DEVNULL, codes=(0, 1)):
    """Runs a command to its end: (seconds, its own processor seconds and those of its children, its peak in MB)."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            err.seek(0)
            sys.exit(f"scale: {' '.join(map(str, command))} exited with {process.returncode}:\n"
                     + err.read().decode(errors="replace")[-2000:])
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def build(target):
    if "ZERMELO_BENCH_TOOLS" not in os.environ:
        made = subprocess.run(["cmake", "--build", ROOT / "build/release", "--target", target.split("/")[-1]],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if made.returncode != 0:
            sys.exit(made.stdout + "scale: cmake failed")
    return TOOLS / target


@contextlib.contextmanager
def stopping(process, limit=120):
    """Ends a process, at the latest when the block does."""
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def sim_model(*options):
    """The address of a model that only waits."""
    process = subprocess.Popen([sys.executable, "-B", SIM, "--no-log", *map(str, options)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}/v1"
    finally:
        process.stdin.close()
        process.wait(60)


def row(part, size, figures):
    shown = "  ".join(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                      for name, value in figures.items())
    print(f"{part:<11}{size:>9}  load {load():5.1f}  {shown}", file=sys.stderr, flush=True)
    return figures


# ---------------------------------------------------------------------- serve


def serve_load():
    """bench/serve-load.py as a module, for its HTTP client."""
    spec = importlib.util.spec_from_file_location("serve_load", ROOT / "bench/serve-load.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def check_all(connect, texts, connections):
    """Checks the texts from so many connections; returns how many answers were wrong."""
    waiting, wrong = iter(texts), 0

    async def client():
        nonlocal wrong
        connection = connect()
        for text in waiting:
            body = json.dumps({"snippets": [{"id": "1", "code": text}], "timeout": 120}).encode()
            status, _, answer = await connection.post("/api/check", body)
            wrong += status != 200 or "error" in answer["results"][0]

    await asyncio.gather(*(client() for _ in range(connections)))
    return wrong


@contextlib.contextmanager
def server(workers, queue):
    with tempfile.NamedTemporaryFile(prefix="scale-") as err:
        command = [PROGRAM, "serve", "--port", "0", "--quiet", "--workers", workers, "--queue", queue, *FAKE]
        with stopping(subprocess.Popen([str(word) for word in command], stderr=err)) as process:
            deadline = time.monotonic() + 120
            while not (found := re.search(r"listening on http://([\d.]+):(\d+)", Path(err.name).read_text("utf-8"))):
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit("scale: the server did not start: " + Path(err.name).read_text("utf-8"))
                time.sleep(0.05)
            yield process, found[1], int(found[2])


def texts(first, count, wait=WAIT):
    return [f"{wait}theorem t{n} (a : Nat) : a + {n} = {n} + a := by omega\n" for n in range(first, first + count)]


def serve_point(workers, requests):
    connection = serve_load().Connection
    with server(workers, 4 * workers + 64) as (process, host, port):
        def connect():
            return connection(host, port)
        wrong = asyncio.run(check_all(connect, texts(0, 2 * workers), workers))  # starts the workers
        processor, began = processor_seconds(process.pid), time.monotonic()
        wrong += asyncio.run(check_all(connect, texts(10 ** 6, requests), 2 * workers))
        seconds, spent = time.monotonic() - began, processor_seconds(process.pid) - processor
        return {"per_s": requests / seconds, "busy": min(1.0, 0.1 * requests / seconds / workers),
                "cpu_ms": 1000 * spent / requests, "ceiling_per_s": requests / max(spent, 1e-9),
                "mb": megabytes(process.pid), "wrong": wrong}


def serve(options):
    points = {}
    for workers in (1, 4, 16, 64, *((256,) if options.full else ())):
        requests = min(50 * workers + 100, 12_800 if options.full else 1600)
        points[workers] = row("serve", workers, serve_point(workers, requests))
    first, last = points[min(points)], points[max(points)]
    return {"serve_workers": max(points), "serve_per_s": last["per_s"], "serve_cpu_ms": last["cpu_ms"],
            "serve_ceiling_per_s": last["ceiling_per_s"], "serve_cpu_ratio": last["cpu_ms"] / first["cpu_ms"],
            "serve_mb": last["mb"], "serve_wrong": sum(point["wrong"] for point in points.values())}


# ------------------------------------------------------------------- searches


def problems(count):
    """Games of the fake Lean that the model never wins: every tactic of its proofs is wrong."""
    return [{"name": f"p{n}", "header": WAIT, "formal_statement": f"theorem p{n} : 9 := by"} for n in range(count)]


def write_lines(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        for one in rows:
            file.write(json.dumps(one) + "\n")


def write_models(folder, address, count):
    write_lines(folder / "known.jsonl", ({"name": f"p{n}", "statement": f"theorem p{n} : 9 := by",
                                         "proof": "dec\n" * 9 + "zero"} for n in range(count)))
    (folder / "zermelo.toml").write_text(
        f'[models.sim]\nendpoint = "{address}"\nmodel = "sim"\nformat = "deepseek-prover-v1.5"\n'
        "[models.sim.limits]\nconcurrency = 4096\n",
        encoding="utf-8")


def eval_command(folder, jobs, samples):
    return [PROGRAM, "eval", "set.jsonl", "--out", "out", "--jobs", jobs, "--workers", jobs, "--model", "sim",
            "--strategy", "whole_proof", "--no-builtin", "--no-premises", "--budget", f"1x{samples}", "--config",
            folder / "zermelo.toml", "--json", "--quiet", *FAKE]


def results_of(folder):
    path = folder / "out/results.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def search_point(jobs, samples):
    with tempfile.TemporaryDirectory(prefix="scale-") as name:
        folder = Path(name)
        write_lines(folder / "set.jsonl", problems(jobs))
        write_models(folder, "", jobs)
        with sim_model("--delay", 0.5, "--proofs", folder / "known.jsonl", "--spoil", 1) as address:
            write_models(folder, address, jobs)
            with open(folder / "err", "wb") as err:
                process = subprocess.Popen([str(word) for word in eval_command(folder, jobs, samples)], cwd=folder,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
            with stopping(process):
                began, processor, peak = time.monotonic(), 0.0, 0.0
                while process.poll() is None and time.monotonic() < began + LIMIT:
                    with contextlib.suppress(OSError, TypeError, IndexError):  # it has just ended
                        processor, peak = processor_seconds(process.pid), megabytes(process.pid, "VmHWM")
                    time.sleep(0.02)
                seconds = time.monotonic() - began
        if process.returncode != 0:
            sys.exit("scale: eval failed: " + (folder / "err").read_text("utf-8"))
        results = results_of(folder)
        made = sum(result["cost"]["samples"] for result in results)
        wrong = sum(result["outcome"] != "unproved" for result in results) + abs(jobs - len(results))
        return {"samples_per_s": made / seconds, "cpu_ms": 1000 * processor / max(made, 1),
                "ceiling_per_s": made / max(processor, 1e-9), "mb": peak, "samples": made, "wrong": wrong}


def searches(options):
    points = {}
    for jobs in (1, 4, 16, 64, *((256,) if options.full else ())):
        points[jobs] = row("searches", jobs, search_point(jobs, 24))
    # Starting the program counts for one search, but hardly for many; the ratio is to the second point.
    first, last = points[4], points[max(points)]
    return {"searches_at_once": max(points), "searches_samples_per_s": last["samples_per_s"],
            "searches_cpu_ms": last["cpu_ms"], "searches_ceiling_per_s": last["ceiling_per_s"],
            "searches_cpu_ratio": last["cpu_ms"] / first["cpu_ms"],
            "searches_mb_each": (last["mb"] - first["mb"]) / (max(points) - 4),
            "searches_wrong": sum(point["wrong"] for point in points.values())}


# --------------------------------------------------------------------- events


MOST_FOR_A_PAGE = 200_000  # events; a page of all events takes 3.2 kB of memory for each


def database_bytes(path):
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))


def events_point(bench, count, kind, show, folder):
    path = folder / f"{kind}-{count}.db"
    rounds = count // (6 if kind == "model" else 4)

    def made(what):
        done = subprocess.run([bench, what, path, str(rounds), kind], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)
    recorded = made("record")
    events = recorded["events"]
    figures = {"per_s": events / recorded["seconds"], "cpu_us": 1e6 * recorded["cpu_seconds"] / events,
               "bytes": database_bytes(path) / events}
    resumed = made("resume")
    if resumed["replayed"] != events:
        sys.exit(f"scale: {resumed['replayed']} of {events} events were replayed")
    figures.update(open_ms=1000 * resumed["open_seconds"], resume_s=resumed["seconds"],
                   resume_cpu_us=1e6 * resumed["cpu_seconds"] / events, resume_mb=resumed["peak_mb"])
    if show:
        at = ["--run-db", path]
        commands = {"show": ["runs", "show", 1, *at], "jsonl": ["events", 1, "--jsonl", *at],
                    "html": ["runs", "show", 1, *at, "--html", folder / "page.html"]}
        if events > MOST_FOR_A_PAGE:
            del commands["html"]
        for name, command in commands.items():
            seconds, processor, peak = run([PROGRAM, *command])
            figures.update({f"{name}_s": seconds, f"{name}_cpu_s": processor, f"{name}_mb": peak})
        if "html" in commands:
            figures["page_mb"] = (folder / "page.html").stat().st_size / 2 ** 20
    path.unlink()
    return row(kind, events, figures)


def events(options):
    bench = build("record/run_events_bench")
    most = options.events or (10 ** 6 if options.full else 10 ** 5)
    with tempfile.TemporaryDirectory(prefix="scale-", dir=options.keep) as name:
        folder = Path(name)
        small_events = most // 10
        small = events_point(bench, small_events, "plain", True, folder)
        large = events_point(bench, most, "plain", True, folder)
        with_model = events_point(bench, small_events, "model", False, folder)
    metrics = {"events": most, "events_per_s": large["per_s"], "events_cpu_us": large["cpu_us"],
               "events_bytes": large["bytes"], "events_with_model_per_s": with_model["per_s"],
               "events_with_model_bytes": with_model["bytes"], "events_open_ms": large["open_ms"],
               "events_resume_s": large["resume_s"], "events_resume_cpu_us": large["resume_cpu_us"],
               "events_show_cpu_s": large["show_cpu_s"], "events_jsonl_cpu_s": large["jsonl_cpu_s"],
               "events_cost_ratio": large["cpu_us"] / small["cpu_us"],
               "events_bytes_ratio": large["bytes"] / small["bytes"]}
    if "html_mb" in small:
        metrics["events_page_kb_each"] = 1024 * (small["html_mb"] - small["show_mb"]) / small_events
    return metrics


# ----------------------------------------------------------------- evaluation


def stop_after(command, folder, count):
    """Starts an evaluation, stops it after so many results, and returns its growth in MB over the last half."""
    with open(folder / "err", "wb") as err:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=err)
    with stopping(process):
        half, deadline = None, time.monotonic() + LIMIT
        path = folder / "out/results.jsonl"
        while process.poll() is None and time.monotonic() < deadline:
            done = path.read_bytes().count(b"\n") if path.exists() else 0
            if half is None and done >= count // 2:
                half = megabytes(process.pid)
            if done >= count:
                grown = megabytes(process.pid) - half
                process.send_signal(signal.SIGINT)
                process.wait(120)
                return grown
            time.sleep(0.02)
    sys.exit("scale: the evaluation ended early: " + (folder / "err").read_text("utf-8")[-2000:])


def add_results(folder, names):
    """Results for these problems, as the evaluation would write them; every fourth one is proved."""
    real = results_of(folder)
    cost = {"seconds": 9.5, "samples": 24, "tokens": 9000, "money": 0.01}
    with open(folder / "out/results.jsonl", "a", encoding="utf-8") as file:
        for n, name in enumerate(names):
            result = {**random.Random(n).choice(real), "problem": name, "cost": cost}
            if n % 4 == 0:
                result.update(outcome="proved", verdict="accepted", proved=1, attempts=1, proof="dec\n" * 9 + "zero",
                              attempt="", message="", axioms=["propext"], kernels=["zermelo"], to_proof=cost,
                              checks_to_proof=17, models_to_proof=result["models"])
            file.write(json.dumps(result) + "\n")


def resume(command, folder):
    """Resumes an evaluation to its end. `mb` is its peak, `searching_mb` before it writes the report."""
    path = folder / "out/results.jsonl"
    before = path.stat().st_size
    figures = {}
    with open(folder / "err", "wb") as err:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=err)
    with stopping(process):
        began = time.monotonic()
        while process.poll() is None and time.monotonic() < began + LIMIT:
            with contextlib.suppress(OSError, TypeError, IndexError):  # it has just ended
                if "resume_s" not in figures and path.stat().st_size > before:  # the first new result
                    figures = {"resume_s": time.monotonic() - began, "resume_cpu_s": processor_seconds(process.pid),
                               "searching_mb": megabytes(process.pid)}
                figures.update(mb=megabytes(process.pid, "VmHWM"), end_cpu_s=processor_seconds(process.pid))
            time.sleep(0.02)
        figures["end_s"] = time.monotonic() - began
    if process.returncode not in (0, 1):
        sys.exit("scale: eval failed: " + (folder / "err").read_text("utf-8")[-2000:])
    return figures


def opened(page):
    """How long Chromium takes to draw a page; nothing without Chromium."""
    sys.path.insert(0, str(ROOT / "tests/e2e"))
    from testing import chromium  # pylint: disable=import-outside-toplevel
    if chromium.PROGRAM is None:
        return {}
    chromium.LIMIT = LIMIT  # it does not answer while a script runs
    browser = chromium.Chromium()
    try:
        processor, began = processor_seconds_of_all(browser.process.pid), time.monotonic()
        browser.call("Page.navigate", url=page.as_uri())
        state, asked = "", "document.readyState + (document.getElementById('shown')?.textContent ?? '')"
        while not re.fullmatch(r"complete\d+ of \d+", str(state)):
            time.sleep(0.05)
            state = browser.call("Runtime.evaluate", returnByValue=True, expression=asked)["result"].get("value")
        return {"report_opens_s": time.monotonic() - began,
                "report_opens_cpu_s": processor_seconds_of_all(browser.process.pid) - processor}
    finally:
        browser.close()


def evaluation_point(count, folder):
    write_lines(folder / "set.jsonl", problems(count))
    write_models(folder, "", 1)
    with sim_model("--proofs", folder / "known.jsonl", "--spoil", 1) as address:
        write_models(folder, address, 1)
        command = eval_command(folder, 8, 1)
        grown = stop_after(command, folder, 100)
        done = {result["problem"] for result in results_of(folder)}
        names = [f"p{n}" for n in range(count) if f"p{n}" not in done]
        add_results(folder, names[20:])
        figures = resume(command, folder)
    finished = {result["problem"] for result in results_of(folder)}
    page = folder / "out/report.html"
    figures.update(growth_kb=1024 * grown / 50, wrong=abs(count - len(finished)),
                   report_mb=page.stat().st_size / 2 ** 20)
    row("evaluation", count, figures)
    return {**figures, **row("", count, opened(page))}


def evaluation(options):
    most = options.problems or (100_000 if options.full else 10_000)
    points = []
    for count in (most // 10, most):
        with tempfile.TemporaryDirectory(prefix="scale-", dir=options.keep) as folder:
            points.append(evaluation_point(count, Path(folder)))
    small, large = points
    return {"evaluation_problems": most, "evaluation_resume_s": large["resume_s"],
            "evaluation_resume_cpu_s": large["resume_cpu_s"], "evaluation_end_cpu_s": large["end_cpu_s"],
            "evaluation_searching_mb": large["searching_mb"], "evaluation_mb": large["mb"],
            "evaluation_growth_kb": large["growth_kb"],
            "evaluation_memory_ratio": large["mb"] / (small["mb"] * 10), "evaluation_report_mb": large["report_mb"],
            **{f"evaluation_{name}": value for name, value in large.items() if name.startswith("report_opens")},
            "evaluation_wrong": small["wrong"] + large["wrong"]}


# --------------------------------------------------------------------- models


def models_point(bench, in_flight, delay):
    with sim_model("--delay", delay) as address:
        prompt = "Complete the following Lean 4 code.\n" * 50
        done = subprocess.run([bench, address, str(in_flight), "1", str(delay), prompt, "0"], stdout=subprocess.PIPE,
                              check=True)
    result = json.loads(done.stdout)
    late = sorted(result["latencies"])
    return {"cpu_ms": 1000 * result["cpu_seconds"] / in_flight, "kb": result["memory_bytes"] / 1024 / in_flight,
            "late_p50_s": late[in_flight // 2] - delay, "failures": result["failures"]}


def models(options):
    bench = build("llm/llm_fanout_bench")
    points = {}
    delay = 50 if options.full else 20  # seconds: a call that waits costs a little every second
    for in_flight in (1000, 10_000 if options.full else 4000):
        points[in_flight] = row("models", in_flight, models_point(bench, in_flight, delay))
    first, last = points[min(points)], points[max(points)]
    return {"models_in_flight": max(points), "models_cpu_ms": last["cpu_ms"], "models_kb": last["kb"],
            "models_late_p50_s": last["late_p50_s"], "models_cpu_ratio": last["cpu_ms"] / first["cpu_ms"],
            "models_failures": sum(point["failures"] for point in points.values())}


PARTS = {"serve": serve, "searches": searches, "events": events, "evaluation": evaluation, "models": models}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of " + ", ".join(PARTS) + " (default: all)")
    parser.add_argument("--full", action="store_true", help="the sizes of a cluster")
    parser.add_argument("--events", type=int, help="number of events")
    parser.add_argument("--problems", type=int, help="number of problems of the evaluation")
    parser.add_argument("--keep", metavar="DIR", help="folder for the large files (default: that for temporary files)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # of the stand-ins
    metrics = {"load_at_start": load()}
    for part in options.parts or PARTS:
        metrics.update(PARTS[part](options))
    metrics["load_at_end"] = load()
    targets = {name: {"op": op, "value": value} for name, (op, value) in TARGETS.items() if name in metrics}
    if options.json:
        print(json.dumps({"name": "scale", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": targets}))
    else:
        for name, value in metrics.items():
            target = targets.get(name)
            print(f"{name:32} {value:12.3f}" + (f"  target {target['op']} {target['value']}" if target else ""))
    sys.exit(any(metrics[name] > value for name, (_, value) in TARGETS.items() if name in metrics))


if __name__ == "__main__":
    main()
