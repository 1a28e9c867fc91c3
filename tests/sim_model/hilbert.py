"""Reads Hilbert's prompts (prompts/hilbert), and answers them from a script or from known proofs.

A script is a JSON list of {"step", "theorem", "say"}: the answer to a step for a theorem (without "theorem": for
any). "say" is a text or a list of successive answers, the last of which is repeated.
"""
import json
import pathlib
import re

PROMPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "prompts" / "hilbert"
NAME = re.compile(r"(?:theorem|lemma)\s+(\S+)")
HAVE = re.compile(r"^have (\S+) : (.*?) := by\b ?(.*)$")
FACT = r"(?:theorem|lemma|example)\b.*?"


def pattern_of(template):
    """Converts a template to a regular expression; a header ends where the last theorem begins."""
    parts, seen = [], set()
    for index, piece in enumerate(re.split(r"\{([a-z_]+)\}", template)):
        if index % 2 == 0:
            parts.append(re.escape(piece))
        elif piece in seen:
            parts.append(f"(?P={piece})")
        else:
            seen.add(piece)
            after_header = piece in ("statement", "sketch") and parts[-2:-1] == ["(?P<header>.*)"]
            parts.append(f"(?P<{piece}>{'.*' if piece == 'header' else FACT if after_header else '.*?'})")
    return re.compile("".join(parts), re.DOTALL)


class Questions:
    def __init__(self, folder=PROMPTS):
        self.patterns = {}
        for file in sorted(folder.glob("*.txt")):
            user = re.search(r"^=== user\n(.*?)\n=== ", file.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
            self.patterns[file.stem] = pattern_of(user[1])

    def read(self, message):
        """(step, values of its placeholders), or (None, {})."""
        for step, pattern in self.patterns.items():
            found = pattern.fullmatch(message)
            if found:
                return step, found.groupdict()
        return None, {}

    def question(self, messages):
        """(step, theorem, values) of a chat: the step of its last question, the theorem of its first one."""
        asked = [m["content"] for m in messages if m["role"] == "user"]
        step, values = self.read(asked[-1])
        _, first = self.read(asked[0])
        about = NAME.search(first.get("statement") or first.get("sketch") or "")
        return step, about[1] if about else None, {**first, **values}


class Script:
    def __init__(self, path):
        self.rules = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        self.questions, self.said = Questions(), {}

    def answer(self, messages, _dice):
        """The answer, or None if this is not a question of Hilbert's."""
        step, theorem, _ = self.questions.question(messages)
        if step is None:
            return None
        for index, rule in enumerate(self.rules):
            if rule["step"] == step and rule.get("theorem", theorem) == theorem:
                say = [rule["say"]] if isinstance(rule["say"], str) else rule["say"]
                self.said[index] = self.said.get(index, -1) + 1
                return say[min(self.said[index], len(say) - 1)]
        return "I do not know."


def dedented(lines):
    margin = min((len(l) - len(l.lstrip()) for l in lines if l.strip()), default=0)
    return [line[margin:] for line in lines]


def steps_of(proof):
    """The tactics of a proof, each a list of lines."""
    steps = []
    for line in dedented(proof):
        if line.strip() and (not line.startswith(" ") or not steps):
            steps.append([line])
        elif steps:
            steps[-1].append(line)
    return steps


def proof_of_have(step):
    """(name, head, lines of the proof) of a `have NAME : TYPE := by …`, else None."""
    found = HAVE.match(step[0])
    if not found:
        return None
    lines = dedented(step[1:])
    return found[1], step[0][:found.start(3)].rstrip(), ([found[3]] if found[3] else []) + lines


class Mathematician:
    """Writes correct sketches: known proofs, cut at random `have`s. The prover writes proofs: `proof` finds the proof
    to corrupt, also for a subgoal (`t_h` is the `have h` in the proof of t)."""

    def __init__(self, problems, spoiled):
        self.proofs = {p["name"]: dedented(p["proof"].split("\n")) for p in problems}
        self.questions, self.spoiled = Questions(), spoiled

    def proof(self, theorem):
        """The lines of a known proof, or None."""
        if theorem in self.proofs:
            return self.proofs[theorem]
        for cut in [m.start() for m in re.finditer("_", theorem or "")][::-1]:
            above = self.proof(theorem[:cut])
            if above is None:
                continue
            have = re.sub(r"_\d+$", "", theorem[cut + 1:])
            for step in steps_of(above):
                known = proof_of_have(step)
                if known and known[0] == have:
                    return known[2]
        return None

    def sketch(self, theorem, statement, dice):
        proof = self.proof(theorem)
        if proof is None:
            return None
        steps = steps_of(proof)
        haves = [i for i, step in enumerate(steps) if proof_of_have(step)]
        cut = {i for i in haves if dice.random() < 0.5} or set(haves[:1])
        lines = []
        for i, step in enumerate(steps):
            lines += [proof_of_have(step)[1] + " sorry"] if i in cut else step
        if not haves:
            lines = self.spoiled(lines, dice)
        head = re.sub(r"\s*sorry\s*$", "", statement)
        return f"```lean4\n{head}\n" + "\n".join("  " + line for line in lines) + "\n```"

    def answer(self, messages, dice):
        step, theorem, values = self.questions.question(messages)
        if step is None:
            return None
        if step == "informal_proof":
            return "<informal_proof>1. The hypotheses give the steps. 2. The steps give the claim.</informal_proof>"
        if step in ("sketch", "correct_sketch"):
            return self.sketch(theorem, values["statement"], dice) or "I do not know."
        if step.startswith("judge"):
            return "<reason>It follows from the hypotheses.</reason><verdict>YES</verdict>"
        if step in ("prove", "correct_proof"):
            head = re.sub(r"\s*sorry\s*$", "", values["statement"])
            lines = self.spoiled(self.proof(theorem) or ["simp"], dice)
            return f"```lean4\n{head}\n" + "\n".join("  " + line for line in lines) + "\n```"
        return "I do not know."
