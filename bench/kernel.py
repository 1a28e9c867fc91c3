#!/usr/bin/env python3
# bench: the second kernel: the embedded Lean's Init, Std and Lean, and what it adds to the verdict on a proof (five minutes)
"""Type-checks the embedded Lean's Init, Std and Lean, and the known proofs of minif2f-core as a verdict does.

usage: kernel.py [--folder DIR] [--library-size GB] [--json]

Library: everything that the three modules import is read and checked, on one thread and on two. A number of declarations
is not accepted, because the public parts of these modules lack what they mention (docs/kernel.md). Proofs: the time of the
kernel within `check --against`, library terms that it reads included; Lean's time in the same run is the baseline.

--library-size measures only what a proof costs that imports a library of this size: in $TMPDIR, eight copies of the modules
of Lean under other names, about as many modules and names as Mathlib has, each followed by zeros that stand for its proofs.
"""
import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")
PROOFS = [ROOT / "bench/data" / name for name in ("minif2f-core-proofs.jsonl", "minif2f-core-found.jsonl")]
MODULES = ("Init", "Std", "Lean")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "embedded/build/lib/lean")
    parser.add_argument("--library-size", type=float, metavar="GB")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.library_size:
        metrics = check_with_large_library(arguments.folder.resolve(), arguments.library_size)
        print(json.dumps({"name": "kernel-library", "machine": f"{os.cpu_count()} cores, {platform.machine()}",
                          "metrics": metrics, "targets": {}}) if arguments.json else
              "{library_megabytes} MB in {library_modules} modules: first check {first_processor_s} s of processor time ({first_s} s), "
              "{first_peak_megabytes} MB; second {second_processor_s} s ({second_s} s), {second_peak_megabytes} MB"
              .format(**metrics))
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


if __name__ == "__main__":
    main()
