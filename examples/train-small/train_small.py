#!/usr/bin/env python3
"""Trains a small prover from nothing, with Lean as the judge, and measures what each step is worth (README.md).

Everything is kept in one folder. Interrupt it whenever you like, or give it --hours; the same command goes on where it
stopped. `state.json` says what is done and how many seconds it took.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import synthetic  # noqa: E402
from expert_iteration import NO_ROWS, PROGRAM, TRAINER, Driver, Failure, failures_reported, read_lines, write  # noqa: E402

MINIF2F = ROOT / "bench/data/minif2f-core-valid.jsonl"
PROOFS, TACTICS = "small", "bfs-prover"  # prompt formats: the statement and its proof; a goal and a tactic
UNTRACED = 1  # the exit code of `zermelo trace` where it could not trace a file
UNJUDGED = 3  # the exit code of `zermelo eval` where Lean could not run, or not judge something
STAGES = ("data", "sft", "expert", "grpo", "vapo", "controls", "evaluate", "test", "report")
TRAINED = ("sft", "more-sft", "expert", "grpo", "vapo")

# What is the same for all sizes, and what a size changes. Modules: None for all of corelib, which takes Lean a quarter of
# an hour, once (docs/evaluation.md).
COMMON = {
    "context": 1024, "statement_bytes": 500, "max_tokens": 192, "validation": 0.05,
    "modules": None, "slice": 50, "synthetic": 0, "prove_budget": "10s",
    "sft": {"batch": 16, "learning_rate": 1e-3, "warmup": 100, "schedule": "cosine", "checkpoint_every": 100},
    "expert": {"strategy": "rmaxts", "budget": 64, "rounds": 3},
    "grpo": {"prompts": 16, "group": 16, "learning_rate": 1e-5, "clip_high": 0.28, "kl_weight": 0, "drop_equal": True,
             "checkpoint_every": 5},
    "vapo": {"prompts": 16, "group": 16, "learning_rate": 1e-5, "value_steps": 20, "checkpoint_every": 5},
    "rl_attempts": 16, "checks": 64, "samples": 4096, "pass": 32, "seeds": 3, "search": [16, 64, 256],
}
SIZES = {
    "tiny": {
        "model": {"layers": 2, "hidden": 64, "heads": 4, "kv-heads": 2}, "vocabulary": 400, "max_tokens": 24,
        "modules": {"train": ["Init.ByCases", "Init.PropLemmas"], "valid": ["Init.Omega.Logic"], "test": ["Init.Data.Nat.Order"]},
        "slices": 2, "slice": 5, "synthetic": 5, "prove_budget": "200,60s", "validation": 0,
        "sft": {"steps": 60, "batch": 4, "learning_rate": 3e-3, "warmup": 5, "checkpoint_every": 20},
        "expert": {"strategy": "whole_proof", "budget": 4, "rounds": 1, "problems": 4},
        "grpo": {"steps": 2, "prompts": 3, "group": 4, "learning_rate": 1e-4, "checkpoint_every": 1},
        "vapo": {"steps": 2, "prompts": 3, "group": 4, "learning_rate": 1e-4, "value_steps": 1, "checkpoint_every": 1},
        "rl_attempts": 4, "seconds": 5, "checks": 8, "samples": 64, "pass": 4, "seeds": 1, "search": [4, 16],
        "problems": {"corelib-valid": 2, "minif2f-core": 1, "corelib-test": 1},
    },
    "first": {
        "model": {"layers": 5, "hidden": 128, "heads": 4, "kv-heads": 2}, "vocabulary": 1024,
        "slices": 3, "synthetic": 400, "prove_budget": "5s",
        "sft": {"steps": 120, "warmup": 20, "checkpoint_every": 40}, "expert": {"problems": 60, "budget": 16, "rounds": 2},
        "grpo": {"steps": 12, "prompts": 8, "group": 8, "learning_rate": 1e-4},
        "vapo": {"steps": 12, "prompts": 8, "group": 8, "learning_rate": 1e-4, "value_steps": 5},
        "rl_attempts": 8, "seconds": 5, "pass": 8, "seeds": 1, "search": [8, 32],
        "problems": {"corelib-valid": 40, "minif2f-core": 10, "corelib-test": 40},
    },
    "1m": {
        "model": {"layers": 5, "hidden": 128, "heads": 4, "kv-heads": 2}, "vocabulary": 1024,
        "slices": 20, "synthetic": 2000, "sft": {"steps": 600}, "expert": {"problems": 200}, "grpo": {"steps": 50}, "vapo": {"steps": 50},
        "seconds": 20, "seeds": 1, "problems": {"corelib-valid": 100, "minif2f-core": 60, "corelib-test": 100},
    },
    "5m": {
        "model": {"layers": 6, "hidden": 256, "heads": 4, "kv-heads": 2}, "vocabulary": 2048,
        "slices": 100, "synthetic": 10000, "sft": {"steps": 2000}, "expert": {"problems": 1000}, "grpo": {"steps": 200}, "vapo": {"steps": 200},
        "seconds": 30, "problems": {"corelib-valid": 200, "minif2f-core": 60, "corelib-test": 600},
    },
}


def settings_of(size, seed):
    """The settings of a size: those of all sizes, with its own in their place."""
    settings = {"size": size, "seed": seed, **COMMON}
    for key, value in SIZES[size].items():
        both = isinstance(value, dict) and isinstance(settings.get(key), dict)
        settings[key] = {**settings[key], **value} if both else value
    return settings


# --- what is done

class State:
    """state.json: the settings, and for each step whether it is done and the seconds of all its sittings."""

    def __init__(self, folder, settings):
        self.path = folder / "state.json"
        self.content = {"settings": settings, "steps": {}}
        if not self.path.exists():
            return
        self.content = json.loads(self.path.read_text(encoding="utf-8"))
        before = self.content["settings"]
        for key in sorted(before.keys() | settings.keys()):
            if before.get(key) != json.loads(json.dumps(settings.get(key))):
                raise Failure(f"{folder} was begun with another {key}; give another --out, or remove that folder")

    def save(self):
        write(self.path, json.dumps(self.content, indent=2) + "\n")

    def step(self, name):
        return self.content["steps"].setdefault(name, {"done": False, "sittings": 0, "seconds": 0.0, "cpu_seconds": 0.0})

    def is_done(self, name):
        return self.content["steps"].get(name, {}).get("done", False)

    def seconds(self, *prefixes):
        return sum(step["seconds"] for name, step in self.content["steps"].items() if name.startswith(prefixes))

    def run(self, name, work):
        """Does the work of a step unless it is done. Seconds count however it ends."""
        if self.is_done(name):
            return
        step = self.step(name)
        began, used = time.monotonic(), cpu_seconds()
        try:
            work()
            step["done"] = True
        finally:
            step["sittings"] += 1
            step["seconds"] = round(step["seconds"] + time.monotonic() - began, 1)
            step["cpu_seconds"] = round(step["cpu_seconds"] + cpu_seconds() - used, 1)
            self.save()

    def once(self, name, choose):
        """A value that is chosen once and then stays."""
        if name not in self.content:
            self.content[name] = choose()
            self.save()
        return self.content[name]


def cpu_seconds():
    """Of this process and of all that have ended below it."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


