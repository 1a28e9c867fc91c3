"""Controls headless Chromium over its debugging pipe: opens pages, evaluates scripts, takes screenshots."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

PROGRAM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
LIMIT = 60.0


class Chromium:
    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        # The browser reads commands from its descriptor 3 and answers on 4, each terminated by a NUL.
        command_in, self._out = os.pipe()
        self._in, answer_out = os.pipe()
        def give_pipes():
            os.dup2(command_in, 63)
            os.dup2(answer_out, 64)
            os.dup2(63, 3)
            os.dup2(64, 4)
        self._log = open(os.path.join(self._profile.name, "log"), "wb")
        self.process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--user-data-dir={self._profile.name}/profile",
             "--remote-debugging-pipe"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, close_fds=False, preexec_fn=give_pipes)
        os.close(command_in)
        os.close(answer_out)
        os.set_blocking(self._in, False)
        self._buffer, self._id, self._session = b"", 0, None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _receive(self, deadline):
        while b"\0" not in self._buffer:
            if time.monotonic() > deadline:
                raise AssertionError("Chromium does not answer")
            try:
                piece = os.read(self._in, 1 << 20)
            except BlockingIOError:
                time.sleep(0.01)
                continue
            if not piece:
                raise AssertionError(f"Chromium ended with {self.process.wait(5)}")
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self._id += 1
        message = {"id": self._id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + LIMIT
        while True:
            answer = self._receive(deadline)
            if answer.get("id") != self._id:
                self.events.append(answer)
            elif "error" in answer:
                raise AssertionError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, page, width, height=900, dark=False):
        """Opens a file or an address with a viewport of the given size in CSS pixels; discards earlier events."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=page if isinstance(page, str) else page.absolute().as_uri())
        deadline = time.monotonic() + LIMIT
        while self.ask("document.readyState") != "complete":
            if time.monotonic() > deadline:
                raise AssertionError(f"{page} is never complete")
            time.sleep(0.02)

    def ask(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression, limit=LIMIT):
        """Waits until a JavaScript expression is true, and returns its value."""
        deadline = time.monotonic() + limit
        while True:
            value = self.ask(expression)
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {limit:.0f} s: {expression}")
            time.sleep(0.1)

    def press(self, key, modifiers=0):
        """A key with its JavaScript name, such as "F1", "Enter" or "z"; modifiers: 1 Alt, 2 Ctrl, 8 Shift."""
        code = {"Enter": 13, "Escape": 27, "Home": 36, "F1": 112}.get(key) or ord(key.upper())
        name = f"Key{key.upper()}" if len(key) == 1 and key.isalpha() else key
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=name, windowsVirtualKeyCode=code,
                      modifiers=modifiers)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, expression):
        """Clicks on the middle of a JavaScript expression's element with the mouse, once it no longer moves."""
        middle = f"(() => {{ const e = {expression}; if (!e) return null;" \
                 "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        before, place = None, self.wait_for(middle)
        while place != before:
            time.sleep(0.2)
            before, place = place, self.wait_for(middle)
        x, y = place
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=1,
                      button="none" if kind == "mouseMoved" else "left")

    def go_offline(self, offline):
        """Whether all requests fail from now on."""
        self.call("Network.emulateNetworkConditions", offline=offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def hurry(self):
        """Timers of pages run twenty times as fast, until the function that this returns is called and another page is opened."""
        script = self.call("Page.addScriptToEvaluateOnNewDocument", source="""
            for (const name of ['setTimeout', 'setInterval']) {
              const real = window[name];
              window[name] = (act, wait) => real(act, wait / 20);
            }""")
        return lambda: self.call("Page.removeScriptToEvaluateOnNewDocument", **script)

    def complaints(self):
        """Errors of scripts, on the console, and against the page's security policy."""
        found = [e for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        found += [e for e in self.events if e.get("method") == "Log.entryAdded"
                  and e["params"]["entry"]["level"] in ("error", "warning")]
        found += [e for e in self.events if e.get("method") == "Runtime.consoleAPICalled"]
        return found

    def requests(self):
        """The requests besides the one for the page itself."""
        urls = [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith("file:///") or not url.endswith(".html")]

    def processor_seconds(self):
        """The processor time that the browser and all its processes have used so far."""
        used, parents = {}, {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            parents[int(stat.parent.name)] = int(fields[1])
            used[int(stat.parent.name)] = int(fields[11]) + int(fields[12])
        def is_mine(pid):
            while pid != self.process.pid and pid in parents:
                pid = parents[pid]
            return pid == self.process.pid
        return sum(ticks for pid, ticks in used.items() if is_mine(pid)) / os.sysconf("SC_CLK_TCK")

    def picture(self):
        """A screenshot as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        try:
            os.close(self._out)
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._in)
        self._log.close()
        self._profile.cleanup()
