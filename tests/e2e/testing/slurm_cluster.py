"""A Slurm of its own on this machine: munged, slurmctld and one slurmd for each of its nodes."""
import getpass
import os
import re
import shutil
import signal
import socket
import subprocess

from .processes import all_processes, free_port, send
from .zermelo import EMBEDDED, PROGRAM, environment, wait_until

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
SYSTEM_PATH = "/usr/sbin:/sbin:/usr/bin:/bin:" + os.environ.get("PATH", "")


def missing():
    return [name for name in NEEDED if shutil.which(name, path=SYSTEM_PATH) is None]


class Cluster:
    """All with their own files and ports. A node from which nothing is heard for `silence` seconds is down."""

    def __init__(self, folder, nodes=1, silence=300):
        self.folder, self.processes = folder, {}
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        for name in ("munge", "state", "spool"):
            (folder / name).mkdir(mode=0o755, parents=True)
        key = folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        host = socket.gethostname().split(".")[0]
        user = getpass.getuser()
        self.conf = folder / "slurm.conf"
        self.conf.write_text(f"""\
ClusterName=zermelo
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout={silence}
{self._node_lines(host)}
PartitionName=test Nodes={",".join(self.nodes)} Default=YES MaxTime=INFINITE State=UP
""")
        self.env = environment({"PATH": SYSTEM_PATH, "SLURM_CONF": self.conf, "ZERMELO": PROGRAM,
                                "ZERMELO_EMBEDDED": EMBEDDED})
        version = re.search(r"\d+", self.run("slurmctld", "-V").stdout)
        if version and int(version[0]) >= 23:  # needs cgroups otherwise, which a container may not have
            (folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")

    def _node_lines(self, host):
        return "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} "
                         f"CPUs={os.cpu_count()} State=UNKNOWN" for node in self.nodes)

    def start(self):
        """Starts everything; returns why that failed, or an empty string."""
        munge = self.folder / "munge"
        self._daemon("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={munge}/key",
                     f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        try:
            wait_until((munge / "socket").exists, 30, "munged's socket")
            self._daemon("slurmctld", "-D", "-f", self.conf)
            for node in self.nodes:
                self.start_node(node)
            wait_until(lambda: set(self.states().values()) == {"idle"}, 60, "idle nodes")
        except AssertionError as error:
            logs = "".join(f"\n--- {p.name}\n{p.read_text()[-600:]}" for p in sorted(self.folder.glob("*.log")))
            return f"{error}{logs}"
        return ""

    def states(self):
        """State by node: "idle", "mixed", "down", …"""
        lines = self.run("sinfo", "-h", "-N", "-o", "%N %T").stdout.splitlines()
        return dict(line.split() for line in lines)

    def start_node(self, node):
        self._daemon("slurmd", "-D", "-f", self.conf, "-N", node, name=node)

    def tasks(self, node):
        """Process ids of what runs in jobs on a node, and of the daemons of their steps."""
        marks = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={self.conf}".encode()}
        found = set()
        for pid, parent, environ in all_processes():
            if marks <= set(environ.split(b"\0")):
                found |= {pid, parent}
        return [pid for pid in found if pid not in (1, os.getpid())]

    def kill_node(self, node):
        """What a power failure does: slurmd, the daemons of its steps and their processes are gone."""
        slurmd = self.processes.pop(node)
        victims = [slurmd.pid, *self.tasks(node)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            send(number, victims)
        slurmd.wait()

    def _daemon(self, program, *arguments, name=None):
        name = name or program
        with open(self.folder / f"{name}.log", "wb") as log:
            self.processes[name] = subprocess.Popen(
                [shutil.which(program, path=SYSTEM_PATH), *map(str, arguments)],
                env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def run(self, *command, limit=60):
        return subprocess.run([str(c) for c in command], env=self.env, capture_output=True, text=True,
                              timeout=limit, check=False)

    def close(self):
        if len(self.processes) > 1:
            self.run("scancel", "--signal=KILL", f"--user={getpass.getuser()}")
        for process in reversed(list(self.processes.values())):
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
