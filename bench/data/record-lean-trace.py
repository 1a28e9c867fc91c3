#!/usr/bin/env python3
"""Records the requests of a truncate-and-resume tree search to Lean, for `./zermelo bench lean-checks`.

usage: record-lean-trace.py [--each N] [--seed N] [PROOFS.lean] > lean-trace.jsonl

The search is DeepSeek-Prover-V1.5's (section 4): a sample is the tactics of a state, which Lean has accepted,
followed by the rest of a proof as a model writes it; at its first error it is cut off, and every state before
that becomes one to resume from. The next state is chosen by UCB1, with a reward of 1 for a sample that found a
new state (RMaxTS's intrinsic reward, on the states without their tree), and gets four samples at once.

Lean's answers are real, the model is not: it knows the proof in PROOFS.lean and spoils each step with some
probability, as models do. A search does not end with its first proof, but after N samples.

Each line of the trace is one sample, in the order of the search: the document up to the state (`before`), and the
rest that the model wrote (`candidate`).
"""
import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build/release/zermelo"
TOGETHER = 4   # samples per state
SPOILED = 0.3  # share of corrupted steps
LIMIT = 20     # seconds per sample
TACTICS = ["omega", "simp", "simp_all", "rfl", "decide", "grind", "linarith", "norm_num", "ring_nf", "trivial",
           "assumption", "simp at *", "constructor", "exact?", "nlinarith [sq_nonneg x]"]


# ------------------------------------------------------------------ the model


def steps_of(proof):
    """The steps of a proof: the tactics in its first column, each with the lines that belong to it."""
    return re.findall(r"^  \S.*\n(?:    .*\n)*", proof, re.MULTILINE)


def spoil(step, dice):
    """A corrupted step, as a model might write it."""
    kind = dice.choice(["tactic", "end", "number", "name", "none"])
    if kind == "number" and re.search(r"\b\d+\b", step):
        number = dice.choice(list(re.finditer(r"\b\d+\b", step)))
        return step[:number.start()] + str(int(number[0]) + 1) + step[number.end():]
    if kind == "name" and re.search(r"\b(Nat|Int)\.\w+", step):
        return re.sub(r"\b(Nat|Int)\.\w+", lambda m: m[0] + dice.choice(["'", "_left", "_of_pos"]), step, count=1)
    if kind == "none":
        return ""  # left out
    if kind == "end" and "\n    " in step:
        return step[:step.rstrip("\n").rindex("\n") + 1] + "    " + dice.choice(TACTICS) + "\n"
    if step.startswith("  have ") and " := " in step:
        return step[:step.index(" := ")] + " := by " + dice.choice(TACTICS) + "\n"
    return "  " + dice.choice(TACTICS) + "\n"


def write_rest(steps, dice):
    return [spoil(step, dice) if dice.random() < SPOILED else step for step in steps]


# ------------------------------------------------------------------ Lean


class Lean:
    """A `zermelo serve` with one worker."""

    def __enter__(self):
        self.log = tempfile.NamedTemporaryFile(prefix="zermelo-record-")
        self.server = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--workers", "1", "--quiet", "--lean",
                                        ROOT / "embedded/bin/lean"], stderr=self.log)
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and self.server.poll() is None:
            found = re.search(r"listening on (http://\S+)", pathlib.Path(self.log.name).read_text())
            if found:
                self.url = found[1]
                return self
            time.sleep(0.1)
        raise SystemExit("the server did not come up: " + pathlib.Path(self.log.name).read_text())

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait(60)

    def first_error(self, text):
        """The line of the first error, from 1; None if there is none, 0 if Lean did not answer in time."""
        body = {"snippets": [{"id": "it", "code": text}], "timeout": LIMIT, "rules": False}
        request = urllib.request.Request(self.url + "/api/check", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=300) as answer:
            result = json.load(answer)["results"][0]
        if "error" in result:
            return 0
        lines = [m["pos"]["line"] for m in result["response"].get("messages", []) if m["severity"] == "error"]
        return min(lines) if lines else None


# ------------------------------------------------------------------ the search


class State:
    def __init__(self, done):
        self.done = done  # steps of the known proof that its tactics correspond to
        self.visits = self.found = 0

    def bound(self, total):
        if self.visits == 0:
            return math.inf
        return self.found / self.visits + math.sqrt(2 * math.log(total) / self.visits)


def search(lean, header, statement, proof, count, dice):
    """Yields the samples in order: (text of the state, rest)."""
    steps = steps_of(proof)
    start = header + statement
    states = {"": State(0)}
    total = 0
    while total < count:
        tactics = max(states, key=lambda t: (states[t].bound(total + 1), states[t].done))
        state = states[tactics]
        for _ in range(min(TOGETHER, count - total)):
            rest = write_rest(steps[state.done:], dice)
            yield start + tactics, "".join(rest)
            total += 1
            state.visits += 1
            state.found += grow(states, lean, start, tactics, state.done, rest)


def grow(states, lean, start, tactics, done, rest):
    """Adds the states of a sample up to its first error; returns 1 if one of them is new."""
    error = lean.first_error(start + tactics + "".join(rest))
    if error == 0:
        return 0
    line = (start + tactics).count("\n") + 1
    if error is not None and error < line:
        error = None  # an error in the statement only says that goals are left
    new = 0
    for number, step in enumerate(rest[:-1], 1):
        line += step.count("\n")
        if error is not None and error < line:
            break
        tactics += step
        if tactics not in states:
            states[tactics] = State(done + number)
            new = 1
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proofs", nargs="?", type=pathlib.Path, default=ROOT / "bench/data/stepwise-proofs.lean")
    parser.add_argument("--each", type=int, default=24, help="samples of a theorem (default: 24)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    text = re.sub(r"\A/-.*?-/\n", "", arguments.proofs.read_text(encoding="utf-8"), flags=re.DOTALL)
    header, *theorems = re.split(r"^(?=theorem )", text, flags=re.MULTILINE)
    dice = random.Random(arguments.seed)
    with Lean() as lean:
        for theorem in theorems:
            name = theorem.split()[1]
            statement, proof = re.fullmatch(r"(.*?:= by\n)(.*)", theorem.rstrip() + "\n", re.DOTALL).groups()
            for before, rest in search(lean, header, statement, proof, arguments.each, dice):
                line = {"theorem": name, "header": header, "before": before, "candidate": rest}
                print(json.dumps(line, ensure_ascii=False), flush=True)
            print(name, file=sys.stderr)


if __name__ == "__main__":
    main()
