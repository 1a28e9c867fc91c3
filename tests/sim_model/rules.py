"""What a model that follows rules says: the first one that fits the conversation answers.

The file is a JSON list of rules:

    {"last": ["…"], "when": ["…"], "unless": ["…"], "reply": "text", "calls": [["tool", {"code": "…"}]]}

`last`: parts of what was said since the model's last turn; `when`: parts of the whole conversation, tool calls
included; `unless`: what must not be in it. Arguments that are a string are sent as they are, JSON or not. A rule
without conditions always fits; without a rule that fits, the reply says so. Nothing is remembered between
requests, so that one that is repeated gets the same answer.
"""
import json

NOTHING = "I have nothing to say to this."


class Rules:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.rules = json.load(file)

    def answer(self, fields):
        """The text and the tool calls, as chat completions have them."""
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
