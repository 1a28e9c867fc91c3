#!/usr/bin/env python3
"""A state server behind a real sshd on this machine."""
import time

from testing.remote_workers import write_place
from testing.ssh_node import Node, missing
from testing.zermelo import EMBEDDED, ZermeloTest, main, skip, wait_until


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
        time.sleep(5)
        self.assertEqual(len(self.state_servers()), 1, self.node.processes())
        self.node.die()
        run.wait()
        self.assertEqual(run.code, 1, run)
        theorem = run.json["theorems"][0]
        self.assertGreater(theorem["states"]["tried"], 0, theorem)
        self.assertEqual(theorem["states"]["refuted"], 0, theorem)
        self.assertEqual(run.left_behind(), [])


if __name__ == "__main__":
    if missing():
        skip(f"not installed: {', '.join(missing())} (Debian: openssh-server openssh-client)")
    main()
