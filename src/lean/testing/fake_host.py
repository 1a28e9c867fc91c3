#!/usr/bin/python3 -IS
"""A fake far side of a worker elsewhere, for tests: `fake_host.py FOLDER worker` runs fake_lean.py as ordered, or
fake_states.py.

Files in FOLDER change what it does: `refuse` and `dead` (it exits at once), `deaf` (it says nothing more once it
is ready), `imports` (their fingerprint; "same" without it). It appends its process id to `started`.
"""
import json
import os
import pathlib
import subprocess
import sys
import threading

folder = pathlib.Path(sys.argv[1])
out_lock = threading.Lock()


def read_frame(stream):
    length = None
    while True:
        line = stream.readline()
        if not line:
            return None
        if line == b"\r\n" and length is not None:
            return stream.read(length)
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])


def send(body):
    with out_lock:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()


def say(method, params):
    send(json.dumps({"jsonrpc": "2.0", "method": "$/zermelo/" + method, "params": params}).encode())


def has(name):
    return (folder / name).exists()


def pass_on(lean):
    while (body := read_frame(lean.stdout)) is not None:
        if not has("deaf"):
            send(body)
    if not has("deaf"):
        say("ended", {"message": "the fake Lean ended with %s" % lean.wait()})
    os._exit(0)


def main():
    with open(folder / "started", "a", encoding="ascii") as log:
        log.write("%d\n" % os.getpid())
    if has("dead"):
        sys.exit("no route to the fake host")
    order = json.loads(read_frame(sys.stdin.buffer))["params"]
    (folder / "order.json").write_text(json.dumps(order))
    if has("refuse"):
        say("refused", {"message": "it has another Lean"})
        return
    uri = "file://" + str(folder) + "/Zermelo.lean"
    fakes = pathlib.Path(__file__).parent
    command = [fakes / "fake_lean.py", "-Dserver.reportDelayMs=0", "--worker", uri]
    if order["states"]:
        command = [fakes / "fake_states.py", "--run", __file__]
    lean = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    print("a greeting of the login shell", flush=True)
    say("ready", {"host": "fake", "uri": uri, "confined": True})
    imports = folder / "imports"
    say("imports", {"fingerprint": imports.read_text() if imports.exists() else "same"})
    say("usage", {"resident_bytes": 1 << 20, "seconds_run": 1.0, "seconds_kept_waiting": {}})
    answers = threading.Thread(target=pass_on, args=(lean,), daemon=True)
    answers.start()
    while (body := read_frame(sys.stdin.buffer)) is not None:
        if json.loads(body).get("method") == "$/zermelo/alive":
            continue
        try:
            lean.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            lean.stdin.flush()
        except BrokenPipeError:  # it has died, which the other thread reports
            answers.join()
    lean.kill()
    lean.wait()


main()
