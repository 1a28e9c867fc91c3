"""Answers by rules: the first rule that matches the conversation answers.

The file is a JSON list of rules:

    {"last": ["…"], "when": ["…"], "unless": ["…"], "reply": "text", "calls": [["tool", {"code": "…"}]]}

`last`: texts that must occur since the model's last turn; `when`: texts that must occur in the whole conversation,
tool calls included; `unless`: texts that must not occur in it. Arguments given as a string are sent unchanged, JSON or
not. A rule without conditions always matches; if no rule matches, the reply says so. No state is kept between
requests, so a repeated request gets the same answer.
"""
import json

NOTHING = "I have nothing to say to this."


class Rules:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.rules = json.load(file)

    def answer(self, fields):
        """The text and the tool calls, in the form of chat completions."""
        messages = fields.get("messages") or [{"role": "user", "content": fields.get("prompt", "")}]
        turn = next((len(messages) - i for i, m in enumerate(reversed(messages)) if m["role"] == "assistant"), 0)
        last, whole = text_of(messages[turn:]), text_of(messages)
        for rule in self.rules:
            if fits(rule, last, whole):
                calls = [call(index, *named) for index, named in enumerate(rule.get("calls", []))]
                return rule.get("reply", ""), calls
        return NOTHING, []


def fits(rule, last, whole):
    return (all(part in last for part in rule.get("last", [])) and all(part in whole for part in rule.get("when", []))
            and not any(part in whole for part in rule.get("unless", [])))


def text_of(messages):
    parts = []
    for message in messages:
        parts.append(message.get("content") or "")
        for made in message.get("tool_calls", []):
            parts.append(made["function"]["name"] + " " + made["function"]["arguments"])
    return "\n".join(parts)


def call(index, name, arguments):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": text}}
