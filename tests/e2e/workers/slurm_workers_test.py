#!/usr/bin/env python3
"""Lean workers that a real Slurm starts, as steps of one job: one worker on a node of two."""
import os
import re
import sys
import unittest

from testing.processes import descendants, send
from testing.remote_workers import RemoteWorkers
from testing.server import ServerTest
from testing.slurm_cluster import Cluster, missing
from testing.zermelo import skip


class SlurmNode:
    """The second node of a cluster, in a job that keeps both."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.launch = ["srun", "--ntasks=1", "--cpus-per-task=1", "--overlap", "--kill-on-bad-exit=1",
                       f"--nodelist={name}", "--nodes=1"]

    def processes(self):
        found = self.cluster.tasks(self.name)
        return {pid: command for parent in found for pid, command in descendants(parent).items()}

    def leans(self):
        return [pid for pid, command in self.processes().items()
                if "--worker" in command and "host.js" in command]

    def signal(self, number):
        send(number, self.cluster.tasks(self.name))

    def die(self):
        if self.name in self.cluster.processes:
            self.cluster.kill_node(self.name)


class SlurmWorkers(RemoteWorkers):
    @classmethod
    def setUpClass(cls):
        super(ServerTest, cls).setUpClass()
        cluster = Cluster(cls.folder / "slurm", nodes=2, silence=10)
        cls.addClassCleanup(cluster.close)
        if trouble := cluster.start():
            if os.environ.get("CI"):
                raise AssertionError(trouble)
            raise unittest.SkipTest(f"Slurm does not start here: {trouble}")
        job = cluster.run("salloc", "--nodes=2", "--no-kill", "--no-shell")
        granted = re.search(r"Granted job allocation (\d+)", job.stderr)
        if granted is None:
            raise AssertionError(job.stderr)
        cls.node = SlurmNode(cluster, "n2")
        cls.server_env = {"PATH": cluster.env["PATH"], "SLURM_CONF": cluster.conf, "SLURM_JOB_ID": granted[1]}
        cls.begin()


del RemoteWorkers  # no test by itself

if __name__ == "__main__":
    if missing():
        skip(f"not installed: {', '.join(missing())} (Debian: munge slurmctld slurmd slurm-client)")
    done = unittest.main(verbosity=2, exit=False).result
    sys.exit(77 if done.skipped else not done.wasSuccessful())
