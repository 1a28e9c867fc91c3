#!/usr/bin/env python3
"""examples/balancer with a real HAProxy in front of four servers, whose Lean is the fake one of the unit tests."""
import concurrent.futures
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

from testing.processes import free_port
from testing.zermelo import ROOT, ZermeloTest, skip, wait_until

SYSTEM_PATH = "/usr/sbin:/sbin:/usr/bin:/bin:" + os.environ.get("PATH", "")
CONFIGURATION = ROOT / "examples/balancer/haproxy.cfg"
FAKE_LEAN = ROOT / "src/lean/testing/fake_lean.py"
HEADER = "".join(f"def premise_{i} : Nat := {i}\n" for i in range(20))


def haproxy():
    return shutil.which("haproxy", path=SYSTEM_PATH)


class Verifiers:
    """Four servers with four workers each."""

    def __init__(self, test):
        self.test, self.ports = test, [free_port() for _ in range(4)]
        self.runs = [self.begin(port) for port in self.ports]
        for run in self.runs:
            run.wait_for("listening on")

    def begin(self, port):
        return self.test.start("serve", "--port", str(port), "--workers", "4", "--lean", FAKE_LEAN, "--no-sandbox",
                               "--quiet", cwd=self.test.folder)

    def restart(self, number):
        """As a supervisor does: the first Ctrl-C finishes the accepted requests."""
        old = self.runs[number]
        old.process.send_signal(signal.SIGINT)
        old.wait(60)
        self.runs[number] = self.begin(self.ports[number])
        self.runs[number].wait_for("listening on")

    def metric(self, name):
        """A value for each server."""
        values = []
        for port in self.ports:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
                values.append(sum(float(line.rpartition(" ")[2]) for line in answer.read().decode().splitlines()
                                  if line.startswith(name)))
        return values


class Balancer(ZermeloTest):
    def begin(self, configuration):
        self.verifiers = Verifiers(self)
        self.port = free_port()
        env = {"PATH": SYSTEM_PATH, "ZERMELO_BALANCER": f"127.0.0.1:{self.port}"}
        env.update((f"ZERMELO_SERVER_{i + 1}", f"127.0.0.1:{port}") for i, port in enumerate(self.verifiers.ports))
        file = self.write("haproxy.cfg", configuration)
        balancer = subprocess.Popen([haproxy(), "-db", "-f", file], env=env, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        self.addCleanup(balancer.wait)
        self.addCleanup(balancer.kill)
        wait_until(self.healthy, 30, "an answer of the balancer")

    def healthy(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def check(self, text):
        """The HTTP status, and the error or an empty string."""
        body = json.dumps({"snippets": [{"id": "1", "code": text}], "timeout": 60}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/check", body,
                                         {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, json.load(answer)["results"][0].get("error", "")
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    @staticmethod
    def rollouts(theorems=12, proofs=16):
        """The proofs of a group for each theorem, as they come in a step of training: a list for each theorem."""
        return [[f"def topic_{t} : Nat := {t}\n{HEADER}theorem t{t} : {t} = {t} := by\n  tactic {p}\n"
                 for p in range(proofs)] for t in range(theorems)]

    def servers_of_each_theorem(self, configuration):
        """How many servers get the proofs of one theorem, for each theorem; and the share of bytes that were reused.

        One text after the other, so that the share does not depend on which request comes first.
        """
        self.begin(configuration)
        numbers, sent = [], 0
        for proofs in self.rollouts():
            before = self.verifiers.metric("zermelo_checks_total")
            self.assertEqual({self.check(proof) for proof in proofs}, {(200, "")})
            after = self.verifiers.metric("zermelo_checks_total")
            sent += len(proofs)
            self.assertEqual(sum(after), sent)
            numbers.append(sum(new > old for old, new in zip(before, after, strict=True)))
        reused = sum(self.verifiers.metric("zermelo_reused_bytes_total"))
        return numbers, reused / sum(self.verifiers.metric("zermelo_text_bytes_total"))

    def test_texts_that_begin_alike_go_to_the_same_server(self):
        # Without what a busy server passes on; it counts as busy for a moment after its answer.
        example = CONFIGURATION.read_text(encoding="utf-8")
        hashed = example.replace("hash-balance-factor 150", "hash-balance-factor 0")
        self.assertNotEqual(example, hashed)
        rotated = hashed.replace("balance hash var(txn.text),bytes(0,400)", "balance roundrobin")
        self.assertNotEqual(hashed, rotated)
        by_hash, reused_by_hash = self.servers_of_each_theorem(hashed)
        by_turns, reused_by_turns = self.servers_of_each_theorem(rotated)
        print(f"reused bytes: {reused_by_hash:.3f} by hash, {reused_by_turns:.3f} in turns", file=sys.stderr)
        self.assertEqual(set(by_hash), {1})
        self.assertEqual(set(by_turns), {4})

    def test_a_rolling_restart_under_load_loses_nothing(self):
        self.begin(CONFIGURATION.read_text(encoding="utf-8"))
        texts = [text for proofs in self.rollouts(20, 20) for text in proofs]
        random.Random(5).shuffle(texts)
        with concurrent.futures.ThreadPoolExecutor(9) as pool:
            answers = [pool.submit(self.check, text) for text in texts]
            for number in range(4):
                self.verifiers.restart(number)
            done = [answer.result() for answer in answers]
        self.assertEqual(set(done), {(200, "")})


class Examples(ZermeloTest):
    def test_systemd_accepts_the_unit(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed (Debian: systemd)")
        unit = (ROOT / "examples/systemd/zermelo-serve@.service").read_text(encoding="utf-8")
        file = self.write("zermelo-serve@8001.service", unit.replace("/usr/local/bin/zermelo", "/bin/true"))
        done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    if haproxy() is None:
        skip("not installed: haproxy")
    done = unittest.main(verbosity=2, exit=False).result
    sys.exit(77 if done.skipped else not done.wasSuccessful())
