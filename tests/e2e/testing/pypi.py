"""Runs tests with packages from PyPI, in a virtual environment next to the program."""
import os
import pathlib
import subprocess
import sys

from .zermelo import PROGRAM, skip

INSTALL_LIMIT = 240  # seconds


def installed(folder, packages, limit=INSTALL_LIMIT):
    """The Python with the packages installed, or None and the reason."""
    python = folder / "bin/python"
    mark = folder / "-".join(packages).replace("/", "_")
    if mark.exists():
        return python, None
    commands = ([sys.executable, "-m", "venv", folder],
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


def run_with(name, *packages, limit=INSTALL_LIMIT):
    """Restarts the script in a Python that has the packages; skips the test (in CI, fails) if they cannot be installed."""
    if "ZERMELO_IN_VENV" in os.environ:
        return
    found, reason = installed(pathlib.Path(PROGRAM).parent / f"{name}-venv", packages, limit)
    if found is None:
        skip(f"{packages[0]} cannot be installed: {reason}")
    os.execve(found, [found, "-B", *sys.argv], {**os.environ, "ZERMELO_IN_VENV": "1"})
