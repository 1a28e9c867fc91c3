#!/usr/bin/env python3
# bench: the second kernel: the embedded Lean's Init, Std and Lean, and what it adds to the verdict on a proof (five minutes)
"""Type-checks the embedded Lean's Init, Std and Lean, and the known proofs of minif2f-core as a verdict does.

usage: kernel.py [--folder DIR] [--library-size GB] [--beside-nanoda DIR] [--beside-lean] [--json]

Library: everything that the three modules import is read and checked, on one thread and on two. A number of declarations
is not accepted, because the public parts of these modules lack what they mention (docs/kernel.md). Proofs: the time of the
kernel within `check --against`, library terms that it reads included; Lean's time in the same run is the baseline. Beside Lean's
kernel: the proofs in one module, checked by ours and added by the embedded Lean's (`lean --run replay.lean`, without the time in
which it loads the imports): a ratio without a target, for that Lean is WebAssembly.

--library-size measures only what a proof costs that imports a library of this size: in $TMPDIR, eight copies of the modules
of Lean under other names, about as many modules and names as Mathlib has, each followed by zeros that stand for its proofs.

--beside-nanoda measures only against nanoda (github.com/ammkrn/nanoda_lib), whose sources are in DIR and are built by cargo:
the declarations that all three modules import, in one export, without those that our kernel does not accept for lack of
private parts; both check all of them on one thread, reading excluded, in turns, and nanoda's rejection ends the benchmark.

--beside-lean asks only what Lean's own kernel says of the declarations that ours does not accept, each in the environment of
its module's imports (half an hour; --out FILE goes on where it stopped).
"""
import argparse
import concurrent.futures
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
PROOFS = [ROOT / "bench/data" / name for name in ("minif2f-core-proofs.jsonl", "minif2f-core-found.jsonl")]
MODULES = ("Init", "Std", "Lean")
NANODA_TARGETS = {"over_nanoda": {"op": ">=", "value": 1}}
ROUNDS = 5  # with nanoda; medians are shown
TARGETS = {"proof_ms_median": {"op": "<=", "value": 50}, "proofs_not_accepted": {"op": "<=", "value": 0}}


def megabytes(library):
    files = [file for module in MODULES for file in [library / f"{module}.olean", *(library / module).rglob("*.olean")]]
    return sum(file.stat().st_size for file in files) / 1e6


