"""Finds the program and runs it."""
from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from zermelo import embedded
from zermelo.errors import EnvironmentProblem, Timeout, UsageError, ZermeloError

PACKAGE = Path(__file__).resolve().parent
LEAN_VERBS = frozenset("prove check eval serve doctor mcp index search".split())
PATIENCE = 10.0  # seconds that a program may take to stop before it is killed


def path() -> str:
    """The program: what ZERMELO_PROGRAM names, else the one in this package."""
    found = os.environ.get("ZERMELO_PROGRAM") or str(PACKAGE / "bin" / "zermelo")
    if not os.access(found, os.X_OK):
        raise EnvironmentProblem(f"there is no program at {found}",
                                 "install the wheel, or set ZERMELO_PROGRAM to a program that is built")
    return found


def needs_lean(arguments: Sequence[str]) -> bool:
    """The rule of the launcher ./zermelo; a test compares the two."""
    if "--help" in arguments or "-h" in arguments:
        return False
    return list(arguments[:2]) == ["runs", "resume"] or bool(LEAN_VERBS.intersection(arguments[:1]))


def other_lean_is_there(arguments: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether the user has named a Lean, or has one that runs, so that the embedded one is not needed."""
    if environment.get("ZERMELO_LEAN") or any(argument.startswith("--lean") for argument in arguments):
        return True
    lean = shutil.which("lean", path=environment.get("PATH"))
    return lean is not None and _runs(lean, environment)


def _runs(lean: str, environment: Mapping[str, str]) -> bool:
    """elan without a toolchain, Lean 3 and other programs of this name do not. (elan may be downloading: then it does.)"""
    try:
        done = subprocess.run([lean, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=dict(environment), encoding="utf-8", errors="replace", timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return True
    except OSError:
        return False
    return "version 4." in done.stdout


def environment(arguments: Sequence[str]) -> dict[str, str]:
    """The program's environment; installs the embedded Lean first where the arguments need it."""
    variables = dict(os.environ)
    prompts = PACKAGE / "prompts"
    if prompts.is_dir():
        variables.setdefault("ZERMELO_PROMPTS", str(prompts))
    if "ZERMELO_EMBEDDED" not in variables and embedded.is_packaged():
        wanted = needs_lean(arguments) and not other_lean_is_there(arguments, variables)
        variables["ZERMELO_EMBEDDED"] = str(embedded.install() if wanted else embedded.folder())
    return variables


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    def error(self) -> ZermeloError:
        """The error that the program reported on standard error, with its message and hint."""
        said = list(re.finditer(r"^zermelo: (?!note: )(.*)\n?((?:  .*\n?)*)", self.err, re.MULTILINE))
        if said:
            message = said[-1][1]
            hint = "\n".join(line.strip() for line in said[-1][2].splitlines())
        else:
            message = self.err.strip()[-500:] or f"zermelo ended with exit code {self.code}"
            hint = ""
        kind = UsageError if self.code == UsageError.default_exit_code else EnvironmentProblem
        return kind(message, hint, self.code)


def run(arguments: Sequence[str], timeout: float | None) -> Ended:
    """Runs the program to its end. Past the timeout, or when this call is interrupted, it is stopped."""
    variables = environment(arguments)
    with subprocess.Popen([path(), *arguments], env=variables, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                          errors="replace") as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _stop(process)
            raise Timeout(f"zermelo {arguments[0]} took longer than {timeout:g} seconds") from None
        except BaseException:
            _stop(process)
            raise
    return Ended(process.returncode, out, err)


def _stop(process: subprocess.Popen[str]) -> None:
    """Sends SIGINT; again, which makes the program quit at once; and kills it as a last resort."""
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE / 2)
            return
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    process.communicate()
