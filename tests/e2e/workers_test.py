#!/usr/bin/env python3
"""Lean workers behind a real sshd on this machine."""
import sys
import time
import unittest

from remote_workers import RemoteWorkers, write_place
from server import ServerTest
from ssh_node import Node, missing
from zermelo import EMBEDDED, ZermeloTest, skip, wait_until


class SshWorkers(RemoteWorkers):
    @classmethod
    def setUpClass(cls):
        super(ServerTest, cls).setUpClass()
        cls.node = Node(cls.folder / "node")
        cls.addClassCleanup(cls.node.die)
        cls.node.start()
        cls.begin()

    def test_5_a_node_that_comes_back_is_used_again(self):
        self.node.start()

        def works():
            self.check_all()
            return self.metric("zermelo_place_up") == 1
        wait_until(works, 90, "the node's return")
        self.assertIn("works again", self.server.err)
        self.assertEqual(len(self.node.leans()), 1)

    def test_6_doctor_tries_the_node(self):
        run = self.zermelo("doctor", "--json", "--config", "zermelo.toml")
        finding = next(f for f in run.json["findings"] if f["subject"] == "1 worker")
        self.assertEqual(finding["level"], "ok", finding)
        self.assertIn("a check takes", finding["found"])
        self.configure(project="/no/such/project")
        self.addCleanup(self.configure)
        run = self.zermelo("doctor", "--json", "--config", "zermelo.toml")
        finding = next(f for f in run.json["findings"] if f["subject"] == "1 worker")
        self.assertEqual((run.code, finding["level"]), (3, "problem"))
        self.assertIn("it has no folder /no/such/project", finding["found"])


class SshStateServers(ZermeloTest):
    """`--states on` with one worker here and one on the node."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.node = Node(cls.folder / "node")
        cls.addClassCleanup(cls.node.die)
        cls.node.start()
        write_place(cls, cls.node, silence=3)

    def state_servers(self):
        return [pid for pid, command in self.node.processes().items()
                if "state_server.lean" in command and str(EMBEDDED) in command]

    def test_a_search_goes_on_when_the_node_of_its_state_server_dies(self):
        self.write("hard.lean", "theorem hard (a b c n : Nat) (h : 2 < n) (h' : a ^ n + b ^ n = c ^ n) : a * b * c = 0 := by\n"
                                "  sorry\n")
        run = self.start("prove", "hard.lean", "--states", "on", "--workers", "1", "--config", "zermelo.toml", "--time", "60s",
                         "--strategy", "best_first", "--json")
        wait_until(self.state_servers, 60, f"a state server on the node\n{run.err}")
        time.sleep(10)
        self.assertEqual(len(self.state_servers()), 1, self.node.processes())
        self.node.die()
        run.wait()
        self.assertEqual(run.code, 1, run)
        theorem = run.json["theorems"][0]
        self.assertGreater(theorem["states"]["tried"], 0, theorem)
        self.assertEqual(theorem["states"]["refuted"], 0, theorem)
        self.assertEqual(run.left_behind(), [])


del RemoteWorkers  # no test by itself

if __name__ == "__main__":
    if missing():
        skip(f"not installed: {', '.join(missing())} (Debian: openssh-server openssh-client)")
    done = unittest.main(verbosity=2, exit=False).result
    sys.exit(77 if done.skipped else not done.wasSuccessful())
