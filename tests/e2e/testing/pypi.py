"""Runs tests with packages from PyPI, in a virtual environment next to the program."""
import os
import pathlib
import subprocess
import sys

from .zermelo import PROGRAM, skip

INSTALL_LIMIT = 240  # seconds


def newer_python(version):
    """A Python of at least this version, such as (3, 12); else the test is skipped (in CI, fails)."""
    for name in (sys.executable, "python3", *(f"python3.{minor}" for minor in range(version[1], version[1] + 4))):
        try:
            asked = subprocess.run([name, "-c", f"import sys; sys.exit(sys.version_info < {version})"], capture_output=True,
                                   timeout=30, check=False)
        except OSError:
            continue
        if asked.returncode == 0:
            return name
    return skip(f"there is no Python {version[0]}.{version[1]}")


def installed(folder, packages, limit=INSTALL_LIMIT, python=sys.executable):
    """The Python with the packages installed, or None and the reason."""
    creator, python = python, folder / "bin/python"
    mark = folder / "-".join([*packages, pathlib.Path(creator).name]).replace("/", "_")
    if mark.exists():
        return python, None
    commands = ([creator, "-m", "venv", folder],
                [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, str(error)
        if done.returncode != 0:
            return None, (done.stderr.strip() or done.stdout.strip())[-300:]
    mark.touch()
    return python, None


def run_with(name, *packages, limit=INSTALL_LIMIT, python=sys.executable):
    """Restarts the script in a Python that has the packages; skips the test (in CI, fails) if they cannot be installed."""
    if "ZERMELO_IN_VENV" in os.environ:
        return
    found, reason = installed(pathlib.Path(PROGRAM).parent / f"{name}-venv", packages, limit, python)
    if found is None:
        skip(f"{packages[0]} cannot be installed: {reason}")
    os.execve(found, [found, "-B", *sys.argv], {**os.environ, "ZERMELO_IN_VENV": "1"})
