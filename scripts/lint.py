#!/usr/bin/python3
"""Runs clang-tidy.

usage: lint.py [--changed] [--minutes N] [FILE...]
       lint.py --libraries

Without files, on all sources, tests included. A dozen sources of one library are looked at as one, as the unity
build compiles them: they share the time that their headers take. With --libraries, only prints the libraries whose
sources differ from the landed commit; all of them if that is unknown, or how they are built has changed.
"""
import argparse
import collections
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/lint"
BATCH = 12
LINTED = ("src/", "bench/", "examples/")
BUILD_FILES = ("CMakeLists.txt", "CMakePresets.json", "src/CMakeLists.txt")


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def sources_that_include(header):
    """A source that includes a header without a source of its own: its findings show there."""
    names = git("grep", "-l", "-F", f'#include "{header}"', "--", "src/*.cc") or ""
    return [ROOT / name for name in names.splitlines()[:1]]


def landed():
    """The merge base with the main branch of the origin; None where that is HEAD itself, or unknown."""
    base = git("merge-base", "HEAD", os.environ.get("ZERMELO_LINT_BASE", "origin/main"))
    return None if base == git("rev-parse", "HEAD") else base


def changed_files():
    """The sources that differ from the landed commit, or from HEAD~1."""
    base = landed() or git("rev-parse", "HEAD~1")
    if base is None:
        sys.exit("lint: there is no earlier commit to compare with")
    names = git("diff", "--name-only", "--diff-filter=d", base).splitlines()
    files = []
    for name in names:
        path = ROOT / name
        if not name.startswith(LINTED):
            continue
        if path.suffix == ".cc":
            files.append(path)
        elif path.suffix == ".h" and path.with_suffix(".cc").exists():
            files.append(path.with_suffix(".cc"))
        elif path.suffix == ".h":
            files += sources_that_include(name.removeprefix("src/"))
    print(f"lint: {len(set(files))} sources differ from {base[:9]}", file=sys.stderr)
    return sorted(set(files))


def changed_libraries():
    base = landed()
    changed = git("diff", "--name-only", "--no-renames", base) if base else None
    new = git("ls-files", "--others", "--exclude-standard")
    names = None if changed is None or new is None else [*changed.splitlines(), *new.splitlines()]
    if names is None or any(name in BUILD_FILES or name.startswith("cmake/") for name in names):
        return sorted(folder.name for folder in (ROOT / "src").iterdir() if folder.is_dir())
    return sorted({name.split("/")[1] for name in names if name.startswith("src/") and name.count("/") > 1})


def tool(name):
    """The first of Debian's versions that is installed; 16 is preferred, since its checks are those we know."""
    for version in ("16", "18", "19"):
        path = shutil.which(f"/usr/bin/{name}-{version}")
        if path:
            return path
    sys.exit(f"lint: {name} is not installed; run: ./zermelo packages clang")


def commands():
    """How clang compiles each source; those of the trainer only where its libtorch is."""
    torch = ROOT / "build/torch"
    configured = subprocess.run(
        ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={tool('clang++')}",
         "-DZERMELO_TESTS=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
         f"-DZERMELO_TORCH={torch if torch.exists() else ''}"], capture_output=True, text=True, check=False)
    if configured.returncode != 0:
        sys.exit(f"lint: CMake could not configure {BUILD}:\n{configured.stderr[-2000:]}")
    rows = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    return {pathlib.Path(row["file"]): row for row in rows}


def batches(files, rows):
    """(name, sources): sources of one library, tests apart. Others are programs, each by itself."""
    groups = collections.defaultdict(list)
    for file in files:
        if file in rows:
            library = file.relative_to(ROOT / "src").parts[0] if file.is_relative_to(ROOT / "src") else file.stem
            groups[library, file.name.endswith("_test.cc")].append(file)
    for (library, tests), sources in sorted(groups.items()):
        parts = -(-len(sources) // BATCH)
        for part in range(parts):
            yield f"{library}{'_test' if tests else ''}_{part}", sources[part::parts]


def write_batch(name, sources, rows):
    """A row of a compilation database for a source that includes these."""
    path = BUILD / "batches" / f"{name}.cc"
    path.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
    words = shlex.split(rows[sources[0]]["command"])
    words = words[words.index(next(w for w in words if "clang++" in w)):]
    definitions = {w for source in sources for w in shlex.split(rows[source]["command"]) if w.startswith("-D")}
    command = [w for w in words if w != str(sources[0]) and not w.startswith("-D")]
    del command[command.index("-o"):command.index("-o") + 2]
    command += [*sorted(definitions), str(path)]
    return {"directory": str(BUILD), "file": str(path), "command": shlex.join(command)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changed", action="store_true", help="only sources that differ from the last landed commit")
    parser.add_argument("--minutes", type=float, default=240, help="time limit; what is left then is listed")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--libraries", action="store_true", help="list the changed libraries, and nothing else")
    arguments = parser.parse_args()
    if arguments.libraries:
        print(*changed_libraries(), sep="\n")
        return
    rows = commands()
    files = [file.resolve() for file in arguments.files] or (
        changed_files() if arguments.changed else sorted(f for f in rows if str(f.relative_to(ROOT)).startswith(LINTED)))
    shutil.rmtree(BUILD / "batches", ignore_errors=True)
    (BUILD / "batches").mkdir()
    todo = list(batches(files, rows))
    database = [write_batch(name, sources, rows) for name, sources in todo]
    (BUILD / "batches/compile_commands.json").write_text(json.dumps(database), encoding="utf-8")

    deadline = time.monotonic() + 60 * arguments.minutes
    running, done, failed = {}, [], []
    todo.reverse()
    while todo or running:
        while todo and len(running) < (os.cpu_count() or 1) and time.monotonic() < deadline:
            name, sources = todo.pop()
            log = open(BUILD / "batches" / f"{name}.log", "w+", encoding="utf-8")
            running[name] = (subprocess.Popen(
                [tool("clang-tidy"), "--quiet", "-p", BUILD / "batches", f"--config-file={ROOT / '.clang-tidy'}",
                 "--checks=-bugprone-suspicious-include,-misc-include-cleaner", BUILD / "batches" / f"{name}.cc"],
                stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL), sources, log)
        for name, (process, sources, log) in list(running.items()):
            late = time.monotonic() > deadline
            if process.poll() is None and late:
                process.kill()
                process.wait()
                todo.append((name, sources))
                del running[name]
            elif process.poll() is not None:
                log.seek(0)
                text = log.read()
                if process.returncode != 0:
                    failed.append(name)
                    print(text, flush=True)
                done += sources
                del running[name]
        if todo and not running and time.monotonic() > deadline:
            break
        time.sleep(0.2)
    left = [str(source.relative_to(ROOT)) for _, sources in todo for source in sources]
    if left:
        print(f"lint: no time for {len(left)} sources:", *left, sep="\n  ")
    print(f"lint: looked at {len(done)} sources, findings in {len(failed)} batches")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
