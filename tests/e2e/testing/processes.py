"""Ports and process trees for the tests that run daemons of their own."""
import os
import pathlib
import random
import socket


def free_port():
    """Below those that the kernel gives to outgoing connections, so that none takes it before it is used."""
    while True:
        port = random.randrange(10000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def send(number, pids):
    """A signal to each of these processes that still runs."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def _read(folder, name):
    try:
        return (folder / name).read_bytes()
    except OSError:  # it has ended, or is another user's
        return b""


def all_processes():
    """(pid, parent, environment) of all processes, without zombies."""
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            state = _read(folder, "stat").rpartition(b")")[2].split()[:2]
            if state and state[0] not in b"ZX":
                yield int(folder.name), int(state[1]), _read(folder, "environ")


def descendants(ancestor):
    """{pid: command line} of the processes below a process."""
    parents = {pid: parent for pid, parent, _ in all_processes()}
    found, new = [], [ancestor]
    while new:
        parent = new.pop()
        children = [pid for pid, its_parent in parents.items() if its_parent == parent]
        found += children
        new += children
    return {pid: _read(pathlib.Path(f"/proc/{pid}"), "cmdline").replace(b"\0", b" ").decode("utf-8", "replace")
            for pid in found}
