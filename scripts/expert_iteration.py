#!/usr/bin/python3
"""Improves a model with its own proofs: generate, verify, filter, train; and again with the model that comes out."""
import argparse
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo"))
TRAINER = pathlib.Path(os.environ.get("ZERMELO_TRAINER", PROGRAM.parent / "zermelo-train"))
SEEDS_OF_A_ROUND = 1_000_000
NO_ROWS = 1  # the exit code of `zermelo export` without any
WAIT = 60.0  # seconds, for the programs of a driver that was killed
USAGE, ENVIRONMENT, STOPPED = 2, 3, 130


class Failure(Exception):
    def __init__(self, message, code=USAGE):
        super().__init__(message)
        self.code = code


class Driver:
    """Runs the programs of the stages. Each continues its own work, so a stage is simply run again."""

    def __init__(self, quiet):
        self.quiet, self.stopped, self.process = quiet, None, None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)

    def stop(self, number, _):
        self.stopped = number
        if self.process and number == signal.SIGTERM:  # the terminal sends Ctrl-C to all
            self.process.terminate()

    def run(self, *command, may_end=(0,), cwd=None):
        """The exit code, one of `may_end`. The program ends with this process, even if that is killed."""
        if self.stopped:
            raise Failure("stopped; run the same command again to continue", STOPPED)
        words = [str(word) for word in command]
        self.process = subprocess.Popen(words, cwd=cwd, stdin=subprocess.DEVNULL, pass_fds=[self.lock.fileno()],
                                        preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM))  # PDEATHSIG
        if self.stopped:  # while the program was started, when `stop` did not have it yet
            self.process.terminate()
        code, self.process = self.process.wait(), None
        if code in may_end:
            return code
        if self.stopped or code in (STOPPED, -signal.SIGINT, -signal.SIGTERM):
            raise Failure("stopped; run the same command again to continue", STOPPED)
        raise Failure(f"`{words[0].rpartition('/')[2]} {' '.join(words[1:3])}` failed (see above); "
                      "run the same command again to continue", code if code > 0 else ENVIRONMENT)

    def hold(self, folder):
        """Only one driver and its programs at a time; the lock is theirs, too."""
        self.lock = open(folder / ".lock", "w", encoding="utf-8")
        deadline = time.monotonic() + WAIT
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise Failure(f"another run of this program works in {folder}", ENVIRONMENT) from None
                time.sleep(0.1)

    def say(self, text):
        if not self.quiet:
            print(f"zermelo: {text}", file=sys.stderr)


def write(path, text):
    """All of a file or, if the process is killed or the disk is full, none of it."""
    new = path.with_name(path.name + ".new")
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def read_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def content(row):
    """What a row teaches, whatever its source."""
    return json.dumps({key: row.get(key) for key in ("prompt", "completion", "segments")}, sort_keys=True)


def proved_in(folder):
    """(problems tried, problems proved) of an evaluation."""
    results = read_lines(folder / "results.jsonl")
    return ({result["problem"] for result in results},
            {result["problem"] for result in results if result["outcome"] == "proved"})


def check_settings(out, options, may_change):
    """A run is continued with the settings that it was begun with, except for those that may change."""
    settings = {key: [str(v) for v in value] if isinstance(value, list) else str(value)
                for key, value in vars(options).items() if key not in may_change}
    path = out / "settings.json"
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        for key, value in settings.items():
            if before.get(key) != value:
                raise Failure(f"{out} is the folder of a run with another {key}; give another --out, or remove that folder")
    write(path, json.dumps(settings, indent=2) + "\n")


def prove(driver, options, model, problems, out, *how):
    """An evaluation of a model's folder. `options`: those of add_proving_options."""
    config = out.with_name("zermelo.toml")
    write(config, f'[models.student]\npath = {json.dumps(str(model))}\nformat = {json.dumps(options.format)}\n'
                  f'sampling = {{ max_tokens = {options.max_tokens}, temperature = {options.temperature} }}\n')
    more = [word for flag in ("lean", "project", "jobs", "workers") if getattr(options, flag) is not None
            for word in (f"--{flag}", getattr(options, flag))]
    driver.run(PROGRAM, "eval", problems, "--config", config, "--model", "student", *how, "--out", out, *more,
               *(["--quiet"] if options.quiet else []))