# --- problems and rows

def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def statement_key(problem):
    """What a problem states, whatever its name and layout."""
    text = re.sub(r"/--.*?-/", " ", problem["formal_statement"], flags=re.DOTALL)
    text = re.sub(r":=(\s*by)?(\s*sorry)?\s*$", "", text)
    return " ".join(re.sub(r"^\s*(theorem|lemma)\s+(«[^»]*»|[^\s:({\[«])+(\{[^}]*\})?", "", text).split())


def drawn(problems, count, seed):
    """A sample, of which a smaller one is the beginning."""
    def order(problem):
        return hashlib.sha256(f"{seed} {problem.get('category', '')} {problem['name']}".encode()).hexdigest()
    return sorted(problems, key=order)[:count]


def training_sample(problems, held_out, count, seed, statement_bytes):
    """Problems to train on: none states what one of the held-out problems states, and none is too long."""
    kept_out = {statement_key(problem) for problem in held_out}
    names = {problem["name"] for problem in held_out}
    return drawn([problem for problem in problems
                  if statement_key(problem) not in kept_out and problem["name"] not in names
                  and len(problem["formal_statement"].encode()) <= statement_bytes], count, seed)


def slices_of(problems, size):
    return [problems[at:at + size] for at in range(0, len(problems), size)]


