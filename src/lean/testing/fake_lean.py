#!/usr/bin/python3 -IS
"""A fake Lean for tests, which behaves like `lean --worker URI`, `lean --stdin --json -o FILE` and
`lean --version`.

Lines `-- fake: NAME ARGUMENTS` of the document request faults (class Directives). A document with
a line `theorem NAME : NUMBER := by` is a game whose goals are numbers (class Game). The fake is
strict: on input that a real worker would not accept, it exits with code 9 and a message on stderr.
"""

import json
import os
import re
import signal
import sys
import time


def protocol_error(what):
    sys.stderr.write("fake lean: " + what + "\n")
    sys.stderr.flush()
    os._exit(9)


def crash(words):
    sys.stderr.write(words + "\n")
    sys.stderr.flush()
    os._exit(3)


def rest_for_ever():
    while True:
        time.sleep(1000)


# ------------------------------------------------------------------ text


def utf16_length(text):
    return sum(2 if ord(c) > 0xFFFF else 1 for c in text)


def index_of(text, position):
    """The index of an LSP position, which must exist in the text."""
    lines = text.split("\n")
    line, column = position["line"], position["character"]
    if line >= len(lines):
        protocol_error("line %d is past the end of the document" % line)
    start = sum(len(l) + 1 for l in lines[:line])
    for i in range(len(lines[line]) + 1):
        if utf16_length(lines[line][:i]) == column:
            return start + i
    protocol_error("no column %d in line %d" % (column, line))


def apply_change(text, change):
    if "range" not in change:
        return change["text"]
    begin = index_of(text, change["range"]["start"])
    end = index_of(text, change["range"]["end"])
    return text[:begin] + change["text"] + text[end:]


# ------------------------------------------------------------------ game


class TacticError(Exception):
    def __init__(self, line, message):
        super().__init__(message)
        self.line, self.message = line, message


class ParseError(TacticError):
    """An error after which nothing more is read."""


class Stall(Exception):
    def __init__(self, line):
        super().__init__()
        self.line = line


class Crash(Stall):
    pass


class Number(int):
    """A goal: a number, and the lemmas that its proof may use."""

    lemmas = ()
    unknown = False  # shown as a metavariable

    def but(self, number, lemmas=None):
        other = Number(number)
        other.lemmas = self.lemmas if lemmas is None else lemmas
        return other


