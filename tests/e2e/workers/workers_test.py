#!/usr/bin/env python3
"""Lean workers behind a real sshd on this machine."""
import sys
import unittest

from testing.remote_workers import RemoteWorkers
from testing.server import ServerTest
from testing.ssh_node import Node, missing
from testing.zermelo import skip, wait_until


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


del RemoteWorkers  # no test by itself

if __name__ == "__main__":
    if missing():
        skip(f"not installed: {', '.join(missing())} (Debian: openssh-server openssh-client)")
    done = unittest.main(verbosity=2, exit=False).result
    sys.exit(77 if done.skipped else not done.wasSuccessful())
