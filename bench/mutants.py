#!/usr/bin/env python3
# bench: mutation testing: whether the tests of strategy/, search/ and policy/ notice small changes (40 minutes)
"""Mutation run: makes one small change at a time in a copy of the sources, builds what depends on it, and runs
the tests that cover it. A mutant is caught if a test fails, crashes or hangs.

usage: mutants.py [--seed N] [--drawn N] [--only ID,...] [--list] [--build DIR] [-j N] [--json]

The mutants are the ten of the audit against the papers (A1 to A10: mechanisms that tests once did not notice,
bench/mutants/audit.json) and a number drawn by the seed from all conditions, constants and calls in
src/strategy, src/search and src/policy, tests and their helpers apart (D1, D2, ...). A mutant that no test can
catch because the program behaves the same is listed with the reason in bench/mutants/equivalent.json and does
not count as a survivor. Why it is an own script: docs/adr/0016-mutants.md.

The exit code is 1 if a mutant survives. --json has the metrics mutants, caught, equivalent and survived, and beside
the seconds that passed the processor's, which other work on the machine does not change much.
"""
import argparse
import collections
import hashlib
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LISTS = Path(__file__).resolve().parent / "mutants"
FOLDERS = ["src/strategy", "src/search", "src/policy"]
NOT_CODE = re.compile(r"_(test|fuzz|bench)\.(cc|h)$|/testing/")
SECONDS_PER_TEST_RUN = 300
BYTES_PER_TEST_RUN = 8 << 30  # a mutant may never stop to allocate
TARGETS = {"survived": {"op": "<=", "value": 0}, "seconds": {"op": "<=", "value": 2400}}
# Which tests run for a change in a folder: its own library's, then those of the libraries that use it.
TESTS = {"strategy": ["strategy"], "search": ["search", "strategy"], "policy": ["policy", "strategy"]}


# ---- the places that can be changed

TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*(?:\\\n[^\n]*)*|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"
            |'(?:\\.|[^'\\\n])+')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\d[\d'.]*(?:e[+-]?\d+)?[A-Za-z]*)
  | (?P<operator>[ ](?:<=|>=|==|!=|&&|\|\||<|>)[ ])
  | (?P<not>!(?=[\w(*]))
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
CALL = re.compile(r"^[ ]+(?:co_await )?[A-Za-z_][\w.]*(?:(?:\.|->|::)\w+)*\(.*\);$")
# Constants that are no behaviour: array sizes, template arguments and shifts of a compile-time table are
# recognised only by the line they stand on.
NO_BEHAVIOUR = re.compile(r"static_assert|\bcase \d|template|\breserve\(|using |#")


def in_words(number):
    """The constant that stands in for a constant."""
    digits = re.match(r"[\d'.]+(?:e[+-]?\d+)?", number).group()
    suffix = number[len(digits):]
    if number.startswith("0x") or number.startswith("0X"):
        return None
    if "." in digits or "e" in digits:
        return f"{float(digits.replace(chr(39), '')) * 2 + 1}{suffix}"
    return f"{int(digits.replace(chr(39), '')) + 1}{suffix}"


def places(path):
    """All (begin, end, new text, what) of a file."""
    text = (ROOT / path).read_text()
    found = []
    for token in TOKEN.finditer(text):
        begin, end = token.span()
        line_begin = text.rfind("\n", 0, begin) + 1
        line = text[line_begin:text.find("\n", begin)]
        if NO_BEHAVIOUR.search(line):
            continue
        old = token.group()
        if token.group("operator"):
            found.append((begin, end, f" {OPPOSITE[old.strip()]} ", "condition"))
        elif token.group("not"):
            found.append((begin, end, "", "condition"))
        elif token.group("number") and in_words(old):
            found.append((begin, end, in_words(old), "constant"))
        elif old in ("true", "false"):
            found.append((begin, end, "false" if old == "true" else "true", "constant"))
    begin = 0
    for line in text.split("\n"):
        if CALL.match(line) and not NO_BEHAVIOUR.search(line) and path.endswith(".cc"):
            indent = len(line) - len(line.lstrip())
            found.append((begin + indent, begin + len(line), ";", "call"))
        begin += len(line) + 1
    return found


class Mutant:
    def __init__(self, name, path, begin, end, new, what):
        self.name, self.path, self.begin, self.end, self.new, self.what = name, path, begin, end, new, what
        text = (ROOT / path).read_text()
        self.old = text[begin:end]
        self.line = text.count("\n", 0, begin) + 1
        line_begin = text.rfind("\n", 0, begin) + 1
        self.context = " ".join(text[line_begin:text.find("\n", end)].split())

    def changed(self):
        text = (ROOT / self.path).read_text()
        return text[:self.begin] + self.new + text[self.end:]

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}: `{self.old.strip()}` -> `{self.new.strip()}` in `{self.context}`"