class Game:
    """Goals are numbers; `zero` closes 0, `dec` and `sub K` decrease a number, `split` halves it.

    `case TAG =>`, `· ` and the `refine` of a probe work as in Lean, which reports an error inside
    a case and continues after it. `close K` closes K, `exact?` suggests that. `apply?` is `sorry`. `cheat` closes
    anything, but the kernel rejects it. `have h : K := ?_` makes K the first goal, `have h : K := by`
    proves it in a block; after it `use h` closes anything. `exact t` closes the number of an earlier theorem t;
    `nowhere` is an invalid statement. `guess` puts an unknown goal `?m` before the first goal; `is K` closes it,
    and the first of the other goals that is K, too. `slow` stalls, `crash` kills, an unknown word is a syntax
    error.
    """

    def __init__(self, text):
        self.text = text
        self.diagnostics = []  # (severity, line, message)
        self.cheated = False
        self.stalled_line = None
        self.crashes = False
        self.before = {}  # line -> the goals before its first tactic, as Lean prints them
        self.theorems = {}  # those before the current line
        lines = text.split("\n")
        for number, line in enumerate(lines):
            found = re.match(r"theorem (\w+) : (\d+) := by\s*$", line)
            if found:
                self.play(number, int(found.group(2)), lines)
                self.theorems[found.group(1)] = int(found.group(2))
            elif re.match(r"theorem \w+ : nowhere := by", line):
                self.report(number, "unknown identifier 'nowhere'")

    def play(self, first, number, lines):
        statements = self.parse(first + 1, lines)
        goals = [("", Number(number))]
        try:
            self.run(statements, goals)
            if goals:
                self.report(first, "unsolved goals\n" + self.show(goals))
        except TacticError as e:
            self.report(e.line, e.message)
        except Stall as e:
            self.stalled_line = e.line
            self.crashes = isinstance(e, Crash)
            return
        kernel = "set_option debug.skipKernelTC false" in self.text
        if self.cheated and kernel:
            self.report(first, "(kernel) declaration type mismatch")

    def report(self, line, message, severity=1):
        self.diagnostics.append((severity, line, message))

    @staticmethod
    def shown(goals):
        return [("case %s\n" % tag if tag else "") + "n : Nat\n" + "".join("%s : %d\n" % l for l in n.lemmas)
                + ("⊢ ?m" if n.unknown else "⊢ %d" % n) for tag, n in goals]

    @staticmethod
    def show(goals):
        return "\n\n".join(Game.shown(goals))

    @staticmethod
    def parse(first, lines):
        """Statements (line, text, children) by indentation, up to the next line in column 0."""
        top = []
        stack = [(0, top)]
        for number in range(first, len(lines)):
            line = lines[number].rstrip("\r")
            if not line.strip():
                continue
            indent = len(line) - len(line.lstrip(" "))
            if indent == 0:
                break
            text = line.strip()
            while len(stack) > 1 and stack[-1][0] >= indent:
                stack.pop()
            children = []
            siblings = stack[-1][1]
            siblings.append((number, text, children))
            stack.append((indent, children))
            while text.startswith("· "):  # code after the dot belongs to its block
                text = text[2:]
                indent += 2
                inner = []
                children.append((number, text, inner))
                siblings[-1] = (number, "·", siblings[-1][2])
                siblings = children
                stack.append((indent, inner))
                children = inner
        return top

    def run(self, statements, goals):
        for line, text, children in statements:
            self.step(line, text, children, goals)

    def block(self, line, statements, goal):
        """Runs a block on one goal; its errors are reported and end only the block. What it leaves unsolved is
        reported before the errors inside, as Lean does now and then."""
        goals = [goal]
        reported = len(self.diagnostics)
        try:
            self.run(statements, goals)
            if goals:
                self.diagnostics.insert(reported, (1, line, "unsolved goals\n" + self.show(goals)))
        except ParseError:
            raise
        except TacticError as e:
            self.report(e.line, e.message)

    def step(self, line, text, children, goals):
        self.before.setdefault(line, self.shown(goals))
        word, _, rest = text.partition(" ")
        if word == "--" or word == "skip":
            return
        if word == "fail":
            raise TacticError(line, rest.strip('"') or "The tactic `fail` failed")
        if word == "case":
            tag, _, inline = rest.partition(" =>")
            statements = ([(line, inline.strip(), [])] if inline.strip() else []) + children
            if not statements:
                raise ParseError(line, "unexpected end of input")
            at = next((i for i, g in enumerate(goals) if g[0] == tag), None)
            if at is None:
                raise TacticError(line, "Case tag `%s` not found" % tag)
            self.block(line, statements, goals.pop(at))
            return
        if not goals:
            raise TacticError(line, "no goals to be solved")
        tag, n = goals[0]
        if word == "·":
            goals.pop(0)
            self.block(line, children, (tag, n))
        elif word == "refine":
            goals[0:1] = [(t, n) for t in re.findall(r"\?(\w+)", rest)]
        elif word == "dec" or word == "sub":
            k = int(rest) if word == "sub" else 1
            if n < k:
                raise TacticError(line, "cannot take %d from %d" % (k, n))
            goals[0] = (tag, n.but(n - k))
        elif word == "zero":
            if n != 0:
                raise TacticError(line, "%d is not 0" % n)
            goals.pop(0)
        elif word == "close":
            if n != int(rest):
                raise TacticError(line, "%d is not %s" % (n, rest))
            goals.pop(0)
        elif word == "split":
            if n < 2:
                raise TacticError(line, "cannot split %d" % n)
            goals[0:1] = [("left", n.but(n // 2)), ("right", n.but(n - n // 2))]
        elif word in ("sorry", "apply?"):
            goals.pop(0)
            self.report(line, "declaration uses `sorry`", 2)
        elif word == "cheat":
            self.cheated = True
            goals.pop(0)
        elif word == "have":
            found = re.match(r"(\w+) : (\d+) := (by|\?_)$", rest)
            if not found:
                raise ParseError(line, "unexpected have")
            lemma = n.but(int(found.group(2)))
            goals[0] = (tag, n.but(n, n.lemmas + ((found.group(1), int(lemma)),)))
            if found.group(3) == "by":
                self.block(line, children, ("", lemma))
            else:
                goals.insert(0, ("", lemma))
        elif word == "guess":
            unknown = n.but(n)
            unknown.unknown = True
            goals.insert(0, ("", unknown))
        elif word == "is":
            if not n.unknown:
                raise TacticError(line, "%d is known" % n)
            goals.pop(0)
            at = next((i for i, g in enumerate(goals) if g[1] == int(rest)), None)
            if at is not None:
                goals.pop(at)
        elif word == "use":
            if rest not in [name for name, _ in n.lemmas]:
                raise TacticError(line, "unknown identifier '%s'" % rest)
            goals.pop(0)
        elif word == "exact":
            if self.theorems.get(rest) is None:
                raise TacticError(line, "unknown identifier `%s`" % rest)
            if self.theorems[rest] != n:
                raise TacticError(line, "type mismatch: %s says %d" % (rest, self.theorems[rest]))
            goals.pop(0)
        elif word == "exact?":
            goals.pop(0)
            self.report(line, "Try this:\n  [apply] close %d\n\nand a remark" % n, 3)
        elif word == "slow":
            raise Stall(line)
        elif word == "crash":
            raise Crash(line)
        else:
            raise ParseError(line, "unknown tactic '%s'" % word)


# ----------------------------------------------------------------- deeds


def attempt(deed, argument):
    """Does what a hostile document would make Lean do; returns the outcome."""
    try:
        if deed == "read":
            return "done: " + open(argument).read()
        if deed == "write":
            open(argument, "w").write("x")
        elif deed == "fill":  # a sparse file of 5 GB
            name = sys.argv[sys.argv.index("-o") + 1] + ".big" if "-o" in sys.argv else argument
            with open(name, "w") as file:
                file.truncate(5 << 30)
        elif deed == "connect":
            import socket
            socket.create_connection(("127.0.0.1", int(argument)), timeout=5)
        elif deed == "fork":
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
        return "done"
    except OSError as e:
        return "refused: " + e.strerror


# ------------------------------------------------------------ directives


class Directives:
    """The `-- fake:` lines of a document, as a list of (name, argument)."""

    def __init__(self, text):
        self.list = re.findall(r"^\s*-- fake: (\S+) ?(.*?)\r?$", text, re.MULTILINE)

    def get(self, name):
        return next((argument for n, argument in self.list if n == name), None)

    def before_anything(self):
        """Runs the directives that affect the process itself, in either mode."""
        for name, argument in self.list:
            if name == "touch":
                open(argument, "w").close()
            elif name == "stderr":
                sys.stderr.write("x" * int(argument))
                sys.stderr.flush()
            elif name == "daemon":
                if os.fork() == 0:
                    os.setsid()
                    time.sleep(int(argument))
                    os._exit(0)
            elif name == "crash-once" and not os.path.exists(argument):
                open(argument, "w").close()
                crash("crashed once")
            elif name == "crash":
                crash(argument or "crashed")
            elif name == "die":
                os.kill(os.getpid(), int(argument))
            elif name == "flood":  # writes 1 MB files to the .olean's folder forever
                folder = os.path.dirname(sys.argv[sys.argv.index("-o") + 1])
                for number in range(10**9):
                    with open(os.path.join(folder, str(number)), "wb") as file:
                        file.write(b"x" * (1 << 20))
                    time.sleep(0.01)
            elif name == "eat" or (name == "compiler-eats" and "-o" in sys.argv):  # keeps this many MB
                self.eaten = b"x" * (int(argument) << 20)
                rest_for_ever()
            elif name == "deaf":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                rest_for_ever()

    def diagnostics(self, text):
        """(severity, line, message) in order."""
        found = []
        for name, argument in self.list:
            if name == "error" or name == "warning" or name == "info":
                line, _, message = argument.partition(" ")
                found.append(({"error": 1, "warning": 2, "info": 3}[name], int(line), message))
            elif name == "echo":
                found.append((3, 0, text))
            elif name == "environment":
                found.append((3, 0, os.environ.get(argument, "")))
            elif name == "attempt":
                found.append((3, 0, attempt(*argument.partition(" ")[::2])))
            elif name == "pid":
                found.append((3, 0, "pid %d" % os.getpid()))
            elif name == "arguments":
                found.append((3, 0, " ".join(sys.argv[1:])))
        return found


# ---------------------------------------------------------------- worker


class Worker:
    def __init__(self, uri):
        self.uri = uri
        self.input = sys.stdin.buffer
        self.initialized = False
        self.opened = False
        self.text = ""
        self.game = Game("")
        self.version = 0
        self.directives = Directives("")
        self.stuck = False
        self.waiting = []  # ids whose answer the current text holds back
        self.colliding = {}  # id of our request -> id of the client's request to answer

    def send_raw(self, data):
        try:
            os.write(1, data)
        except BrokenPipeError:
            os._exit(0)

    def send(self, message):
        body = json.dumps(message, ensure_ascii=False).encode()
        data = b"Content-Length: %d\r\n\r\n" % len(body) + body
        while data:
            written = os.write(1, data)
            data = data[written:]

    def receive(self):
        length = None
        while True:
            line = self.input.readline()
            if not line:
                return None
            if line == b"\r\n":
                break
            name, _, value = line.partition(b": ")
            if name == b"Content-Length":
                length = int(value)
        if length is None:
            protocol_error("a frame without a length")
        return json.loads(self.input.read(length))

    def run(self):
        while True:
            message = self.receive()
            if message is None:
                return
            method = message.get("method")
            if not self.initialized:
                if method != "initialize":
                    protocol_error("`initialize` must come first, not %s" % method)
                self.initialized = True
            elif not self.opened:
                if method != "textDocument/didOpen":
                    protocol_error("`didOpen` must come after `initialize`, not %s" % method)
                self.open(message["params"])
            elif method is None:
                self.replied(message)
            elif method == "textDocument/didChange":
                self.change(message["params"])
            elif method == "textDocument/waitForDiagnostics":
                self.wait(message["id"], message["params"])
            elif method == "$/lean/plainGoal":
                self.goal(message["id"], message["params"])
            elif method == "$/lean/plainTermGoal":
                self.term_goal(message["id"], message["params"])
            else:
                protocol_error("unexpected %s" % method)

    def open(self, params):
        document = params["textDocument"]
        if document["uri"] != self.uri or params["dependencyBuildMode"] != "never":
            protocol_error("a bad didOpen")
        self.opened = True
        self.elaborate(document["text"], document["version"])

    def change(self, params):
        text = self.text
        for change in params["contentChanges"]:
            text = apply_change(text, change)
        if params["textDocument"]["version"] <= self.version:
            protocol_error("versions must grow")
        if self.directives.get("keeps-the-rest") is None:
            for id in self.waiting:  # late answers to requests that were given up
                self.send({"jsonrpc": "2.0", "id": id, "result": {}})
        self.waiting = []
        self.elaborate(text, params["textDocument"]["version"])

    def elaborate(self, text, version):
        self.text, self.version = text, version
        self.directives = Directives(text)
        directives = self.directives
        directives.before_anything()
        for name, argument in directives.list:
            if name == "garbage":
                self.send_raw(b"\nsome words of Lean: " + b"g" * int(argument) + b"\n")
            elif name == "huge-frame":
                self.send_raw(b"Content-Length: 1000000000\r\n\r\n{")
            elif name == "truncated":
                self.send_raw(b"Content-Length: 100\r\n\r\n{\"jsonrpc\":")
                os._exit(0)
            elif name == "invalid-json":
                self.send_raw(b"Content-Length: 4\r\n\r\n{\"a]")
            elif name == "invalid-utf8":
                self.send_raw(b"Content-Length: 4\r\n\r\n\"\xff\xfe\"")
            elif name == "raw-json":
                body = argument.encode()
                self.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            elif name == "close-stdout":
                os.close(1)
                rest_for_ever()
            elif name == "slow":
                time.sleep(int(argument) / 1000)
            elif name == "spin":
                end = time.monotonic() + int(argument) / 1000
                while time.monotonic() < end:
                    pass
            elif name == "unknown-id":
                self.send({"jsonrpc": "2.0", "id": 987654, "result": {"a": 1}})
        self.game = game = Game(text)
        stalled_line = game.stalled_line
        if directives.get("stall") is not None:
            stalled_line = int(directives.get("stall"))
        # Ranges of lines reported as unfinished before the diagnostics and after them.
        first, then = self.ranges("unfinished-first"), self.ranges("unfinished")
        self.stuck = bool(directives.get("hang") is not None or stalled_line is not None
                          or first or then)
        if stalled_line is not None:
            first = [(stalled_line, self.text.count("\n"))]
        self.progress(first)
        if game.crashes:
            return
        self.publish(version, directives.diagnostics(text) + game.diagnostics)
        if then:
            self.progress(then)
        if directives.get("takes-back") is not None:
            self.publish(version, [])
        if directives.get("stale") is not None:
            self.publish(version - 1, [(1, 0, "a stale error")])

    def ranges(self, directive):  # 1-2 4-8
        return [map(int, lines.split("-")) for lines in (self.directives.get(directive) or "").split()]

    def progress(self, unfinished):
        def place(line):
            return {"line": line, "character": 0}
        processing = [{"range": {"start": place(first), "end": place(end)}, "kind": 1}
                      for first, end in unfinished]
        self.send({"jsonrpc": "2.0", "method": "$/lean/fileProgress", "params": {
            "textDocument": {"uri": self.uri, "version": self.version},
            "processing": processing}})

    def publish(self, version, diagnostics):
        def one(severity, line, message):
            begin = {"line": line, "character": 0}
            end = {"line": line, "character": 1}
            return {"severity": severity, "range": {"start": begin, "end": end},
                    "fullRange": {"start": begin, "end": {"line": line + 1, "character": 0}},
                    "message": message, "source": "Lean 4"}
        self.send({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {
            "uri": self.uri, "version": version, "diagnostics": [one(*d) for d in diagnostics]}})

    def wait(self, id, params):
        if params["version"] != self.version or params["uri"] != self.uri:
            protocol_error("waiting for another document")
        if self.game.crashes:
            crash("a tactic crashed")
        if self.stuck:
            self.waiting.append(id)
        elif self.directives.get("collide") is not None:
            # Requests to the client with the very id that it is waiting for, and with others.
            for colliding in (id, id + 1, "a string", 0):
                self.colliding[colliding] = id
                self.send({"jsonrpc": "2.0", "id": colliding,
                           "method": "workspace/semanticTokens/refresh"})
        elif self.directives.get("refuse") is not None:
            self.send({"jsonrpc": "2.0", "id": id,
                       "error": {"code": -32801, "message": "content modified"}})
        else:
            self.send({"jsonrpc": "2.0", "id": id, "result": {}})

    def replied(self, message):
        """Answers the client only once it has answered all our requests."""
        if "result" not in message:
            protocol_error("a reply without a result")
        id = self.colliding.pop(message["id"])
        if not self.colliding:
            self.send({"jsonrpc": "2.0", "id": id, "result": {}})

    def goal(self, id, params):
        if self.directives.get("goal-hang") is not None:
            self.waiting.append(id)
            return
        position = params["position"]
        line = self.text.split("\n")[position["line"]]
        index_of(self.text, position)
        result = None
        is_term = re.search(":= sorry", line) and line[:position["character"]].endswith(":= ")
        if position["line"] in self.game.before:
            goals = self.game.before[position["line"]]
            result = {"rendered": "\n\n".join(goals), "goals": goals}
        elif line.strip() and not is_term:
            state = "⊢ at %d:%d" % (position["line"], position["character"])
            result = {"rendered": "```lean\n" + state + "\n```", "goals": [state, "⊢ second"]}
        self.send({"jsonrpc": "2.0", "id": id, "result": result})

    def term_goal(self, id, params):
        position = params["position"]
        goal = "⊢ term at %d:%d" % (position["line"], position["character"])
        self.send({"jsonrpc": "2.0", "id": id, "result": {"goal": goal}})


# -------------------------------------------------------------- compiler


def header_of(text):
    """The imports, with what stands before them."""
    return re.match(r"((--.*\n|\n)*import .*\n)*", text).group()


def load_imports(image, text):
    """As `lean --incr-load`: believes an image for the same header, whatever became of the modules. An image with the
    word `odd` changes what texts mean."""
    with open(image) as file:
        saved = json.load(file)
    with open(image + ".deps") as file:
        json.load(file)
    if saved["header"] == header_of(text):
        for name, argument in Directives(text).list:
            if name == "touch-loaded":
                open(argument, "w").close()
        return " with saved imports" if "odd" in saved["header"] else ""
    return ""


def save_imports(image, text):
    modules = re.findall(r"^import (\S+)", text, re.MULTILINE)
    folder = os.environ["FAKE_MODULES"]
    with open(image, "w") as file:
        json.dump({"header": header_of(text)}, file)
    with open(image + ".deps", "w") as file:
        json.dump([os.path.join(folder, module + ".olean") for module in modules], file)


def compile(olean, options):
    text = sys.stdin.buffer.read().decode()
    remark = ""
    for option in options:
        name, _, image = option.partition("=")
        if name == "--incr-load":
            remark = load_imports(image, text)
        elif name == "--incr-header-save":
            save_imports(image, text)
        else:
            protocol_error("unexpected option " + option)
    directives = Directives(text)
    directives.before_anything()
    if directives.get("hang") is not None:
        rest_for_ever()
    if directives.get("garbage") is not None:
        print("g" * int(directives.get("garbage")))
    game = Game(text)
    failed = False
    for severity, line, message in directives.diagnostics(text) + game.diagnostics:
        failed = failed or severity == 1
        print(json.dumps({
            "severity": {1: "error", 2: "warning", 3: "information"}[severity],
            "pos": {"line": line + 1, "column": 0}, "endPos": {"line": line + 1, "column": 5},
            "fileName": "<stdin>", "caption": "", "keepFullRange": False, "kind": "[anonymous]",
            "data": message}, ensure_ascii=False))
    if not failed and directives.get("no-olean") is None:
        with open(olean, "wb") as file:
            file.write(b"olean of " + text.encode() + remark.encode())
    sys.stdout.flush()
    exit_code = directives.get("exit-code")
    sys.exit(int(exit_code) if exit_code is not None else int(failed))


def main():
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print("Lean (version 4.28.0-pre, x86_64-unknown-linux-gnu, commit "
              "38f3c0c4d4b7a4b6fc0f1a6bd4bd7ab0f9d7a9f0, Release)")
    elif "--worker" in arguments:
        Worker(arguments[-1]).run()
    elif arguments[:2] == ["--stdin", "--json"] and arguments[2] == "-o":
        compile(arguments[3], arguments[4:])
    else:
        protocol_error("unexpected arguments " + " ".join(arguments))


main()
