"""`check`, `check_against` and `prove`: each call is one run of the program."""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Union

from zermelo import _program
from zermelo.errors import UsageError
from zermelo.results import CheckReport, Json, ProveReport, Verdict

StrPath = Union[str, "os.PathLike[str]"]


def check(source: StrPath, *, project: StrPath | None = None, lean: StrPath | None = None,
          options: Sequence[str] = (), timeout: float | None = None) -> CheckReport:
    """Returns what Lean says about Lean code: errors, sorrys and warnings, by theorem.

    A `str` is Lean code; a `pathlib.Path` names a file. A text is checked as a file of the Lake project
    `project`, so that it may import from it; without one, only Lean's own library can be imported.

    lean      a `lean` executable or a toolchain's folder (default: the one that `zermelo check` finds)
    options   further options of `zermelo check`, e.g. ["--wfail"]
    timeout   seconds for the whole call

    Raises UsageError, EnvironmentProblem (also when Lean does not finish the file) or Timeout.
    """
    if not isinstance(source, str):
        if project is not None:
            raise UsageError("`project` applies to Lean code only", "a file belongs to the project that it lies in")
        return _check_file(_argument(source), lean, options, timeout)
    if source.endswith(".lean") and not any(c.isspace() for c in source):
        raise UsageError(f"{source!r} looks like the name of a file, and a str is Lean code",
                         f"pass pathlib.Path({source!r}) to check the file")
    with tempfile.TemporaryDirectory(prefix="zermelo-", dir=_scratch(project)) as folder:
        file = Path(folder, "Text.lean")
        file.write_text(source, encoding="utf-8")
        return _check_file(str(file), lean, options, timeout)


def check_against(candidate: StrPath, original: StrPath, *, lean: StrPath | None = None,
                  options: Sequence[str] = (), timeout: float | None = None) -> Verdict:
    """Judges whether the file `candidate` proves every `sorry` of the file `original` (docs/trust.md).

    The other parameters and the errors are those of `check`.
    """
    ended = _run("check", [_argument(candidate), "--against", _argument(original)], lean, options, timeout)
    if ended.code not in (0, 1):
        raise ended.error()
    return Verdict.from_json(_json(ended))


def prove(path: StrPath, *, theorems: Sequence[str] = (), out: StrPath | None = None,
          in_place: bool = False, time: float | str | None = None, workers: int | None = None,
          models: Sequence[str] = (), strategy: str | None = None, lean: StrPath | None = None,
          options: Sequence[str] = (), timeout: float | None = None) -> ProveReport:
    """Fills the sorrys of a Lean file with proofs that Lean has checked.

    The result is written to `out`, with `in_place` to the file itself, and otherwise to FILE.proved.lean. A
    theorem that cannot be proved keeps its `sorry`; that is not an error.

    theorems  names of the theorems to prove (default: all)
    time      limit for each theorem: seconds, or a string such as "5m"
    workers   Lean processes at once
    models    models to try after the built-in tactics: names of [models.NAME] in zermelo.toml
    strategy  a strategy that `zermelo prove --help` lists
    lean      a `lean` executable or a toolchain's folder (default: the one that `zermelo prove` finds)
    options   further options of `zermelo prove`, e.g. ["--samples", "64"]
    timeout   seconds for the whole call; nothing is written when it is exceeded

    Raises UsageError, EnvironmentProblem or Timeout.
    """
    if in_place and out is not None:
        raise UsageError("`out` and `in_place` exclude each other")
    file = Path(path)
    output = file if in_place else Path(out) if out is not None else file.with_suffix(".proved.lean")
    arguments = [_argument(path), *(["--in-place"] if in_place else ["--out", _argument(output)])]
    for name in theorems:
        arguments += ["--theorem", name]
    for option, value in (("--time", time), ("--workers", workers), ("--strategy", strategy)):
        if value is not None:
            arguments += [option, str(value)]
    if models:
        arguments += ["--model", ",".join(models)]
    ended = _run("prove", arguments, lean, options, timeout)
    if ended.code not in (0, 1):
        raise ended.error()
    return ProveReport.from_json(_json(ended), file, output)


def _check_file(argument: str, lean: StrPath | None, options: Sequence[str],
                timeout: float | None) -> CheckReport:
    ended = _run("check", [argument], lean, options, timeout)
    if ended.code not in (0, 1):
        raise ended.error()
    return CheckReport.from_json(_json(ended))


def _run(verb: str, arguments: Sequence[str], lean: StrPath | None, options: Sequence[str],
         timeout: float | None) -> _program.Ended:
    chosen = [] if lean is None else ["--lean", os.fspath(lean)]
    return _program.run([verb, *arguments, "--json", *chosen, *options], timeout)


def _json(ended: _program.Ended) -> Json:
    """The JSON object that the program printed. Raises its error if it printed none."""
    try:
        value: Json = json.loads(ended.out)
    except ValueError:
        raise ended.error() from None
    return value


def _argument(path: StrPath) -> str:
    """The path, written so that the program does not read it as an option."""
    text = os.fspath(path)
    return f"./{text}" if text.startswith("-") else text


def _scratch(project: StrPath | None) -> Path | None:
    """Where a text of the project is written for the check: Lake's own folder, which git ignores."""
    if project is None:
        return None
    if not Path(project).is_dir():
        raise UsageError(f"there is no project folder {os.fspath(project)}")
    lake = Path(project, ".lake")
    return lake if lake.is_dir() else Path(project)