def drawn(seed, count):
    """The places with the smallest hashes of seed, file, line, change and how often these came before: an edit
    elsewhere does not change the draw."""
    every = []
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            path = str(file.relative_to(ROOT))
            if file.suffix in (".cc", ".h") and not NOT_CODE.search(path):
                every += [(path, *place) for place in places(path)]
    mutants = [Mutant("", *place) for place in every]
    seen = collections.Counter()
    hashes = {}
    for mutant in mutants:
        key = f"{seed} {mutant.path} {mutant.context} {mutant.old} {mutant.new}"
        hashes[mutant] = hashlib.sha256(f"{key} {seen[key]}".encode()).digest()
        seen[key] += 1
    mutants.sort(key=hashes.get)
    for i, mutant in enumerate(mutants):
        mutant.name = f"D{i + 1}"
    return len(every), mutants[:count]


def of_the_audit():
    mutants = []
    for entry in json.loads((LISTS / "audit.json").read_text()):
        path = ROOT / entry["file"]
        text = path.read_text() if path.is_file() else ""
        if text.count(entry["old"]) != 1:
            sys.exit(f"mutants: {entry['id']} no longer applies: {entry['file']} has `{entry['old']}` "
                     f"{text.count(entry['old'])} times, not once; mend bench/mutants/audit.json")
        begin = text.index(entry["old"])
        mutants.append(Mutant(entry["id"], entry["file"], begin, begin + len(entry["old"]), entry["new"],
                              entry["what"]))
    return mutants


def reason_why_equivalent(mutant):
    for entry in json.loads((LISTS / "equivalent.json").read_text()):
        if (entry["file"], entry["line"], entry["old"], entry["new"]) == (
                mutant.path, mutant.context, mutant.old.strip(), mutant.new.strip()):
            return entry["reason"]
    return None


# ---- building and running

class Copy:
    """A copy of the sources with a build folder of its own, so that the checkout stays as it is."""

    def __init__(self, folder, jobs):
        self.sources, self.build, self.jobs = folder / "source", folder / "build", jobs

    def prepare(self):
        self.sources.mkdir(parents=True, exist_ok=True)
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        files = set(filter(None, files))
        for name in files:
            here, there = ROOT / name, self.sources / name
            if not here.is_file() or (there.is_file() and there.read_bytes() == here.read_bytes()):
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(here, there)
        for there in self.sources.rglob("*"):  # what has been deleted or renamed since
            if there.is_file() and str(there.relative_to(self.sources)) not in files:
                there.unlink()
        configure = ["cmake", "-S", self.sources, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                     "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -D_GLIBCXX_ASSERTIONS", "-DCMAKE_CXX_COMPILER=/usr/bin/g++",
                     "-DZERMELO_TESTS=ON"]
        done = subprocess.run(configure, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + "mutants: the copy could not be configured")

    def make(self, libraries):
        command = ["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *(f"{l}_test" for l in libraries)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def write(self, path, text):
        (self.sources / path).write_text(text)

    def passes(self, library, pattern):
        """Whether all tests whose names match pass; shards run at the same time."""
        program = self.build / "src" / library / f"{library}_test"
        shards = []
        for shard in range(self.jobs):
            env = dict(os.environ, GTEST_TOTAL_SHARDS=str(self.jobs), GTEST_SHARD_INDEX=str(shard))
            shards.append(subprocess.Popen([program, f"--gtest_filter={pattern}", "--gtest_fail_fast"], env=env,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           preexec_fn=limit_memory, start_new_session=True))
        deadline = time.monotonic() + SECONDS_PER_TEST_RUN
        good = True
        for process in shards:
            try:
                good = process.wait(max(0.1, deadline - time.monotonic()) if good else 1) == 0 and good
            except subprocess.TimeoutExpired:
                good = False
            if not good:
                break
        for process in shards:
            if process.poll() is None:
                os.killpg(process.pid, 9)
                process.wait()
        return good


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_PER_TEST_RUN, BYTES_PER_TEST_RUN))


