#!/usr/bin/env python3
# bench: a check on a worker behind ssh and srun, against one on this machine (about 2 minutes)
"""usage: remote-checks.py [--checks N] [--json]

One worker at a time: the embedded Lean as the program starts it here, and `zermelo worker` without a launcher, behind a
real sshd and behind a real Slurm on this machine. Each checks the same short theorems; the baseline is the first.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))

from testing import slurm_cluster, ssh_node  # noqa: E402
from testing.zermelo import EMBEDDED, LEAN, PROGRAM, environment  # noqa: E402


class Worker:
    """LSP with a worker; `ordered`: it is a far side, which gets an order first."""

    def __init__(self, command, env, ordered):
        self.started = time.monotonic()
        self.process = subprocess.Popen([str(word) for word in command], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.uri, self.version = "file:///tmp/Zermelo.lean", 0
        if ordered:
            version, commit = subprocess.run([LEAN, "--version"], capture_output=True, text=True,
                                             check=True).stdout.split("version ")[1].split(",")[0], ""
            self.send("$/zermelo/start", {
                "protocol": 1, "project": "", "lean": "", "version": version, "commit": commit, "confined": True,
                "skip_kernel": True, "max_resident_bytes": 0, "imports": []})
            self.uri = self.receive(lambda m: m.get("method") == "$/zermelo/ready")["params"]["uri"]
        self.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, number=0)

    def send(self, method, params, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self, wanted):
        while True:
            length = None
            while (line := self.process.stdout.readline()) != b"\r\n" or length is None:
                if not line:
                    raise SystemExit("the worker ended")
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(length))
            if message.get("method") == "$/zermelo/refused":
                raise SystemExit(f"the worker is refused: {message['params']['message']}")
            if wanted(message):
                return message

    def check(self, text):
        """Seconds until Lean has finished with a text."""
        began = time.monotonic()
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        if self.version == 1:
            self.send("textDocument/didOpen", {"textDocument": {**document, "languageId": "lean", "text": text},
                                               "dependencyBuildMode": "never"})
        else:
            self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        number = self.version
        self.send("textDocument/waitForDiagnostics", document, number)
        self.receive(lambda m: m.get("id") == number and "method" not in m)
        return time.monotonic() - began

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def measure(command, env, ordered, checks):
    worker = Worker(command, env, ordered)
    try:
        worker.check("")
        first = time.monotonic() - worker.started
        times = [worker.check(f"theorem t{i} (a b : Nat) : a + b + {i} = {i} + b + a := by omega\n")
                 for i in range(checks)]
    finally:
        worker.close()
    steady = sorted(times[checks // 5:])  # the first ones compile
    return {"start_s": first, "median_ms": 1000 * statistics.median(steady),
            "p95_ms": 1000 * steady[int(0.95 * len(steady))]}


def ways(folder):
    """(name, command, environment, whether an order is expected)"""
    env = environment({})
    yield "here", [LEAN, "-Dserver.reportDelayMs=0", "-Ddebug.skipKernelTC=true", "-Dlinter.all=false", "--worker",
                   "file:///tmp/Zermelo.lean"], env, False
    far = [PROGRAM, "worker"]
    yield "zermelo worker", far, env, True
    if not ssh_node.missing():
        node = ssh_node.Node(folder / "ssh")
        node.start()
        try:
            yield "ssh", [*node.launch, *far], env, True
        finally:
            node.die()
    if not slurm_cluster.missing():
        cluster = slurm_cluster.Cluster(folder / "slurm")
        try:
            if trouble := cluster.start():
                print(f"Slurm does not start here: {trouble}", file=sys.stderr)
            else:
                yield "srun", ["srun", "--ntasks=1", *far], cluster.env, True
        finally:
            cluster.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checks", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="zermelo-bench-") as folder:
        os.chmod(folder, 0o755)
        results = {name: measure(command, env, ordered, options.checks)
                   for name, command, env, ordered in ways(pathlib.Path(folder))}
    for result in results.values():
        result["ratio"] = result["median_ms"] / results["here"]["median_ms"]
    if options.json:
        print(json.dumps({"embedded": str(EMBEDDED), "checks": options.checks, "results": results}))
        return
    print(f"{'worker':15} {'first answer':>13} {'median check':>13} {'95 %':>9} {'ratio':>6}")
    for name, result in results.items():
        print(f"{name:15} {result['start_s']:11.2f} s {result['median_ms']:10.1f} ms {result['p95_ms']:6.1f} ms "
              f"{result['ratio']:6.2f}")


if __name__ == "__main__":
    main()
