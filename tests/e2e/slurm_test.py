#!/usr/bin/env python3
"""examples/slurm with a real slurmctld and slurmd on this machine: an array of shards, then their merge."""
import getpass
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest

from zermelo import EMBEDDED, PROGRAM, ROOT, ZermeloTest, environment, skip, wait_until

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
SYSTEM_PATH = "/usr/sbin:/sbin:/usr/bin:/bin:" + os.environ.get("PATH", "")


def missing():
    return [name for name in NEEDED if shutil.which(name, path=SYSTEM_PATH) is None]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """munged, slurmctld and slurmd with separate files and ports."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        for name in ("munge", "state", "spool"):
            (folder / name).mkdir(mode=0o755)
        key = folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.node = socket.gethostname().split(".")[0]
        user = getpass.getuser()
        self.conf = folder / "slurm.conf"
        self.conf.write_text(f"""\
ClusterName=zermelo
SlurmctldHost={self.node}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName={self.node} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=test Nodes={self.node} Default=YES MaxTime=INFINITE State=UP
""")
        self.env = environment({"PATH": SYSTEM_PATH, "SLURM_CONF": self.conf, "ZERMELO": PROGRAM,
                                "ZERMELO_EMBEDDED": EMBEDDED})
        version = re.search(r"\d+", self.run("slurmctld", "-V").stdout)
        if version and int(version[0]) >= 23:  # needs cgroups otherwise, which a container may not have
            (folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")

    def start(self):
        """Starts everything; returns why that failed, or an empty string."""
        munge = self.folder / "munge"
        self._daemon("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={munge}/key",
                     f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        try:
            wait_until((munge / "socket").exists, 30, "munged's socket")
            self._daemon("slurmctld", "-D", "-f", self.conf)
            self._daemon("slurmd", "-D", "-f", self.conf, "-N", self.node)
            wait_until(lambda: self.run("sinfo", "-h", "-o", "%T").stdout.strip() == "idle", 60, "an idle node")
        except AssertionError as error:
            logs = "".join(f"\n--- {p.name}\n{p.read_text()[-600:]}" for p in sorted(self.folder.glob("*.log")))
            return f"{error}{logs}"
        return ""

    def _daemon(self, name, *arguments):
        with open(self.folder / f"{name}.log", "wb") as log:
            self.processes.append(subprocess.Popen([shutil.which(name, path=SYSTEM_PATH), *map(str, arguments)],
                                                   env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def run(self, *command, limit=60):
        return subprocess.run([str(c) for c in command], env=self.env, capture_output=True, text=True,
                              timeout=limit, check=False)

    def close(self):
        if len(self.processes) > 1:
            self.run("scancel", "--signal=KILL", f"--user={getpass.getuser()}")
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Slurm(ZermeloTest):
    def test_an_array_of_shards_and_their_merge(self):
        cluster = Cluster(self.folder)
        self.addCleanup(cluster.close)
        if trouble := cluster.start():
            (self.fail if os.environ.get("CI") else self.skipTest)(f"Slurm does not start here: {trouble}")
        self.write("set.jsonl", "".join(json.dumps(
            {"name": f"p{i}", "statement": f"theorem p{i} (a b : Nat) (h : a < b) : a + {i} < b + {i}"}) + "\n"
            for i in range(3)))
        out = self.folder / "runs"
        submitted = cluster.run(ROOT / "examples/slurm/submit.sh", self.folder / "set.jsonl", out, 2,
                                "--", "--budget", "2m", "--jobs", "1", "--workers", "1")
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        self.assertRegex(submitted.stdout, r"array \d+, merge \d+: .*/runs/report.html")
        merge = re.search(r"merge (\d+)", submitted.stdout)[1]

        def ended():
            return merge not in cluster.run("squeue", "-h", "-o", "%A").stdout.split()
        wait_until(ended, 400, "the end of the merge")
        logs = {p.name: p.read_text() for p in out.glob("*.log")}
        self.assertEqual(sorted(logs), ["merge.log", "shard-1.log", "shard-2.log"])
        self.assertIn("3 of 3 solved", logs["merge.log"], logs)
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        self.assertEqual((summary["problems"], summary["solved"], summary["left"]), (3, 3, 0))
        self.assertEqual(sorted(p.name for p in (out / "proofs").iterdir()), ["p0.lean", "p1.lean", "p2.lean"])
        self.assertTrue((out / "report.html").is_file())
        merged = json.loads((out / "eval.json").read_text(encoding="utf-8"))
        self.assertEqual([p["name"] for p in merged["problems"]], ["p0", "p1", "p2"])


if __name__ == "__main__":
    if missing():
        skip(f"not installed: {', '.join(missing())} (Debian: munge slurmctld slurmd slurm-client)")
    done = unittest.main(verbosity=2, exit=False).result
    sys.exit(77 if done.skipped else not done.wasSuccessful())
