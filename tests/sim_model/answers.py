"""The simulated model's answers: known proofs, each tactic corrupted with some probability."""
import hashlib
import json
import random
import re
import time

import hilbert
import rules
import workflow

WRONG_TACTICS = ["rfl", "linarith [h]", "simp [Nat.foo]", "omega", "exact absurd", "nlinarith [sq_nonneg x]"]
TOKEN = re.compile(r"\s*(?:\w+|[^\w\s])|\s+")
THOUGHT = "The goal looks like one that I know. "


def count(text):
    return len(TOKEN.findall(text))


def squeeze(text):
    return " ".join(text.split())


class Generation:
    """n choices, each a list of parts (field, token), and how to send them."""

    def __init__(self, fields, chat, prompt_tokens, choices):
        self.fields, self.chat, self.prompt_tokens, self.choices = fields, chat, prompt_tokens, choices
        self.completion_tokens = sum(len(choice["parts"]) for choice in choices)
        self.longest = max(len(choice["parts"]) for choice in choices)
        kind = "chat.completion" if chat else "text_completion"
        self.frame = {"id": "sim-1", "object": kind, "created": int(time.time()), "model": fields["model"]}

    def usage(self):
        return {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens,
                "total_tokens": self.prompt_tokens + self.completion_tokens}

    def logprobs(self, tokens):
        if not self.fields.get("logprobs"):
            return None
        values = [-len(token) / 8 for token in tokens]
        if self.chat:
            return {"content": [{"token": t, "logprob": v, "top_logprobs": []} for t, v in zip(tokens, values)]}
        return {"tokens": tokens, "token_logprobs": values, "top_logprobs": None, "text_offset": []}

    def reply(self, usage=True):
        choices = []
        for index, choice in enumerate(self.choices):
            said = [token for field, token in choice["parts"] if field == "content"]
            body = {"text": "".join(said)}
            if self.chat:
                message = {"role": "assistant", "content": "".join(said) or None}
                for field, token in choice["parts"]:
                    if field != "content":
                        message[field] = message.get(field, "") + token
                if choice["tool_calls"]:
                    message["tool_calls"] = choice["tool_calls"]
                body = {"message": message}
            choices.append({"index": index, "finish_reason": choice["finish"], **body,
                            "logprobs": self.logprobs(said)})
        return {**self.frame, "choices": choices, **({"usage": self.usage()} if usage else {})}

    def event(self, index, field, token, finish=None, tokens=0):
        said = [token] if token and field == "content" else []
        choice = {"index": index, "finish_reason": finish, "logprobs": self.logprobs(said)}
        choice.update({"delta": {field: token}} if self.chat else {"text": token})
        return {**self.frame, "choices": [choice], **self.usage_so_far(tokens)}

    def usage_so_far(self, tokens):
        """vLLM's continuous_usage_stats: the usage of this event's choice."""
        if not tokens or not (self.fields.get("stream_options") or {}).get("continuous_usage_stats"):
            return {}
        return {"usage": {"prompt_tokens": self.prompt_tokens, "completion_tokens": tokens,
                          "total_tokens": self.prompt_tokens + tokens}}

    def events(self):
        """One event per token, the choices in turn."""
        for step in range(self.longest):
            for index, choice in enumerate(self.choices):
                if step < len(choice["parts"]):
                    yield self.event(index, *choice["parts"][step], tokens=step + 1)
        for index, choice in enumerate(self.choices):
            for position, call in enumerate(choice["tool_calls"]):
                yield from self.tool_call_events(index, position, call)
            yield self.event(index, "content", "", choice["finish"])

    def tool_call_events(self, index, position, call):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        middle = len(arguments) // 2
        for piece in ({"id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}},
                      {"function": {"arguments": arguments[:middle]}}, {"function": {"arguments": arguments[middle:]}}):
            delta = {"tool_calls": [{"index": position, **piece}]}
            yield {**self.frame, "choices": [{"index": index, "delta": delta, "finish_reason": None}]}

    def usage_event(self):
        return {**self.frame, "choices": [], "usage": self.usage()}


class Model:
    def __init__(self, table, spoil, seed, reasoning, script=None, sketches=False, rules_file=None):
        self.rules = rules.Rules(rules_file) if rules_file else None
        with open(table, encoding="utf-8") as lines:
            self.problems = [json.loads(line) for line in lines if line.strip()]
        # A row with a statement has its proof; a row with a state, or a part of one, has a tactic.
        self.states = [(squeeze(row["state"]), row["tactic"]) for row in self.problems if "state" in row]
        self.problems = [row for row in self.problems if "statement" in row]
        for problem in self.problems:
            problem["key"] = squeeze(problem["statement"])
        self.spoil, self.seed, self.reasoning, self.requests = spoil, seed, reasoning, 0
        self.mathematician = hilbert.Mathematician(self.problems, self.spoiled_lines)
        self.workflow = workflow.Workflow(self.mathematician) if sketches else None
        self.reasoner = hilbert.Script(script) if script else self.mathematician if sketches else None

    def generate(self, path, fields):
        chat = path.endswith("/chat/completions")
        prompt = fields["messages"][-1]["content"] if chat else fields["prompt"]
        whole = json.dumps(fields["messages"]) if chat else prompt
        self.requests += 1
        choices = [self.choice(fields, chat, prompt, index) for index in range(fields.get("n", 1))]
        return Generation(fields, chat, count(whole), choices)

    def choice(self, fields, chat, prompt, index):
        if self.rules:
            text, calls = self.rules.answer(fields)
            parts = [("content", token) for token in TOKEN.findall(text)]
            return {"parts": parts, "tool_calls": calls, "finish": "tool_calls" if calls else "stop"}
        if fields.get("tools") and fields["messages"][-1]["role"] != "tool":
            function = {"name": fields["tools"][0]["function"]["name"],
                        "arguments": json.dumps({"query": prompt}, ensure_ascii=False)}
            call = {"id": f"call_{index}", "type": "function", "function": function}
            return {"parts": [], "tool_calls": [call], "finish": "tool_calls"}
        dice = self.dice(fields, prompt, index)
        text = self.reasoner.answer(fields["messages"], dice) if chat and self.reasoner else None
        if text is None and chat and self.workflow:
            text = self.workflow.answer(fields["messages"], dice)
        if text is None:
            text = self.text(prompt, chat, dice)
        finish = "stop"
        stops = [text.find(s) for s in stop_strings(fields) if s in text]
        if stops:
            text = text[:min(stops)]
        thought = TOKEN.findall(THOUGHT) if self.reasoning and chat else []
        parts = [(self.reasoning, t) for t in thought] + [("content", t) for t in TOKEN.findall(text)]
        limit = fields.get("max_tokens") or fields.get("max_completion_tokens") or 16
        if len(parts) > limit:
            parts, finish = parts[:limit], "length"
        return {"parts": parts, "tool_calls": [], "finish": finish}

    def dice(self, fields, prompt, index):
        """As in vLLM, choice i of seed s is choice 0 of seed s + i. Temperature 0 has a single answer."""
        if fields.get("temperature", 1) == 0:
            return random.Random(prompt)
        if fields.get("seed") is not None:
            return random.Random(f"{fields['seed'] + index}|{prompt}")
        return random.Random(f"{self.seed}|{self.requests}|{index}|{prompt}")

    def text(self, prompt, chat, dice):
        squeezed = squeeze(prompt)
        if prompt.rstrip().endswith(":::"):  # a step model such as BFS-Prover
            return self.spoiled(next((t for state, t in self.states if state in squeezed), "simp"), dice)
        problem = max(self.problems, key=lambda p: squeezed.rfind(p["key"]), default=None)
        if problem and problem["key"] not in squeezed:
            problem = None
        proof = problem["proof"].split("\n") if problem else self.proof_of_subgoal(prompt)
        if problem and not chat:  # a prompt may already contain the first tactics
            proof = rest_of(proof, written_after(problem["statement"], prompt))
        spoiled = self.spoiled_lines(proof, dice)
        if chat:
            statement = problem.get("before", "") + problem["statement"] + " := by\n" if problem else ""
            return f"Here is a proof.\n\n```lean4\n{statement}" + "\n".join(spoiled) + "\n```\nIt is short."
        return "\n".join(spoiled) + ("\n```\n" if "```" in prompt else "\n")

    def proof_of_subgoal(self, prompt):
        """The proof of a theorem that is a step of a known proof, if the model writes sketches."""
        names = hilbert.NAME.findall(prompt) if self.reasoner is self.mathematician else []
        lines = self.mathematician.proof(names[-1]) if names else None
        return ["  " + line for line in lines] if lines else ["simp"]

    def spoiled_lines(self, lines, dice):
        return [self.spoiled(line, dice) for line in lines]

    def spoiled(self, line, dice):
        if dice.random() >= self.spoil:
            return line
        return line[:len(line) - len(line.lstrip())] + dice.choice(WRONG_TACTICS)


def written_after(statement, prompt):
    """The lines of the proof that a prompt already contains, without comments (such as its tactic states)."""
    pattern = r"\s+".join(re.escape(word) for word in statement.split()) + r"\s*:=\s*by\b"
    found = re.search(pattern, prompt)
    after = prompt[found.end():] if found else ""
    after = re.sub(r"/-.*?-/|--[^\n]*", "", after, flags=re.DOTALL)
    return [line.strip() for line in after.split("\n") if line.strip()]


def rest_of(proof, written):
    """The proof after the last known line; if the written lines are all unknown, after as many lines."""
    known, count = [line.strip() for line in proof], len(written)
    if count and known[count - 1:count] == written[-1:]:
        return proof[count:]
    if count and written[-1] in known:
        return proof[known.index(written[-1]) + 1:]
    return proof[min(count, len(proof) - 1):]


def stop_strings(fields):
    stop = fields.get("stop") or []
    return [stop] if isinstance(stop, str) else stop


def embeddings(fields):
    texts = [fields["input"]] if isinstance(fields["input"], str) else fields["input"]
    data = [{"object": "embedding", "index": i,
             "embedding": [b / 255 for b in hashlib.sha256(text.encode()).digest()[:8]]}
            for i, text in enumerate(texts)]
    total = sum(count(text) for text in texts)
    return {"object": "list", "data": data[::-1], "model": fields["model"],
            "usage": {"prompt_tokens": total, "total_tokens": total}}