def divided(rows, problems, share, seed):
    """(rows to train on, rows for validation): all rows of a module are in one of them. No row may be of a theorem that
    is not among the problems."""
    modules = {problem["name"]: problem.get("category", "") for problem in problems}
    train, valid = [], []
    for row in rows:
        theorem = row["source"]["theorem"]
        if theorem not in modules:
            raise Failure(f"there is a row of {theorem}, which is not in the sample")
        at = int(hashlib.sha256(f"{seed} {modules[theorem]}".encode()).hexdigest()[:8], 16) / 2**32
        (valid if at < share else train).append(row)
    return (train, valid) if train else (valid, [])


# --- results

def outcomes(folder):
    """(problem, run) -> its result, of the problems that Lean could judge."""
    return {(result["problem"], result["run"]): result for result in read_lines(folder / "results.jsonl")
            if result["outcome"] not in ("invalid", "unverified")}


def solved_within(result, unit, limit):
    """Whether there is a proof that took no more `checks`, `seconds` or `samples`."""
    if result["outcome"] != "proved":
        return False
    spent = result["checks_to_proof"] if unit == "checks" else result["to_proof"][unit]
    return spent is not None and spent <= limit


def pass_at(k, attempts, proved):
    """Chen et al. 2021; None with fewer attempts than k."""
    return None if attempts < k else 1 - math.comb(attempts - proved, k) / math.comb(attempts, k)


def mcnemar(only_a, only_b):
    """The exact two-sided p: how likely such unequal numbers are if neither is better."""
    n = only_a + only_b
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(min(only_a, only_b) + 1)) / 2**n)


def by_majority(results, is_solved):
    """problem -> whether it is solved in more than half of the runs."""
    runs = {}
    for (problem, _), result in results.items():
        runs.setdefault(problem, []).append(is_solved(result))
    return {problem: 2 * sum(solved) > len(solved) for problem, solved in runs.items()}


def paired(a, b):
    """Compares two arms on the problems that both have."""
    common = a.keys() & b.keys()
    only_a, only_b = (sum(x[p] and not y[p] for p in common) for x, y in ((a, b), (b, a)))
    return {"problems": len(common), "both": sum(a[p] and b[p] for p in common), "only_a": only_a, "only_b": only_b,
            "p": mcnemar(only_a, only_b)}


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def figures_of(results, arm, settings):
    """What an arm's table shows, of the results of one benchmark."""
    rows = list(results.values())
    figures = {"problems": len({problem for problem, _ in results}), "runs": len({run for _, run in results})}
    if arm.startswith("pass/"):
        for k in sorted({1, 8, settings["pass"]}):
            if k <= settings["pass"]:
                figures[f"pass@{k}"] = mean([pass_at(k, row["attempts"], row["proved"]) for row in rows])
        return figures
    for unit in ("checks", "seconds"):
        figures[unit] = mean([float(solved_within(row, unit, settings[unit])) for row in rows])
    if arm.endswith(("+rmaxts", "+puct")):
        for n in settings["search"]:
            figures[f"search@{n}"] = mean([float(solved_within(row, "samples", n)) for row in rows])
    return figures


PAIRS = (("sft", "rl"), ("rl", "rl+rmaxts"), ("rl", "sft+rmaxts"), ("sft+rmaxts", "rl+rmaxts"),
         ("rl+puct", "rl+rmaxts"), ("new+rmaxts", "sft+rmaxts"), ("builtin", "builtin+rl"))
PASS_PAIRS = (("sft", "more-sft"), ("more-sft", "expert"), ("sft", "expert"), ("expert", "grpo"), ("expert", "vapo"),
              ("grpo", "vapo"))


