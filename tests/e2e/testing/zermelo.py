"""Runs the zermelo program for the end-to-end tests, with hard limits and checks for leftovers.

ZERMELO_PROGRAM names the program (default: build/release/zermelo). Lean is the embedded one; a Lean on
PATH is hidden from the tests.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = pathlib.Path(os.environ.get("ZERMELO_PROGRAM", ROOT / "build/release/zermelo")).absolute()
EMBEDDED = pathlib.Path(os.environ.get("ZERMELO_EMBEDDED", ROOT / "embedded")).absolute()

sys.path.insert(0, str(ROOT / "tests"))

from shared import SKIPPED, skip, slow, wait_until  # noqa: E402

__all__ = ["SKIPPED", "skip", "slow", "wait_until"]  # for tests, and what is defined here
LEAN = EMBEDDED / "bin/lean"
LIMIT = 600.0  # default limit in seconds for a run; ends a hang


def path_without_lean():
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    hidden = ("lean", "lake", "elan")
    return os.pathsep.join(f for f in folders if not any(shutil.which(h, path=f) for h in hidden))


def environment(changes):
    """The tests' environment; a change to None removes a variable."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("ZERMELO_", "LEAN", "LAKE", "ELAN"))}
    env.update(ZERMELO_CACHE=str(ROOT / "build/test-cache"), PATH=path_without_lean(), ZERMELO_EMBEDDED=str(EMBEDDED), LC_ALL="C.UTF-8", TERM="dumb")
    for name, value in changes.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = str(value)
    return env


def processes_of(session):
    """(pid, command line) of the processes of a session, without zombies."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue  # it has ended
        if int(its_session) == session and state not in "ZX":
            found.append((int(folder.name), command.strip()))
    return found


class Run:
    """One run of the program, in a separate session so that all of its processes can be found."""

    def __init__(self, arguments, cwd, changes, prefix=()):
        self.arguments = [str(a) for a in arguments]
        self._files = tempfile.TemporaryDirectory(prefix="zermelo-run-")
        folder = pathlib.Path(self._files.name)
        self._out, self._err, self.scratch = folder / "out", folder / "err", folder / "tmp"
        self.scratch.mkdir()
        if prefix:  # another user
            folder.chmod(0o755)
            self.scratch.chmod(0o777)
        env = environment({"TMPDIR": self.scratch, **changes})
        self._started = time.monotonic()
        with open(self._out, "wb") as out, open(self._err, "wb") as err:
            self.process = subprocess.Popen([*prefix, str(PROGRAM), *self.arguments], cwd=cwd, env=env,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            start_new_session=True)
        self.code = self.seconds = None

    @property
    def out(self):
        return self._out.read_text(encoding="utf-8", errors="replace")

    @property
    def err(self):
        return self._err.read_text(encoding="utf-8", errors="replace")

    @property
    def json(self):
        return json.loads(self.out)

    def lean_processes(self):
        return [p for p, command in processes_of(self.process.pid) if "--worker" in command]

    def wait_for(self, text, limit=LIMIT):
        """Waits until the program has printed `text` on stderr."""
        def said():
            return text in self.err or self.process.poll() is not None
        wait_until(said, limit, f"{text!r} from {self}")
        if text not in self.err:
            raise AssertionError(f"it ended without saying {text!r}: {self}")

    def wait(self, limit=LIMIT):
        """Waits for the end. Past the limit everything is killed and the test fails."""
        try:
            self.code = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"killed after {limit:.0f} s: {self}") from None
        self.seconds = time.monotonic() - self._started
        return self

    def left_behind(self, grace=5.0):
        """The processes that still run some seconds after the end; they are killed."""
        deadline = time.monotonic() + grace
        while processes_of(self.process.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        left = processes_of(self.process.pid)
        self.kill()
        return left

    def kill(self):
        for _ in range(3):  # a process may start another one meanwhile
            for pid, _ in processes_of(self.process.pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        self._files.cleanup()

    def __str__(self):
        return (f"zermelo {' '.join(self.arguments)}: exit code {self.code}\n"
                f"--- stdout\n{self.out}--- stderr\n{self.err}---")


def unprivileged():
    """A command prefix that runs the program as user nobody, or None if that is not possible."""
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        return None
    tried = subprocess.run([*prefix, str(PROGRAM), "--version"], capture_output=True, check=False)
    return prefix if tried.returncode == 0 else None


class ZermeloTest(unittest.TestCase):
    """Each class has its own folder, and shares the runs of setUpClass."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not PROGRAM.is_file():
            raise AssertionError(f"{PROGRAM} is not built")
        holder = tempfile.TemporaryDirectory(prefix="zermelo-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)

    @classmethod
    def write(cls, name, text):
        path = cls.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    @classmethod
    def start(cls, *arguments, env=None, cwd=None, prefix=()):
        run = Run(arguments, cwd or cls.folder, env or {}, prefix)
        cls.addClassCleanup(run.close)
        return run

    @classmethod
    def zermelo(cls, *arguments, limit=LIMIT, **options):
        """Runs to the end; fails when a process or a temporary file is left behind."""
        run = cls.start(*arguments, **options).wait(limit)
        left = run.left_behind()
        assert not left, f"left running: {left}\n{run}"
        scraps = [p.name for p in run.scratch.iterdir()]
        assert not scraps, f"temporary files left: {scraps}\n{run}"
        return run

    @staticmethod
    def report_data(folder):
        """What the page of an evaluation's report.html shows."""
        page = (folder / "report.html").read_text(encoding="utf-8")
        return json.loads(page.split('<script type="application/json" id="data">')[1].split("</script>")[0])["evaluation"]

    def assert_ends(self, run, code, *said):
        """Checks the exit code and that stderr contains `said`."""
        self.assertEqual(run.code, code, run)
        for text in said:
            self.assertIn(text, run.err, run)


class TimedResult(unittest.TextTestResult):
    """Prints the time of each test."""

    def startTest(self, test):
        self.started = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.stream.write(f"{time.monotonic() - self.started:.1f} s ")
        super().addSuccess(test)


def main():
    unittest.main(testRunner=unittest.TextTestRunner(verbosity=2, resultclass=TimedResult))
