"""What the tests of the Python package share: the package on sys.path, the built program, a fake one, a server.

ZERMELO_PROGRAM and ZERMELO_EMBEDDED name the program and the embedded Lean (default: those of this tree). A Lean
on PATH is hidden, as in tests/e2e/testing/zermelo.py.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")).absolute()
EMBEDDED = pathlib.Path(os.environ.get("ZERMELO_EMBEDDED", ROOT / "embedded")).absolute()

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests")]

from shared import wait_until  # noqa: E402, F401


def path_without_lean():
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    hidden = ("lean", "lake", "elan")
    return os.pathsep.join(f for f in folders if not any(shutil.which(h, path=f) for h in hidden))


def clean_environment(**changes):
    """The environment without what could change the results; a change to None removes a variable."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("ZERMELO_", "LEAN", "LAKE", "ELAN"))}
    environment.update(PATH=path_without_lean(), LC_ALL="C.UTF-8", PYTHONPATH=str(ROOT / "python"),
                       PYTHONDONTWRITEBYTECODE="1")
    environment.update({name: str(value) for name, value in changes.items() if value is not None})
    for name in [name for name, value in changes.items() if value is None]:
        environment.pop(name, None)
    return environment


class PythonTest(unittest.TestCase):
    """Each test has a folder of its own, which is the current one, and an environment that it may change."""

    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="zermelo-python-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        saved = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(saved)))
        own = clean_environment(ZERMELO_PROGRAM=PROGRAM, ZERMELO_EMBEDDED=EMBEDDED, ZERMELO_CACHE=ROOT / "build/test-cache")
        os.environ.clear()
        os.environ.update(own)

    def write(self, name, text, mode=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if mode is not None:
            path.chmod(mode)
        return path

    def fake_program(self, text):
        """Runs this shell script instead of the program."""
        os.environ["ZERMELO_PROGRAM"] = str(self.write("fake/zermelo", f"#!/bin/sh\n{text}\n", 0o755))

    def raised(self, kind, function, *arguments, **options):
        """The exception of that kind that a call raises."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **options)
        return caught.exception


class ServerTest(PythonTest):
    """Each class has one real `zermelo serve`, whose key is `secret`, with its `arguments`."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        log = tempfile.NamedTemporaryFile(mode="w+", encoding="utf-8")
        cls.addClassCleanup(log.close)
        server = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--workers", "1", "--quiet", *cls.arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=log,
            env=clean_environment(ZERMELO_EMBEDDED=EMBEDDED, ZERMELO_API_KEY="secret"))

        def end():
            server.terminate()
            server.wait(60)
        cls.addClassCleanup(end)

        def listening():
            text = pathlib.Path(log.name).read_text(encoding="utf-8")
            if server.poll() is not None:
                raise AssertionError(f"the server ended: {text}")
            return re.search(r"listening on (\S+)", text)
        cls.url = wait_until(listening, 150, "a server that listens")[1]