def comparisons(arms, settings):
    """`arms`: the results of each. Pairs of arms at equal checks, at equal seconds and at pass@k."""
    found = []
    for prefix, pairs, units in (("", PAIRS, ("checks", "seconds")), ("pass/", PASS_PAIRS, ("pass",))):
        for a, b in pairs:
            if prefix + a not in arms or prefix + b not in arms:
                continue
            for unit in units:
                def is_solved(result, unit=unit):
                    if unit == "pass":
                        return result["proved"] > 0
                    return solved_within(result, unit, settings[unit])
                both = [by_majority(arms[prefix + name], is_solved) for name in (a, b)]
                found.append({"a": a, "b": b, "equal": unit, **paired(*both)})
    return found


def percent(value):
    return "–" if value is None else f"{100 * value:.1f}"


def markdown(report):
    settings = report["settings"]
    names = {"checks": f"{settings['checks']} checks", "seconds": f"{settings['seconds']} s", "pass": f"pass@{settings['pass']}"}
    text = [f"# {settings['size']}, seed {settings['seed']}\n",
            f"The model after reinforcement learning (rl) is that of `{report['rl']}`. Solved problems in percent, the mean of "
            "all runs; every proof was accepted by Lean and the verdict. CPU: seconds of all processes of the evaluation, on one "
            "core; checks: by Lean for each problem and run. Fewer checks than a column allows mean that time or samples "
            "ran out first. A problem counts as solved in a comparison if more than half of its runs solve it.\n"]
    for bench, arms in report["benchmarks"].items():
        for is_pass in (False, True):
            chosen = {arm: figures for arm, figures in arms["arms"].items() if arm.startswith("pass/") == is_pass}
            if not chosen:
                continue
            columns = list(dict.fromkeys(key for figures in chosen.values() for key in figures
                                         if key not in ("problems", "runs", "cpu_seconds", "checks_each")))
            text.append(f"## {bench}{': whole proofs' if is_pass else ''}\n")
            text.append("| | problems | runs | " + " | ".join(names.get(c, c) for c in columns) + " | CPU | checks |")
            text.append("|---|" + "---|" * (len(columns) + 4))
            for arm, figures in chosen.items():
                cells = [percent(figures.get(column)) for column in columns]
                checks = figures["checks_each"]
                text.append(f"| {arm.removeprefix('pass/')} | {figures['problems']} | {figures['runs']} | " + " | ".join(cells)
                            + f" | {figures['cpu_seconds']:.0f} | {'–' if checks is None else f'{checks:.0f}'} |")
            text.append("")
        if arms["pairs"]:
            text.append("| A | B | equal | both | only A | only B | McNemar p |\n|---|---|---|---|---|---|---|")
            text += ["| {a} | {b} | {unit} | {both} | {only_a} | {only_b} | {p:.3g} |".format(unit=names[pair["equal"]], **pair)
                     for pair in arms["pairs"]]
            text.append("")
    text.append("## Seconds\n\n| stage | seconds | CPU seconds |\n|---|---|---|")
    text += [f"| {stage} | {seconds:.0f} | {cpu:.0f} |" for stage, (seconds, cpu) in report["seconds"].items()]
    return "\n".join(text) + "\n"


# --- the stages

