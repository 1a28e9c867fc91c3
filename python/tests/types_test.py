#!/usr/bin/env python3
"""The package has complete type annotations: mypy --strict finds nothing. Skipped where mypy cannot be had."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from testing.pypi import run_with  # noqa: E402

if __name__ == "__main__":
    run_with("mypy", "mypy==2.4.1")
    os.execv(sys.executable, [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.10", "--cache-dir",
                              "/dev/null", str(ROOT / "python/zermelo")])
