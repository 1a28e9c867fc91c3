#!/usr/bin/env python3
"""Every byte that `zermelo prove` and `zermelo doctor` send to model servers, compared with wire/NAME.http (README.md):
in each dialect, with each prompt format, with tools, and after a proof that Lean rejects. The server's replies are
fixed, so every search takes the same course."""
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from normal import HERE, ROOT, GoldenTest, unfolded
from testing.zermelo import main  # after normal, which finds the end-to-end tests

FILE = """/-! A small context. -/
namespace Wire
variable (p q : Prop)

def Both : Prop := p ∧ q

/-- From both follows
the second. -/
theorem swapped (h : Both p q) : q ∧ p := by
  sorry

end Wire
"""
REST = "  constructor\n  · exact h.2\n  · exact wrong\n```\n"
WHOLE = "Both parts.\n```lean4\ntheorem swapped (h : Both p q) : q ∧ p := by\n" + REST
TACTICS = {"bfs-prover", "internlm2.5-stepprover"}
FORMATS = sorted(file.stem for file in (ROOT / "prompts").glob("*.txt"))
DIALECTS = ("generic", "vllm", "sglang", "llamacpp", "openai", "gemini")
# Of one model, everything that can be configured.
SPECIAL = """key_env = "WIRE_KEY"
headers = { X-Team = "proofs" }
[models.special.sampling]
temperature = 0.3
top_p = 0.5
max_tokens = 100
"""


def prompt(name):
    return (ROOT / f"prompts/{name}.txt").read_text(encoding="utf-8")


def reply(path, asked):
    """(text, tool calls)"""
    if asked.get("tools"):
        code = WHOLE.split("```lean4\n")[1].split("```")[0]
        function = {"name": "verify_lean", "arguments": json.dumps({"code": code}, ensure_ascii=False)}
        return "", [{"id": "call_0", "type": "function", "function": function}]
    if path.split("/")[1].replace("_", ".") in TACTICS:
        return "constructor", []
    return (WHOLE if path.endswith("/chat/completions") else REST), []


def choice(index, asked, path):
    """One choice of a reply that is not streamed, or the only event of one that is."""
    text, calls = reply(path, asked)
    finish = "tool_calls" if calls else "stop"
    if not path.endswith("/chat/completions"):
        return {"index": index, "text": text, "finish_reason": finish}
    message = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [{"index": 0, **call} for call in calls]
    return {"index": index, "finish_reason": finish, "delta" if asked.get("stream") else "message": message}


class Server(ThreadingHTTPServer):
    """Answers at /MODEL/v1/…, and keeps what it is sent."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.lock = [], threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def taken(self):
        """The requests since the last time, in an order that does not depend on when they came."""
        with self.lock:
            requests, self.requests = sorted(self.requests), []
        return "\n".join(requests)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body=b""):
        head = "".join(f"{name}: {value}\n" for name, value in self.headers.raw_items())
        text = body.decode()
        with self.server.lock:
            self.server.requests.append(f"{self.requestline}\n{head}\n{unfolded(text)}\n")
        asked = json.loads(text) if text else {}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        frame = {"id": "x", "object": "answer", "created": 0, "model": asked.get("model")}
        if self.path.endswith("/models"):
            said = json.dumps({"object": "list", "data": [{"id": self.path.split("/")[1], "object": "model"}]})
        else:
            choices = [choice(index, asked, self.path) for index in range(asked.get("n", 1))]
            said = json.dumps({**frame, "choices": choices, "usage": usage})
        if asked.get("stream"):
            said = f"data: {said}\n\ndata: [DONE]\n\n"
        data = said.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, *_):
        pass


class Wire(GoldenTest):
    stored = HERE / "wire"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.write("Wire.lean", FILE)

    def model(self, name, format, dialect="generic", more=""):
        address = f"http://127.0.0.1:{self.server.server_port}/{name}/v1"
        return (f'[models.{name}]\nendpoint = "{address}"\nformat = "{format}"\ndialect = "{dialect}"\n{more}\n'
                f"[models.{name}.price]\nprompt = 1\ncompletion = 2\n")

    def sent(self, name, models, *command):
        """What the program sends and says."""
        self.write("zermelo.toml", "".join(models.values()))
        run = self.zermelo(*command, env={"WIRE_KEY": "secret"}, limit=400)
        self.pinned(f"{name}.http", self.server.taken())
        return run

    def prove(self, name, models, strategy, *settings):
        run = self.sent(name, models, "prove", "Wire.lean", "--model", ",".join(models), "--strategy", strategy,
                        *(word for setting in settings for word in ("--set", setting)), "--json", "--no-builtin",
                        "--no-premises",
                        "--no-record", "--workers", "1", "--seed", "1", "--time", "300s")
        self.assertEqual(run.code, 1, run)
        # rmaxts repeats a probe or not, depending on what Lean reports first.
        self.pinned(f"{name}.txt", re.sub(r'"checks":\d+', '"checks":#', self.transcript(run)))

    def whole_proof_formats(self):
        return [name for name in FORMATS if name not in TACTICS]

    def models(self, formats, dialect="generic"):
        """A model for each format, named after it."""
        return {name.replace(".", "_"): self.model(name.replace(".", "_"), name, dialect) for name in formats}

    def test_each_format_of_whole_proofs(self):
        models = self.models(self.whole_proof_formats())
        self.prove("formats", models, "whole_proof", "whole_proof.calls=1", f"whole_proof.samples={len(models)}")

    def test_corrections(self):
        models = self.models(name for name in FORMATS if "=== correction" in prompt(name))
        self.prove("corrections", models, "whole_proof", "whole_proof.calls=1", "whole_proof.corrections=2",
                   f"whole_proof.samples={3 * len(models)}")

    def test_each_dialect(self):
        models = {f"{d}_chat": self.model(f"{d}_chat", "chat", d) for d in DIALECTS}
        models.update({f"{d}_text": self.model(f"{d}_text", "deepseek-prover-v1.5", d)
                       for d in DIALECTS if d != "gemini"})
        models.update({f"{d}_fence": self.model(f"{d}_fence", "deepseek-prover-v2", d) for d in ("vllm", "openai")})
        models["special"] = self.model("special", "chat", "openai", SPECIAL)
        both = 2 * len(models)  # two samples of each, in one call of all
        self.prove("dialects", models, "whole_proof", "whole_proof.calls=1", f"whole_proof.per_call={both}",
                   f"whole_proof.samples={both}")
        self.sent("doctor", models, "doctor", "--json")

    def test_each_format_of_tactics(self):
        models = self.models(sorted(TACTICS))
        models["first"] = self.model("first", "chat")  # of a whole proof, the first tactic
        self.prove("tactics", models, "best_first", "best_first.samples_per_state=3",
                   "best_first.candidates_per_state=3", "best_first.batch=3", "best_first.max_depth=2")

    def test_partial_proofs(self):
        for dialect in ("generic", "vllm"):
            models = self.models((name for name in self.whole_proof_formats() if "{prefix}" in prompt(name)), dialect)
            self.prove(f"partial_{dialect}", models, "rmaxts", "rmaxts.workers=1",
                       f"rmaxts.generations={3 * len(models)}")

    def test_tools(self):
        self.prove("tools", {"openai": self.model("openai", "chat", "openai")}, "agent", "agent.tool_calls=2",
                   "agent.rounds=1")


if __name__ == "__main__":
    main()