def check_library(library, threads):
    done = subprocess.run([PROGRAM, "kernel", *(library / f"{module}.olean" for module in MODULES), "--imports",
                           "--keep-going", "--json", "--quiet", "--threads", str(threads), "--path", library],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(f"kernel: no report on the library, exit code {done.returncode}")
    report = json.loads(done.stdout)
    return {"declarations": report["declarations"], "refused": len(report["refused"]), "seconds": report["seconds"]}


def check_proofs():
    """The milliseconds of the kernel for each proof, by name; Lean's seconds; how many it did not accept."""
    with tempfile.TemporaryDirectory() as folder:
        for line in "".join(file.read_text(encoding="utf-8") for file in PROOFS).splitlines():
            problem = json.loads(line)
            for side, proof in (("original", "  sorry"), ("candidate", problem["proof"])):
                file = Path(folder, side, problem["name"] + ".lean")
                file.parent.mkdir(exist_ok=True)
                file.write_text(f"open Nat Rat\n{problem['statement']} := by\n{proof}\n", encoding="utf-8")
        done = subprocess.run([PROGRAM, "check", Path(folder, "candidate"), "--against", Path(folder, "original"),
                               "--json", "--quiet"], stdout=subprocess.PIPE, text=True, check=False)
        files = json.loads(done.stdout)["files"]
    accepted = [{"kernel": "zermelo", "verdict": "accepted"}]
    times = {Path(file["candidate"]).stem: 1000 * file["seconds"]["kernel"] for file in files}
    return times, sum(file["seconds"]["lean"] for file in files), sum(file["kernels"] != accepted for file in files)


def replay_seconds(lean, exported):
    def once():
        started = time.monotonic()
        done = subprocess.run([lean, "--run", ROOT / "src/lean/replay/replay.lean"], input=exported, stdout=subprocess.PIPE, text=True,
                              check=False)
        if '"accepted"' not in done.stdout:
            sys.exit(f"kernel: Lean's kernel does not accept the proofs: {done.stdout}")
        return time.monotonic() - started
    return statistics.median(once() for _ in range(3))


def check_proofs_beside_lean(library):
    """Seconds of both kernels for all proofs in one module, without what comes before the first declaration."""
    lean = library.parent.parent.parent / "bin/lean"
    with tempfile.TemporaryDirectory() as folder:
        problems = [json.loads(line) for file in PROOFS for line in file.read_text(encoding="utf-8").splitlines()]
        Path(folder, "All.lean").write_text("open Nat Rat\n" + "\n".join(
            f"{problem['statement']} := by\n{problem['proof'].rstrip()}\n" for problem in problems), encoding="utf-8")
        subprocess.run([lean, "-D", "linter.all=false", "-o", "All.olean", "All.lean"], cwd=folder, check=True)
        exported = subprocess.run([PROGRAM, "kernel", "export", Path(folder, "All.olean"), "--own", "--quiet", "--path", library],
                                  stdout=subprocess.PIPE, check=True, text=True).stdout
        imports = exported.partition("\n")[0] + "\n"
        report = kernel_report(Path(folder, "All.olean"), "--path", library)
        if report["verdict"] != "accepted":
            sys.exit(f"kernel: the proofs in one module are not accepted: {report}")
        return report["check_seconds"], replay_seconds(lean, exported) - replay_seconds(lean, imports)


def lay_out(original, size, folder):
    """Copies `Lean` and what is in it to LeaA, LeaB, … in `folder`, with that name changed in their bytes, too, in the names
    of modules and of declarations. Returns the names of the copies."""
    files = [original / "Lean.olean", *(original / "Lean").rglob("*.olean")]
    names = ["Lea" + letter for letter in "ABCDEFGH"]
    factor = size * 1e9 / len(names) / sum(file.stat().st_size for file in files)
    for name in names:
        for file in files:
            data = file.read_bytes()
            for length in (b"\4\0\0\0", b"\4\0\0\0\0\0\0\0"):  # before the text of a string, in 32 and 64 bits
                data = data.replace(length + b"Lean\0", length + name.encode() + b"\0")
            parts = [name if part == "Lean" else part for part in file.relative_to(original).with_suffix("").parts]
            copy = folder.joinpath(*parts).with_suffix(".olean")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            os.truncate(copy, max(len(data), int(len(data) * factor)))
    return names


def check_with_large_library(original, size):
    """What `zermelo kernel` needs for a proof that imports this many GB."""
    lean = original.parent.parent.parent / "bin/lean"
    with tempfile.TemporaryDirectory() as scratch:
        scratch, library = Path(scratch), Path(scratch, "library")
        library.mkdir()
        names = lay_out(original, size, library)
        # Lean compiles the proof against empty modules of the same names.
        (scratch / "Empty.lean").touch()
        subprocess.run([lean, "-o", "Empty.olean", "Empty.lean"], cwd=scratch, check=True)
        (scratch / "empty").mkdir()
        for name in names:
            (scratch / "empty" / f"{name}.olean").symlink_to(scratch / "Empty.olean")
        (scratch / "Proof.lean").write_text("".join(f"import {name}\n" for name in names) +
                                            "theorem sum (a b : Nat) : a + b = b + a := by omega\n", encoding="utf-8")
        subprocess.run([lean, "-o", "Proof.olean", "Proof.lean"], cwd=scratch, check=True,
                       env={**os.environ, "LEAN_PATH": str(scratch / "empty")})
        metrics = {"library_megabytes": round(sum(file.stat().st_size for file in library.rglob("*.olean")) / 1e6)}
        for which in ("first", "second"):
            program = subprocess.Popen([PROGRAM, "kernel", scratch / "Proof.olean", "--json", "--quiet", "--path", library,
                                        original], stdout=subprocess.PIPE, text=True)
            said = program.stdout.read()
            _, _, used = os.wait4(program.pid, 0)
            report = json.loads(said or "{}")
            if report.get("verdict") != "accepted":
                sys.exit(f"kernel: the proof was not accepted: {said}")
            metrics |= {"library_modules": report["imports"]["modules"],
                        f"{which}_processor_s": round(used.ru_utime + used.ru_stime, 2),
                        f"{which}_s": round(report["seconds"], 2), f"{which}_peak_megabytes": round(used.ru_maxrss / 1024)}
    return metrics


def kernel_report(file, *words):
    said = subprocess.run([PROGRAM, "kernel", file, "--json", "--quiet", "--threads", "1", *words], stdout=subprocess.PIPE,
                          text=True, check=False).stdout
    return json.loads(said or "{}")


def declarations_of(line):
    """The names' numbers in a line of an export."""
    def walk(value):
        if isinstance(value, dict):
            if isinstance(value.get("name"), int):
                yield value["name"]
            value = list(value.values())
        for part in value if isinstance(value, list) else ():
            yield from walk(part)
    return set(walk(line)) if not line.keys() & {"in", "il", "ie", "meta"} else set()


def as_printed(name):
    return re.sub(r"_private\..*?\.0\.|[«»]", "", name)


def remove_what_is_not_accepted(file):
    """Until all that is left in the export is accepted: what mentions a declaration that is gone goes, too."""
    names, declared = {0: ""}, []
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for text in lines:
        line = json.loads(text)
        if "in" in line:
            part = line.get("str") or line["num"]
            names[line["in"]] = f"{names[part['pre']]}.{part.get('str', part.get('i'))}".lstrip(".")
        declared.append(declarations_of(line))
    while True:
        refused = {as_printed(each["declaration"]) for each in kernel_report(file, "--keep-going")["refused"]}
        kept = [at for at, found in enumerate(declared) if not any(as_printed(names[name]) in refused for name in found)]
        if len(kept) == len(declared):
            return
        lines, declared = [lines[at] for at in kept], [declared[at] for at in kept]
        file.write_text("".join(lines), encoding="utf-8")


def build_nanoda(sources):
    """A program on nanoda's library that tells the time of reading from that of checking, with nanoda's own profile."""
    crate = ROOT / "build/nanoda"
    (crate / "src").mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "bench/nanoda/main.rs", crate / "src")
    shutil.copy(sources / "Cargo.lock", crate)
    (crate / "Cargo.toml").write_text(
        '[package]\nname = "beside"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
        f"nanoda_lib = {{ path = {json.dumps(str(sources.resolve()))} }}\n"
        "[profile.release]\nopt-level = 3\noverflow-checks = true\nlto = true\n", encoding="utf-8")
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=crate, check=True)
    return crate / "target/release/beside"