class Iteration:
    def __init__(self, options, driver):
        self.options, self.driver = options, driver
        self.out = options.out.resolve()

    def folder(self, number):
        return self.out / f"round-{number:03}"

    def model_before(self, number):
        return self.folder(number - 1) / "sft/model" if number > 1 else self.options.model.resolve()

    def generate(self, number):
        """The model searches for proofs, and Lean judges them."""
        options = self.options
        how = [word for change in options.search for word in ("--set", change)]
        how += [] if options.builtin else ["--no-builtin"]
        prove(self.driver, options, self.model_before(number), options.problems, self.folder(number) / "proofs", "--strategy",
              options.strategy, "--budget", options.budget, "--runs", options.runs, "--seed",
              options.seed + (number - 1) * SEEDS_OF_A_ROUND, *how)

    def filter(self, number):
        """The rows to train on: those given, and the proofs of all rounds, without duplicates and test sets."""
        folder = self.folder(number)
        sources = [word for i in range(1, number + 1) for word in ("--from", self.folder(i) / "proofs")]
        without = [word for benchmark in self.options.without for word in ("--without", benchmark)]
        (folder / "export").mkdir(exist_ok=True)
        exported = folder / "export/rows.jsonl"
        code = self.driver.run(PROGRAM, "export", "sft", *sources, *without, "--format", self.options.format, "--out",
                               exported, may_end=(0, NO_ROWS))
        own = read_lines(exported) if code == 0 else []
        given = read_lines(self.options.data) if self.options.data else []
        rows = {}
        for row in given + own:
            rows.setdefault(content(row), row)
        if not rows:
            raise Failure(f"round {number} has proved nothing, and there are no other rows to train on: give --data, a "
                          "larger --budget or another --model", 1)
        write(folder / "rows.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values()))
        return len(rows), len(own)

    def train(self, number):
        options, folder = self.options, self.folder(number)
        base = options.base.resolve() if options.base else options.model.resolve()
        model = self.model_before(number) if options.start == "last" else base
        threads = [] if options.threads is None else ["--threads", options.threads]
        self.driver.run(TRAINER, "sft", "--model", model, "--data", folder / "rows.jsonl", "--out", folder / "sft",
                        *(word for change in options.set for word in ("--set", change)), *threads,
                        *(["--quiet"] if options.quiet else []))
        return read_lines(folder / "sft/curve.jsonl")[-1]["loss"]

    def round(self, number):
        """The figures of a round, which is made unless it is there."""
        folder = self.folder(number)
        summary = folder / "round.json"
        if summary.exists():
            return json.loads(summary.read_text(encoding="utf-8"))
        folder.mkdir(exist_ok=True)
        began = time.monotonic()
        self.driver.say(f"round {number} of {self.options.rounds}: the model proves")
        self.generate(number)
        generated = time.monotonic()
        rows, proofs = self.filter(number)
        self.driver.say(f"round {number}: training on {rows} rows")
        loss = self.train(number)
        tried, proved = proved_in(folder / "proofs")
        earlier = set().union(*(proved_in(self.folder(i) / "proofs")[1] for i in range(1, number)))
        line = {"round": number, "tried": len(tried), "proved": len(proved), "new": len(proved - earlier),
                "proved_so_far": len(proved | earlier), "proofs": proofs, "rows": rows, "loss": loss,
                "proving_seconds": round(generated - began, 1),
                "training_seconds": round(time.monotonic() - generated, 1)}
        write(summary, json.dumps(line) + "\n")
        return line

    def run(self):
        self.out.mkdir(parents=True, exist_ok=True)
        self.driver.hold(self.out)
        check_settings(self.out, self.options, ("rounds", "quiet", "jobs", "workers", "threads"))
        lines = []
        for number in range(1, self.options.rounds + 1):
            lines.append(self.round(number))
            write(self.out / "curve.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
            link = self.out / "model.new"
            link.unlink(missing_ok=True)
            link.symlink_to(f"round-{number:03}/sft/model")
            os.replace(link, self.out / "model")
            self.driver.say("round {round}: proved {proved} of {tried}, {new} for the first time; {proofs} proofs, loss "
                            "{loss:.3g}".format(**lines[-1]))
        self.driver.say(f"the model is in {self.out / 'model'}")


def existing_folder(text):
    path = pathlib.Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return path


def at_least_one(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def add_proving_options(group):
    group.add_argument("--format", default="deepseek-prover-v1.5", metavar="NAME", help="prompt format (default: %(default)s)")
    group.add_argument("--max-tokens", type=at_least_one, default=512, metavar="N", help="of a sample (default: 512)")
    group.add_argument("--temperature", type=float, default=1.0, help="of the samples (default: 1)")
    group.add_argument("--seed", type=int, default=1, help="seed of the first evaluation (default: 1)")
    group.add_argument("--project", type=existing_folder, metavar="DIR", help="Lake project to prove in")
    group.add_argument("--lean", metavar="PATH", help="Lean to use")
    group.add_argument("--jobs", type=at_least_one, metavar="J", help="problems at once")
    group.add_argument("--workers", type=at_least_one, metavar="N", help="Lean processes")


def arguments():
    parser = argparse.ArgumentParser(
        prog="zermelo train expert-iteration", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example:\n  zermelo train expert-iteration problems.jsonl --model sft/model --base new --data rows.jsonl \\\n"
               "      --rounds 3 --out expert\n\nRun the same command again to continue a run that ended early.")

    def file(text):
        path = pathlib.Path(text)
        if not path.is_file():
            raise argparse.ArgumentTypeError(f"there is no file {text}")
        return path

    parser.add_argument("problems", metavar="BENCHMARK", help="problems, as `zermelo eval` reads them")
    parser.add_argument("--model", type=existing_folder, required=True, metavar="DIR",
                        help="model that proves in the first round")
    parser.add_argument("--base", type=existing_folder, metavar="DIR",
                        help="model that each round's training begins with (default: --model)")
    parser.add_argument("--start", choices=("base", "last"), default="base",
                        help="begin each training with --base, or with the model of the round before (default: base)")
    parser.add_argument("--data", type=file, metavar="FILE", help="more rows to train on, in every round")
    parser.add_argument("--rounds", type=at_least_one, default=3, metavar="N", help="number of rounds (default: 3)")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR", help="folder of the run")
    group = parser.add_argument_group("proving")
    group.add_argument("--strategy", choices=("whole_proof", "best_first", "rmaxts"), default="whole_proof",
                       help="how proofs are searched for (default: whole_proof)")
    group.add_argument("--budget", default="8", help="of each problem, as in `zermelo eval` (default: 8 samples)")
    group.add_argument("--runs", type=at_least_one, default=1, metavar="R",
                       help="searches for each problem, each with its own proof (default: 1)")
    group.add_argument("--search", action="append", default=[], metavar="NAME=VALUE",
                       help="parameter of the strategy, as --set of `zermelo eval` (repeatable)")
    group.add_argument("--builtin", action="store_true", help="also try the built-in tactics in best_first")
    add_proving_options(group)
    group = parser.add_argument_group("training")
    group.add_argument("--without", action="append", default=[], metavar="BENCHMARK",
                       help="leave out proofs of this benchmark's statements (repeatable)")
    group.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                       help="setting of `zermelo train sft` (repeatable)")
    group.add_argument("--threads", type=at_least_one, metavar="N", help="threads of matrix products")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only errors")
    return parser.parse_args()


@contextlib.contextmanager
def failures_reported():
    """Ends the program with the message and the exit code of a failure."""
    try:
        yield
    except Failure as failure:
        print(f"zermelo: {failure}", file=sys.stderr)
        sys.exit(failure.code)
    except OSError as error:
        print(f"zermelo: {error}", file=sys.stderr)
        sys.exit(ENVIRONMENT)


def main():
    options = arguments()
    with failures_reported():
        Iteration(options, Driver(options.quiet)).run()


if __name__ == "__main__":
    main()