def suites_near(path):
    """The suites in the test files of a source's folder: they fail soonest."""
    folder = (ROOT / path).parent
    names = set()
    for file in folder.glob("*_test.cc"):
        names.update(re.findall(r"^TEST(?:_F|_P)?\((\w+),", file.read_text(), re.MULTILINE))
    return ":".join(f"{name}.*" for name in sorted(names)) or None


def judge(copy, mutant):
    """caught, survived, or invalid (it does not compile)."""
    library = mutant.path.split("/")[1]
    copy.write(mutant.path, mutant.changed())
    try:
        for tested in TESTS[library]:
            if copy.make([tested]).returncode != 0:
                return "invalid"
            near = suites_near(mutant.path) if tested == library else None
            for pattern in [near, "*"] if near else ["*"]:
                if not copy.passes(tested, pattern):
                    return "caught"
        return "survived"
    finally:
        copy.write(mutant.path, (ROOT / mutant.path).read_text())


def processor_seconds():
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--drawn", type=int, default=60)
    parser.add_argument("--only", help="mutants by name, e.g. A2,D17")
    parser.add_argument("--list", action="store_true", help="print the mutants, build nothing")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "mutants")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()

    every, chosen = drawn(args.seed, args.drawn)
    mutants = of_the_audit() + chosen
    say = (lambda *words: print(*words, file=sys.stderr, flush=True)) if args.json else (
        lambda *words: print(*words, flush=True))
    say(f"seed {args.seed}: {len(chosen)} of {every} places, and the audit's {len(mutants) - len(chosen)}")
    if args.only:
        mutants = [m for m in mutants if m.name in args.only.split(",")]
    if args.list:
        for mutant in mutants:
            say(f"{mutant.name:4} {mutant}")
        return 0

    began = time.monotonic()
    copy = Copy(args.build, args.jobs)
    copy.prepare()
    made = copy.make(["strategy", "search", "policy"])
    if made.returncode != 0:
        sys.exit(made.stdout[-5000:] + "mutants: the build failed")
    for library in ("strategy", "search", "policy"):
        if not copy.passes(library, "*"):
            sys.exit(f"mutants: {library}_test fails without a change")
    say(f"built and tested in {time.monotonic() - began:.0f} s")

    results = []
    for mutant in mutants:
        start = time.monotonic()
        reason = reason_why_equivalent(mutant)
        verdict = "equivalent" if reason else judge(copy, mutant)
        results.append({"id": mutant.name, "verdict": verdict, "file": mutant.path, "line": mutant.context,
                        "old": mutant.old.strip(), "new": mutant.new.strip(), "reason": reason})
        say(f"{mutant.name:4} {verdict:10} {time.monotonic() - start:4.0f} s  {mutant}" +
            (f": {reason}" if reason else ""))
    count = {v: sum(r["verdict"] == v for r in results) for v in ("caught", "survived", "equivalent", "invalid")}
    say(f"{len(results) - count['invalid']} mutants: {count['caught']} caught, {count['equivalent']} equivalent, "
        f"{count['survived']} survived; {count['invalid']} do not compile; "
        f"{time.monotonic() - began:.0f} s, {processor_seconds():.0f} s of processor time")
    if args.json:
        metrics = {"mutants": len(results) - count["invalid"], "caught": count["caught"],
                   "equivalent": count["equivalent"], "survived": count["survived"],
                   "seconds": round(time.monotonic() - began), "processor_seconds": round(processor_seconds())}
        print(json.dumps({"name": "mutants", "machine": platform.node(), "metrics": metrics, "targets": TARGETS,
                          "seed": args.seed, "places": every, "results": results}))
    return 1 if count["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