def check_beside_nanoda(library, sources):
    nanoda = build_nanoda(sources)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        (scratch / "All.lean").write_text("".join(f"import {module}\n" for module in MODULES), encoding="utf-8")
        subprocess.run([library.parent.parent.parent / "bin/lean", "-o", "All.olean", "All.lean"], cwd=scratch, check=True)
        export = scratch / "all.ndjson"
        subprocess.run([PROGRAM, "kernel", "export", scratch / "All.olean", "--imports", "--quiet", "--out", export, "--path",
                        library], check=True, stderr=subprocess.DEVNULL)
        remove_what_is_not_accepted(export)
        (scratch / "nanoda.json").write_text(json.dumps({
            "export_file_path": str(export), "unsafe_permit_all_axioms": True, "unpermitted_axiom_hard_error": False,
            "nat_extension": True, "string_extension": True, "num_threads": 1}), encoding="utf-8")
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(kernel_report(export))
            theirs.append(json.loads(subprocess.run([nanoda, scratch / "nanoda.json"], stdout=subprocess.PIPE, check=True).stdout))
        if any(report["verdict"] != "accepted" or report["declarations"] != theirs[0]["declarations"] for report in ours):
            sys.exit("kernel: the two have not accepted the same declarations")
        def median(reports):
            return statistics.median(report["check_seconds"] for report in reports)
        return {"declarations": ours[0]["declarations"], "export_megabytes": round(export.stat().st_size / 1e6),
                "check_s": round(median(ours), 2), "nanoda_check_s": round(median(theirs), 2),
                "over_nanoda": round(median(theirs) / median(ours), 2)}