class Training:
    def __init__(self, out, settings, driver, state, workers):
        self.out, self.settings, self.driver, self.state = out, settings, driver, state
        self.workers = [] if workers is None else ["--jobs", str(workers), "--workers", str(workers)]
        self.seed = settings["seed"]

    def zermelo(self, *words, **more):
        return self.driver.run(PROGRAM, *words, cwd=self.out, **more)

    def train(self, *words, **more):
        return self.driver.run(TRAINER, *words, cwd=self.out, **more)

    def model(self, name):
        folders = {"new": "new", "expert": "expert/model"}
        return self.out / folders.get(name, f"{name}/model")

    def changes(self, stage, *more):
        """A stage's settings of the trainer."""
        settings = {**self.settings[stage], "seed": self.seed, **dict(more)}
        return [word for key, value in settings.items() for word in ("--set", f"{key}={str(value).lower()}")]

    def without(self):
        return [word for name in ("corelib-valid", "corelib-test", "minif2f-core")
                for word in ("--without", self.out / f"problems/{name}.jsonl")]

    def held_out(self):
        return [problem for name in ("corelib-valid", "corelib-test", "minif2f-core")
                for problem in read_lines(self.out / f"problems/{name}.jsonl")]

    def sample(self):
        return read_lines(self.out / "data/sample.jsonl")

    def evaluation(self, problems, out, *words, runs=1):
        """Goes on until each problem has a result in each run; Lean may be unable to judge some of them."""
        code = self.zermelo("eval", problems, "--out", out, "--runs", runs, "--quiet", *words, may_end=(0, UNJUDGED))
        wanted = runs * len(read_lines(problems))
        if code == UNJUDGED and len({(r["problem"], r["run"]) for r in read_lines(out / "results.jsonl")}) < wanted:
            raise Failure(f"Lean could not run (see above, and {out}); run the same command again to continue", UNJUDGED)

    # data

    def write_problems(self):
        """corelib's splits and minif2f-core as files."""
        folder = self.out / "problems"
        folder.mkdir(exist_ok=True)
        for split in ("train", "valid", "test"):
            modules = self.settings["modules"]
            rows = []
            for name in ["corelib"] if modules is None else [f"corelib:{module}" for module in modules[split]]:
                self.zermelo("eval", name, "--split", split, "--write-problems", folder / "part.jsonl", "--quiet")
                rows += read_lines(folder / "part.jsonl")
            write_lines(folder / f"corelib-{split}.jsonl", rows)
        (folder / "part.jsonl").unlink()
        shutil.copy(MINIF2F, folder / "minif2f-core.jsonl")

    def write_sample(self):
        settings = self.settings
        chosen = training_sample(read_lines(self.out / "problems/corelib-train.jsonl"), self.held_out(),
                                 settings["slices"] * settings["slice"], self.seed, settings["statement_bytes"])
        made = training_sample(synthetic.statements(settings["synthetic"], self.seed), self.held_out(), settings["synthetic"],
                               self.seed, settings["statement_bytes"])
        for number, part in enumerate(slices_of(chosen, settings["slice"]) + slices_of(made, settings["slice"]), 1):
            write_lines(self.out / f"data/slice-{number:03}/problems.jsonl", part)
        # In another order than that of the draw, in which the few of many come first.
        chosen = drawn(chosen + made, len(chosen) + len(made), f"{self.seed} mixed")
        write_lines(self.out / "data/sample.jsonl", chosen)

    def prove(self, part):
        """The built-in policy's proofs of a slice."""
        self.evaluation(part / "problems.jsonl", part / "proofs", "--budget", self.settings["prove_budget"], "--seed",
                        self.seed, *self.workers)

    def trace(self, part):
        """The tactics of these proofs, with the states around them."""
        if any((part / "proofs/proofs").glob("*.lean")):
            self.zermelo("trace", part / "proofs/proofs", "--out", part / "trace.jsonl", "--quiet", *self.workers[2:],
                         may_end=(0, UNTRACED))

    def write_rows(self, parts):
        """Rows of whole proofs and of single tactics, without what is held out."""
        rows = {}
        for format_name in (PROOFS, TACTICS):
            sources = [part / "trace.jsonl" for part in parts if (part / "trace.jsonl").exists()]
            if format_name == PROOFS:
                sources += [part / "proofs" for part in parts]
            if not sources:
                continue
            exported = self.out / f"data/{format_name}.jsonl"
            code = self.zermelo("export", "sft", *(word for source in sources for word in ("--from", source)), *self.without(),
                                "--format", format_name, "--out", exported, may_end=(0, NO_ROWS))
            for row in read_lines(exported) if code == 0 else []:
                content = {key: value for key, value in row.items() if key not in ("source", "kind")}
                rows.setdefault(json.dumps(content, sort_keys=True), row)
        if not rows:
            raise Failure("the built-in policy has proved nothing of the sample; see data/slice-*/proofs/report.html", 1)
        train, valid = divided(rows.values(), self.sample(), self.settings["validation"], self.seed)
        write_lines(self.out / "rows.jsonl", train)
        write_lines(self.out / "valid-rows.jsonl", valid)
        self.driver.say(f"{len(train)} rows to train on, {len(valid)} for validation")

    def data(self):
        self.state.run("data/problems", self.write_problems)
        self.state.run("data/sample", self.write_sample)
        parts = sorted((self.out / "data").glob("slice-*"))
        for number, part in enumerate(parts, 1):
            if not self.state.is_done(f"data/{part.name}/trace"):
                self.driver.say(f"data: slice {number} of {len(parts)}")
            self.state.run(f"data/{part.name}/prove", lambda part=part: self.prove(part))
            self.state.run(f"data/{part.name}/trace", lambda part=part: self.trace(part))
        self.state.run("data/rows", lambda: self.write_rows(parts))

    # training

    def sft(self):
        def tokenizer():
            self.train("tokenizer", "--data", "rows.jsonl", "--size", self.settings["vocabulary"], "--out", "tokenizer.json")

        def new():
            shape = [word for key, value in self.settings["model"].items() for word in (f"--{key}", value)]
            self.train("init", "--tokenizer", "tokenizer.json", *shape, "--context", self.settings["context"], "--seed", self.seed,
                       "--out", "new")
        self.state.run("sft/tokenizer", tokenizer)
        self.state.run("sft/new", new)
        self.state.run("sft/train", lambda: self.fine_tune("new", "sft"))

    def fine_tune(self, start, out, *more):
        valid = self.out / "valid-rows.jsonl"
        validation = ["--validation", valid] if valid.stat().st_size > 0 else []
        self.train("sft", "--model", self.model(start), "--data", "rows.jsonl", *validation, "--out", out,
                   *self.changes("sft", ("drop_long", True), *more))

    def expert(self):
        settings = self.settings["expert"]

        def iterate():
            problems = self.out / "expert-problems.jsonl"
            write_lines(problems, self.sample()[:settings["problems"]])
            self.driver.run(sys.executable, ROOT / "scripts/expert_iteration.py", problems, "--model", self.model("sft"), "--base",
                            self.model("new"), "--data", self.out / "rows.jsonl", "--format", PROOFS, "--strategy",
                            settings["strategy"], "--budget", settings["budget"], "--rounds", settings["rounds"], "--max-tokens",
                            self.settings["max_tokens"], "--seed", self.seed, "--out", self.out / "expert", *self.without(),
                            *self.workers, *self.changes("sft", ("drop_long", True)))
        self.state.run("expert/rounds", iterate)

    def rl_problems(self):
        """Problems that the model proves now and then; those that the built-in policy has proved, if there are none."""
        def export(sources, *bounds):
            return self.zermelo("export", "rl", *(word for source in sources for word in ("--from", source)), *self.without(),
                                "--format", PROOFS, *bounds, "--out", self.out / "rl/problems.jsonl", may_end=(0, NO_ROWS))

        def attempt():
            self.evaluate_arm(self.out / "expert-problems.jsonl", self.out / "rl/attempts", self.pass_words("expert", self.settings["rl_attempts"]))

        def select():
            if export([self.out / "rl/attempts"], "--min-proved", "1", "--max-pass-rate", "0.9") == 0:
                return
            self.driver.say("no problem is proved by some of the attempts only: learning with those of the built-in policy")
            if export(sorted((self.out / "data").glob("slice-*/proofs")), "--min-proved", "1") != 0:
                raise Failure("there are no problems for reinforcement learning", 1)
        (self.out / "rl").mkdir(exist_ok=True)
        self.state.run("rl/attempts", attempt)
        self.state.run("rl/problems", select)

    def reinforce(self, method):
        self.rl_problems()
        self.state.run(f"{method}/train", lambda: self.train(
            method, "--model", self.model("expert"), "--data", "rl/problems.jsonl", "--out", method, *self.workers[2:],
            *self.changes(method, ("max_tokens", self.settings["max_tokens"]))))

    def grpo(self):
        self.reinforce("grpo")

    def vapo(self):
        self.reinforce("vapo")

    def controls(self):
        """Supervised training that goes on for as long as expert iteration and GRPO took."""
        steps = self.settings["sft"]["steps"]

        def more_steps():
            each = self.state.seconds("sft/train") / steps
            return max(1, min(10 * steps, round(self.state.seconds("expert/", "rl/", "grpo/") / each)))
        self.state.run("controls/more-sft", lambda: self.fine_tune(
            "sft", "more-sft", ("steps", self.state.once("more_sft_steps", more_steps)), ("warmup", 0)))

    # evaluation

    def write_models(self):
        """zermelo.toml: each model with both of its formats."""
        sampling = f"sampling = {{ max_tokens = {self.settings['max_tokens']}, temperature = 1.0 }}"
        text = "".join(f'[models.{name}-{kind}]\npath = {json.dumps(str(self.model(name)))}\nformat = "{form}"\n{sampling}\n\n'
                       for name in ("new", *TRAINED) for kind, form in (("proofs", PROOFS), ("tactics", TACTICS)))
        write(self.out / "zermelo.toml", text)

    def pass_words(self, model, attempts):
        return ["--model", f"{model}-proofs", "--strategy", "whole_proof", "--budget", f"{attempts}x1", "--all-attempts"]

    def evaluate_arm(self, problems, out, words, one_core=False, runs=1):
        """An evaluation; on one core, so that seconds are seconds of the processor, where time is compared."""
        self.write_models()
        cores = os.sched_getaffinity(0)
        workers = ["--jobs", "1", "--workers", "1"] if one_core else self.workers
        if one_core:
            os.sched_setaffinity(0, {max(cores)})
        try:
            self.evaluation(problems, out, "--config", self.out / "zermelo.toml", "--seed", 1000 * self.seed, *words, *workers,
                            runs=runs)
        finally:
            os.sched_setaffinity(0, cores)

    def timed_words(self, arm):
        model, _, search = arm.partition("+")
        time_limit = f"{self.settings['seconds']}s"
        if model == "builtin":
            words = ["--strategy", "best_first", "--budget", time_limit]
            return words + (["--model", f"{self.rl()}-tactics"] if search else [])
        name = self.rl() if model == "rl" else model
        bandit = ["--set", "rmaxts.bandit=puct"] if search == "puct" else []
        return ["--model", f"{name}-proofs", "--strategy", "rmaxts" if search else "whole_proof", *bandit, "--budget",
                f"{self.settings['samples']},{time_limit}"]

    def rl(self):
        """The model that stands for reinforcement learning: the best on the validation problems, of equals the later."""
        def choose():
            if not self.state.is_done("evaluation/valid/pass/vapo"):
                raise Failure("which model is best is decided on the validation problems: run the stage `evaluate` first")

            def rate(name):
                return mean([r["proved"] / max(1, r["attempts"]) for r in
                             outcomes(self.out / f"evaluation/valid/pass/{name}").values()]) or 0
            return max(("vapo", "grpo", "expert"), key=rate) if any(map(rate, ("vapo", "grpo", "expert"))) else "grpo"
        return self.state.once("rl", choose)

    def run_arms(self, which, benches, arms):
        problems = self.out / f"evaluation/{which}.jsonl"
        write_lines(problems, [problem for bench in benches for problem in drawn(
            read_lines(self.out / f"problems/{bench}.jsonl"), self.settings["problems"][bench], self.seed)])
        for arm in arms:
            out = self.out / f"evaluation/{which}/{arm}"
            if not self.state.is_done(f"evaluation/{which}/{arm}"):
                self.driver.say(f"evaluation on {which}: {arm}")
            is_pass = arm.startswith("pass/")
            runs = 1 if is_pass else self.settings["seeds"]
            self.state.run(f"evaluation/{which}/{arm}", lambda arm=arm, out=out, is_pass=is_pass, runs=runs: self.evaluate_arm(
                problems, out, self.pass_words(arm[5:], self.settings["pass"]) if is_pass else self.timed_words(arm),
                one_core=not is_pass, runs=runs))

    def evaluate(self):
        self.run_arms("valid", ("corelib-valid", "minif2f-core"),
                      [f"pass/{name}" for name in TRAINED] + ["sft", "rl", "sft+rmaxts", "rl+rmaxts", "rl+puct", "new+rmaxts",
                                                              "builtin", "builtin+rl"])

    def test(self):
        """Once, at the end: nothing may be tuned on it."""
        self.run_arms("test", ("corelib-test",), ["sft", "rl", "sft+rmaxts", "rl+rmaxts", "builtin", "builtin+rl"])

    def checks_each(self, folder, results):
        """Mean number of Lean checks of a problem in a run."""
        sessions = read_lines(folder / "sessions.jsonl") if (folder / "sessions.jsonl").exists() else []
        checks = sum(session.get("lean_checks", 0) for session in sessions)
        return checks / len(results) if results and checks else None

    def report(self):
        report = {"settings": self.settings, "rl": self.state.content.get("rl"), "benchmarks": {}, "seconds": {}}
        for which, benches in (("valid", ("corelib-valid", "minif2f-core")), ("test", ("corelib-test",))):
            folder = self.out / f"evaluation/{which}"
            prefix = f"evaluation/{which}/"
            done = [name.removeprefix(prefix) for name, step in self.state.content["steps"].items()
                    if name.startswith(prefix) and step["done"]]
            for bench in benches if done else ():
                names = {problem["name"] for problem in read_lines(self.out / f"problems/{bench}.jsonl")}
                results, arms = {}, {}
                for arm in done:
                    everything = outcomes(folder / arm)
                    results[arm] = {key: result for key, result in everything.items() if key[0] in names}
                    arms[arm] = {**figures_of(results[arm], arm, self.settings),
                                 "checks_each": self.checks_each(folder / arm, everything),
                                 "cpu_seconds": self.state.step(prefix + arm)["cpu_seconds"]}
                report["benchmarks"][bench] = {"arms": arms, "pairs": comparisons(results, self.settings)}
        for name, step in self.state.content["steps"].items():
            total = report["seconds"].setdefault(name.split("/")[0], [0.0, 0.0])
            total[0] += step["seconds"]
            total[1] += step["cpu_seconds"]
        write(self.out / "results.json", json.dumps(report, indent=2) + "\n")
        write(self.out / "results.md", markdown(report))
        self.driver.say(f"the results are in {self.out / 'results.md'}")


