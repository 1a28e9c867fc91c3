#!/usr/bin/python3 -IS
"""A fake Lean for tests that is a state server: `fake_states.py --run FILE [THREADS]`.

A hole in `theorem NAME : NUMBER := by` is a game: `dec` takes one off the number, `zero` closes the goal 0. Other
lines of a run request faults; `wait` is slow unless the request is cancelled. The self-test of the client gets the
known answers unless the folder of FILE's process, the working directory, has a file `wrong`.
"""

import json
import os
import queue
import re
import sys
import threading
import time


def read_request():
    """The next message, or None at the end. (Not shared with fake_lean.py: a fake is one file, which tests copy.)"""
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        if line.startswith(b"Content-Length: "):
            length = int(line[16:])
        elif line == b"\r\n":
            return json.loads(sys.stdin.buffer.read(length))


WRITING = threading.Lock()
HERE = threading.local()  # .request: the one that this thread answers


def send(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with WRITING:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        sys.stdout.buffer.flush()


def step(line, text, state=None, goals=None, error=None, elaborated=True, cut=False):
    begin = len(text) - len(text.lstrip())
    notes = []
    if error is not None:
        place = error if isinstance(error, list) else [line, begin]
        said = error if isinstance(error, str) else "wrong"
        notes = [{"severity": 1, "from": place, "to": place, "text": said}]
    return {"from": [line, begin], "to": [line, len(text)], "state": state, "goals": goals, "notes": notes,
            "cut": cut, "aborted": False, "elaborated": elaborated}


CONTEXT = "p : Prop\nα : Type u\na b : Nat\nh : p\n⊢ "
LEFT, RIGHT = "case left\n" + CONTEXT + "p", "case right\n" + CONTEXT + "a + b = b + a"


def answer_self_test(text):
    lines = text.split("\n")
    steps, syntax = [step(0, lines[0], 1, [LEFT, RIGHT])], []
    for i, line in enumerate(lines[1:], 1):
        if "missing" in line:
            steps.append(step(i, line, 2, [], [i, line.index("missing")]))
        elif line.startswith("  ·") and "have" not in line:
            steps.append(step(i, line, 3, [] if len(steps) == 2 else [RIGHT]))
        elif line == "  )":
            syntax = [{"severity": 1, "from": [i, 2], "to": [i, 3], "text": "unexpected token"}]
    return {"steps": steps, "syntax": syntax, "state": 9, "goals": steps[-1]["goals"], "sorry": "· sorry" in text,
            "holes": os.path.exists("wrong")}


class Server:
    def __init__(self):
        self.goals = []  # by state; None is the self-test's
        self.known = {}
        self.lock = threading.Lock()

    def open(self, params):
        text = params["text"]
        if text.encode()[params["at"]:][:5] != b"sorry":
            return None
        game = re.search(r"theorem \w+ : (\d+) := by", text)
        with self.lock:
            self.goals.append(int(game.group(1)) if game else None)
            return {"state": len(self.goals) - 1, "goals": [str(self.goals[-1])]}

    def run(self, params):
        goal = self.goals[params["state"]]
        return answer_self_test(params["text"]) if goal is None else self.play(params["state"], params["text"])

    def try_(self, params):
        before = self.play(params["state"], params["before"])
        if not before["goals"] or any(s["state"] is None for s in before["steps"]):
            return {"tried": []}
        return {"tried": [self.play(before["state"], text) for text in params["texts"]
                          if not HERE.request.get("cancelled")]}

    def play(self, at, text):
        goal, steps = self.goals[at], []
        for i, line in enumerate(text.splitlines()):
            tactic = line.strip()
            self.fault(tactic)
            after = goal - 1 if tactic == "dec" else -1 if tactic == "zero" and goal == 0 else None
            if after is None:
                error = "%d is not 0" % goal if tactic == "zero" else True  # as fake_lean.py says it
                steps.append(step(i, line, error=error, cut=tactic == "slow"))
                break
            with self.lock:
                is_new = (at, tactic) not in self.known
                if is_new:
                    self.goals.append(after)
                at = self.known.setdefault((at, tactic), len(self.goals) - 1)
            goal = after
            steps.append(step(i, line, at, [] if goal < 0 else [str(goal)], elaborated=is_new))
        return {"steps": steps, "syntax": [], "state": at, "goals": [] if goal < 0 else [str(goal)], "sorry": False,
                "holes": False}

    @staticmethod
    def fault(tactic):
        words = tactic.split()
        if words[:1] == ["once"]:  # once FILE FAULT: the first time only
            if os.path.exists(words[1]):
                return
            open(words[1], "w").close()
            words = words[2:]
        if words == ["wait"]:
            open("waiting", "w").close()
            while not HERE.request.get("cancelled"):
                time.sleep(0.01)
        if words == ["die"]:
            sys.stderr.write("last words\n")
            sys.stderr.flush()
            os._exit(3)
        if words == ["hang"]:
            while True:
                time.sleep(0.01)
        if words == ["garbage"]:
            send(b"{")
        if words == ["chatter"]:
            print("tactics may print", flush=True)
        if words == ["grow"]:
            blocks = []
            while True:
                blocks.append(bytearray(os.urandom(1 << 20)) * 16)
                time.sleep(0.01)
        if words == ["nonsense"]:
            send({"jsonrpc": "2.0", "id": HERE.request["id"], "result": {"steps": 7}})
            HERE.request["answered"] = True


def main():
    server = Server()
    if not os.path.exists(sys.argv[2]):
        os._exit(4)
    requests, all_requests = queue.Queue(), {}
    for _ in range(int((sys.argv + ["1"])[3])):
        threading.Thread(target=serve, args=(server, requests), daemon=True).start()
    while True:
        request = read_request()
        if request is None:
            os._exit(0)
        if request["method"] == "cancel":
            all_requests[request["params"]["id"]]["cancelled"] = True
        else:
            all_requests[request["id"]] = request
            requests.put(request)


def serve(server, requests):
    while True:
        HERE.request = request = requests.get()
        if request["method"] == "ping":
            result = {"version": "fake"}
        elif request["method"] == "free":
            result = {}
        else:
            methods = {"open": server.open, "run": server.run, "try": server.try_}
            result = methods[request["method"]](request["params"])
        if request.get("answered"):
            continue
        if result is None:
            send({"jsonrpc": "2.0", "id": request["id"], "error": {"message": "no hole there"}})
        else:
            send({"jsonrpc": "2.0", "id": request["id"], "result": result})


main()
