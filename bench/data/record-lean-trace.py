#!/usr/bin/env python3
"""Records what a search asks Lean, for `./zermelo bench lean-checks`.

usage: record-lean-trace.py PROBLEMS.jsonl NAME… > lean-trace.jsonl

Proves the named problems with the built-in policy, writing down what the workers are sent. Each line of
the trace is one candidate: the document up to its place, and the candidate, in the order in which the
search tried them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EACH = 48  # candidates kept of a problem, evenly over its search
HEADER = re.compile(rb"Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n")
PROBE = re.compile(r"^(?P<indent> *)refine \(fun \{p : Sort _\} .*$", re.MULTILINE)


def documents(stream):
    """The texts that a worker was sent, from its standard input."""
    text, at = "", 0
    while True:
        match = HEADER.match(stream, at)
        if not match:
            return
        at = match.end() + int(match.group(1))
        if at > len(stream):
            return  # cut off when the worker was ended
        message = json.loads(stream[match.end():at])
        if message.get("method") == "textDocument/didOpen":
            text = message["params"]["textDocument"]["text"]
            yield text
        elif message.get("method") == "textDocument/didChange":
            change, = message["params"]["contentChanges"]
            line = change["range"]["start"]["line"]  # our changes replace whole lines to the end
            text = "".join(text.splitlines(keepends=True)[:line]) + change["text"]
            yield text


def candidates(text):
    """(document up to the candidate, candidate, its indentation) for each candidate of a probe."""
    probe = PROBE.search(text)
    if not probe:
        return
    indent = len(probe.group("indent"))
    cases = re.split(r"^ *case zc\d+ =>\n", text[probe.end() + 1:], flags=re.MULTILINE)[1:]
    for case in cases:
        lines = re.split(r"^ *case zend", case, flags=re.MULTILINE)[0].splitlines()
        body = "\n".join(" " * indent + line[indent + 2:] for line in lines)
        yield text[:probe.start()], body


def record(problem, folder):
    source = folder / "Problem.lean"
    source.write_text(problem["header"] + problem["formal_statement"].rstrip() + "\n  sorry\n")
    lean = folder / "lean"
    lean.write_text('#!/bin/bash\ncase " $* " in *" --worker "*) tee "$TRACE/$$.lsp" | exec "$LEAN" "$@" ;; '
                    '*) exec "$LEAN" "$@" ;; esac\n')
    lean.chmod(0o755)
    subprocess.run([ROOT / "build/release/zermelo", "prove", source, "--time", "25s", "--quiet", "--workers", "1",
                    "--lean", lean, "--no-sandbox"], check=False, stdout=subprocess.DEVNULL,
                   env={**os.environ, "TRACE": str(folder), "LEAN": str(ROOT / "embedded/bin/lean")})
    found = {}
    for file in sorted(folder.glob("*.lsp"), key=lambda f: f.stat().st_mtime):
        for text in documents(file.read_bytes()):
            for before, body in candidates(text):
                found[before, body] = None
    found = list(found)
    step = max(1, len(found) / EACH)
    kept = [found[int(i * step)] for i in range(min(EACH, len(found)))]
    return [{"theorem": problem["name"], "header": problem["header"], "before": before, "candidate": body}
            for before, body in kept]


def main():
    problems = {p["name"]: p for p in map(json.loads, open(sys.argv[1], encoding="utf-8"))}
    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory(prefix="zermelo-trace-") as folder:
            lines = record(problems[name], pathlib.Path(folder))
        print(f"{name}: {len(lines)}", file=sys.stderr)
        for line in lines:
            print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