def stop_after(seconds, driver):
    """Stops the driver and its program, as a signal would."""
    signal.signal(signal.SIGALRM, lambda *_: driver.stop(signal.SIGTERM, None))
    signal.setitimer(signal.ITIMER_REAL, seconds)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"stages to run, in this order (default: all): {', '.join(STAGES)}")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR", help="folder of everything")
    parser.add_argument("--size", choices=SIZES, default="1m", help="of the model and of all else (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hours", type=float, help="stop after this time; the same command goes on later")
    parser.add_argument("--workers", type=int, metavar="N", help="problems and Lean processes at once, except where time is compared")
    options = parser.parse_args()
    for stage in options.stages:
        if stage not in STAGES:
            parser.error(f"there is no stage {stage}; stages: {', '.join(STAGES)}")
    return options


def main():
    options = arguments()
    with failures_reported():
        for program in (PROGRAM, TRAINER):
            if not program.exists():
                raise Failure(f"{program} is missing; `./zermelo train expert-iteration --help` builds it")
        out = options.out.resolve()
        out.mkdir(parents=True, exist_ok=True)
        driver = Driver(quiet=False)
        driver.hold(out)
        state = State(out, settings_of(options.size, options.seed))
        if options.hours:
            stop_after(3600 * options.hours, driver)
        state.save()
        training = Training(out, state.content["settings"], driver, state, options.workers)
        for stage in [stage for stage in STAGES if stage in (options.stages or STAGES)]:
            getattr(training, stage)()


if __name__ == "__main__":
    main()
