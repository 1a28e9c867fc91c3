"""A machine that is reached by ssh: an sshd of its own on this one."""
import getpass
import os
import shutil
import signal
import socket
import subprocess

from .processes import descendants, free_port, send
from .zermelo import EMBEDDED, wait_until

SYSTEM_PATH = "/usr/sbin:/sbin:/usr/bin:/bin:" + os.environ.get("PATH", "")


def missing():
    return [name for name in ("sshd", "ssh", "ssh-keygen") if shutil.which(name, path=SYSTEM_PATH) is None]


class Node:
    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None
        folder.mkdir()
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        shutil.copy(folder / "client.pub", folder / "authorized_keys")
        key_type, key = (folder / "host.pub").read_text().split()[:2]
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {key_type} {key}\n")
        (folder / "sshd_config").write_text(f"""\
Port {self.port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
SetEnv "ZERMELO_EMBEDDED={EMBEDDED}"
""")
        if os.geteuid() == 0:  # where sshd insists on it
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)

    @property
    def launch(self):
        options = ("BatchMode=yes", "StrictHostKeyChecking=yes", "IdentitiesOnly=yes", "LogLevel=ERROR",
                   f"UserKnownHostsFile={self.folder}/known_hosts")
        return ["ssh", "-F", "none", *(word for option in options for word in ("-o", option)), "-i",
                f"{self.folder}/client", "-p", str(self.port), f"{getpass.getuser()}@127.0.0.1"]

    def start(self):
        with open(self.folder / "sshd.log", "ab") as log:
            self.process = subprocess.Popen([shutil.which("sshd", path=SYSTEM_PATH), "-D", "-e", "-f",
                                             self.folder / "sshd_config"], stdout=log, stderr=log)

        def listening():
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", self.port)) == 0
        wait_until(listening, 20, "sshd")

    def processes(self):
        return descendants(self.process.pid)

    def leans(self):
        return [pid for pid, command in self.processes().items()
                if "--worker" in command and str(EMBEDDED) in command.split("--worker")[0]
                and "zermelo worker" not in command]

    def signal(self, number):
        """To everything on the node."""
        send(number, [self.process.pid, *self.processes()])

    def die(self):
        if self.process is None:
            return
        self.signal(signal.SIGSTOP)  # so that nothing starts another process meanwhile
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.process = None
