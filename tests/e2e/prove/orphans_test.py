#!/usr/bin/env python3
"""kill -9 of the program, whatever it does: no Lean is left, not even one that another process has started."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile

from testing.server import ServerTest
from testing.zermelo import LEAN, PROGRAM, ZermeloTest, environment, main, processes_of, wait_until

SLOW = "".join(f"theorem t{i} (a b c d : Nat) : a + b + c + d + {i} = {i} + d + c + b + a := by omega\n"
               for i in range(400))
HARD = "theorem hard (a b c : Nat) (ha : 0 < a) (hb : 0 < b) : a ^ 3 + b ^ 3 ≠ c ^ 3 + 9 := by\n  sorry\n"
LONG = "theorem long : (List.range 100000000).length = 100000000 := by\n  sorry\n"


def seconds_run(pid):
    """The processor time of a process; 0 once it has ended."""
    try:
        user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Orphans(ZermeloTest):
    """`program`: what is killed; `session`: everything that it has started."""

    def kill(self, program, session, kind="--worker"):
        wait_until(lambda: self.leans(session, kind), 90, "a Lean")
        os.kill(program.pid, signal.SIGKILL)
        program.wait()
        wait_until(lambda: not processes_of(session), 10, f"the end of {processes_of(session)}")

    @staticmethod
    def leans(session, kind="--worker"):
        return [pid for pid, command in processes_of(session) if kind in command and "host.js" in command]

    def test_prove(self):
        run = self.start("prove", self.write("hard.lean", HARD), "--time", "60s")
        self.kill(run.process, run.process.pid)

    def test_prove_with_a_lean_that_is_another_ones_child(self):
        script = self.write("lean", f'#!/bin/sh\n"{LEAN}" "$@"\nexit $?\n')
        script.chmod(0o755)
        run = self.start("prove", self.write("hard.lean", HARD), "--time", "60s", "--lean", script)
        self.kill(run.process, run.process.pid)

    def test_a_verdict(self):
        self.write("original.lean", LONG)
        proof = self.write("proof.lean", LONG.replace("sorry", "decide +kernel"))
        run = self.start("check", proof, "--against", "original.lean")
        session = run.process.pid
        wait_until(lambda: any(seconds_run(pid) > 8 for pid in self.leans(session, "--stdin")), 300, "a Lean at work")
        self.kill(run.process, session, kind="--stdin")

    def test_serve_with_a_spare_worker(self):
        run = ServerTest.serve.__func__(type(self), "--workers", "1", "--spares", "1")
        wait_until(lambda: len(self.leans(run.process.pid)) == 2, 90, "the spare worker")
        self.kill(run.process, run.process.pid)

    def test_mcp_at_work(self):
        with tempfile.TemporaryFile() as errors:
            server = subprocess.Popen([str(PROGRAM), "mcp", "--workers", "1"], stdin=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, stderr=errors, cwd=self.folder, env=environment({}),
                                      start_new_session=True)
            self.addCleanup(server.stdin.close)
            self.addCleanup(server.kill)
            for message in (
                    {"id": 1, "method": "initialize",
                     "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                "clientInfo": {"name": "test", "version": "1"}}},
                    {"method": "notifications/initialized"},
                    {"id": 2, "method": "tools/call", "params": {"name": "check", "arguments": {"text": SLOW}}}):
                server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                server.stdin.flush()
            self.kill(server, server.pid)


if __name__ == "__main__":
    main()