def refused_by_module(library):
    """module file -> the declarations that our kernel does not accept, with imports trusted."""
    def refused(file):
        report = kernel_report(file, "--keep-going", "--path", library)
        return file, [each["declaration"] for each in report.get("refused", []) if each["declaration"]]
    files = [file for module in MODULES for file in [library / f"{module}.olean", *sorted((library / module).rglob("*.olean"))]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {file: names for file, names in pool.map(refused, files) if names}


def lean_on(library, file, names):
    """What Lean's kernel does not accept of these declarations and what they mention in their module: name -> reason. Each of
    them is in the environment afterwards, except an inductive type: that ends the work, and the names are asked one by one."""
    exported = subprocess.run([PROGRAM, "kernel", "export", file, *names, "--own", "--quiet", "--path", library],
                              stdout=subprocess.PIPE, check=True, text=True).stdout
    first, _, rest = exported.partition("\n")
    done = subprocess.run([library.parent.parent.parent / "bin/lean", "--run", ROOT / "src/lean/replay/replay.lean"],
                          input=json.dumps({**json.loads(first), "keep_going": True}) + "\n" + rest, stdout=subprocess.PIPE,
                          text=True, check=False, timeout=1200)
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    found = {line["refused"]: line["reason"] for line in said if "refused" in line}
    if not said or said[-1].get("verdict") != "accepted":
        last = said[-1] if said else {"declaration": None, "reason": f"exit code {done.returncode}"}
        if len(names) > 1:
            return one_by_one(library, file, names)
        if last.get("declaration"):
            return found | {names[0]: f"{last['declaration']}: {last['reason']}"}, None
        return found, last.get("reason")
    return found, None


def one_by_one(library, file, names):
    found, ended = {}, None
    for name in names:
        one, end = lean_on(library, file, [name])
        found, ended = found | one, ended or end
    return found, ended


def check_beside_lean(library, out):
    """One line for each module, in `out`; what has a line there is not asked again."""
    known = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
    modules = refused_by_module(library)
    todo = [file for file in modules if str(file.relative_to(library)) not in {line["module"] for line in known}]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, open(out, "a", encoding="utf-8") as lines:
        for file, (lean, ended) in zip(todo, pool.map(lambda file: lean_on(library, file, modules[file]), todo)):
            line = {"module": str(file.relative_to(library)), "ours": modules[file], "lean": lean, "ended": ended}
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
            lines.flush()
            known.append(line)
    ended = [line for line in known if line["ended"]]
    asked = [line for line in known if not line["ended"]]
    for line in ended:
        print(f"{line['module']}: {line['ended']}", file=sys.stderr)
    both = sum(as_printed(name) in map(as_printed, line["lean"]) for line in asked for name in line["ours"])
    return {"modules": len(known), "not_accepted": sum(len(line["ours"]) for line in known), "asked": sum(len(line["ours"]) for line in asked),
            "nor_by_lean": both, "lean_alone": sum(as_printed(name) not in map(as_printed, line["ours"]) for line in asked for name in line["lean"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "embedded/build/lib/lean")
    parser.add_argument("--library-size", type=float, metavar="GB")
    parser.add_argument("--beside-nanoda", type=Path, metavar="DIR")
    parser.add_argument("--beside-lean", action="store_true")
    parser.add_argument("--out", type=Path, metavar="FILE", default=Path("kernel-beside-lean.jsonl"))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.beside_lean:
        metrics = check_beside_lean(arguments.folder.resolve(), arguments.out)
        print(json.dumps({"name": "kernel-beside-lean", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": {}}) if arguments.json else
              "{not_accepted} declarations of {modules} modules are not accepted; of {asked} that Lean's own kernel judged, it does not "
              "accept {nor_by_lean}, nor {lean_alone} others".format(**metrics))
        return
    if arguments.library_size:
        metrics = check_with_large_library(arguments.folder.resolve(), arguments.library_size)
        print(json.dumps({"name": "kernel-library", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": {}}) if arguments.json else
              "{library_megabytes} MB in {library_modules} modules: first check {first_processor_s} s of processor time ({first_s} s), "
              "{first_peak_megabytes} MB; second {second_processor_s} s ({second_s} s), {second_peak_megabytes} MB"
              .format(**metrics))
        return
    if arguments.beside_nanoda:
        metrics = check_beside_nanoda(arguments.folder.resolve(), arguments.beside_nanoda)
        print(json.dumps({"name": "kernel-nanoda", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": NANODA_TARGETS}) if arguments.json else
              "{declarations} declarations ({export_megabytes} MB), reading excluded: {check_s} s, nanoda {nanoda_check_s} s, "
              "{over_nanoda} times as fast (target >= 1)".format(**metrics))
        return
    size = megabytes(arguments.folder)
    metrics = {"megabytes": round(size)}
    for threads in (1, 2):
        found = check_library(arguments.folder, threads)
        metrics |= {"declarations": found["declarations"], "refused": found["refused"],
                    f"threads_{threads}_s": round(found["seconds"], 1),
                    f"threads_{threads}_declarations_per_s": round(found["declarations"] / found["seconds"]),
                    f"threads_{threads}_mb_per_s": round(size / found["seconds"], 1)}
    metrics["peak_megabytes"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    times, lean, wrong = check_proofs()
    largest = max(times, key=times.get)
    metrics |= {"proofs": len(times), "proofs_not_accepted": wrong, "proof_ms_median": round(statistics.median(times.values()), 1),
                "proof_ms_largest": round(times[largest], 1), "proof_largest": largest, "lean_s": round(lean, 1)}
    ours, leans = check_proofs_beside_lean(arguments.folder.resolve())
    metrics |= {"all_proofs_s": round(ours, 2), "all_proofs_lean_s": round(leans, 2), "over_embedded_lean": round(leans / ours, 1)}
    if arguments.json:
        print(json.dumps({"name": "kernel", "machine": f"{os.cpu_count()} cores, {platform.machine()}", "metrics": metrics,
                          "targets": TARGETS}))
        return
    print("{declarations} declarations in {megabytes} MB, of which {refused} are not accepted; peak {peak_megabytes} MB"
          .format(**metrics))
    for threads in (1, 2):
        print(f"{threads} thread{'s' * (threads > 1)}: {metrics[f'threads_{threads}_s']} s, "
              f"{metrics[f'threads_{threads}_declarations_per_s']} declarations/s, "
              f"{metrics[f'threads_{threads}_mb_per_s']} MB/s")
    print("{proofs} proofs: median {proof_ms_median} ms (target <= 50), largest {proof_ms_largest} ms ({proof_largest}); "
          "{proofs_not_accepted} not accepted; waiting for Lean {lean_s} s".format(**metrics))
    print("all in one module: {all_proofs_s} s, the embedded Lean's kernel {all_proofs_lean_s} s ({over_embedded_lean} times as long)"
          .format(**metrics))


if __name__ == "__main__":
    main()
