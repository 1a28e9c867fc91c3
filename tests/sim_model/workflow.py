"""Answers the prompts of the agent and the sketch workflow (prompts/agent, prompts/sketch) from known proofs: a sketch
is a known proof in which random `have`s become lemmas; proofs have some of their tactics corrupted.
"""
import re

from hilbert import proof_of_have, steps_of

STATEMENT = re.compile(r"This is the theorem:\s+```lean4\n(.*?)\n```", re.DOTALL)
GOAL = re.compile(r"Prove this:\s+```lean4\n(.*?) := by\n  sorry", re.DOTALL)
NAME = re.compile(r"(?:theorem|lemma)\s+(\S+)")
# The first colon outside brackets begins the claim.
OPEN, CLOSE = "([{⟨⦃", ")]}⟩⦄"


def split(statement):
    """(`theorem name`, binders, claim) of a statement."""
    name = NAME.search(statement)
    depth, rest = 0, statement[name.end():]
    for i, c in enumerate(rest):
        depth += (c in OPEN) - (c in CLOSE)
        if c == ":" and depth == 0:
            return name[1], rest[:i].strip(), rest[i + 1:].strip()
    return name[1], "", rest


class Workflow:
    def __init__(self, mathematician):
        self.mathematician = mathematician

    def answer(self, messages, dice):
        """The answer, or None if the question is not from the agent or the sketch workflow."""
        asked = messages[-1]["content"]
        if "as a sequence of lemmas" in asked:
            return "The hypotheses give the steps, and the steps give the claim."
        if "Write a sketch in one" in asked:
            return self.sketch(STATEMENT.search(asked)[1], dice)
        if "Is it true exactly as Lean reads it" in asked:
            return '{"correct": true, "reason": "it follows from the hypotheses"}'
        if "Give two marks" in asked:
            return '{"veto": "", "alignment": 8, "value": 7, "reason": ""}'
        if "Call no tool now" in asked:
            return "Nothing was learned."
        goal = next((found for m in messages if (found := GOAL.search(m.get("content") or ""))), None)
        return self.attempt(goal[1], dice) if goal else None

    def attempt(self, statement, dice):
        lines = self.mathematician.spoiled(self.mathematician.proof(split(statement)[0]) or ["simp"], dice)
        return f"```verify_lean\n{statement} := by\n" + "\n".join("  " + l for l in lines) + "\n```"

    def sketch(self, statement, dice):
        name, binders, _ = split(statement)
        proof = self.mathematician.proof(name)
        if proof is None:
            return "I do not know."
        lemmas, lines = [], []
        for step in steps_of(proof):
            known = proof_of_have(step)
            if known and dice.random() < 0.5:
                head = known[1].split(" : ", 1)[1].rsplit(":= by", 1)[0].strip()
                lemma = f"{name}_{known[0]}"
                lemmas.append(f"theorem {lemma} {binders} : {head} := by\n  sorry\n")
                lines.append(f"have {known[0]} : {head} := by apply {lemma} <;> assumption")
            else:
                lines += step
        if not lemmas:
            lines = self.mathematician.spoiled(lines, dice)
        return "```lean4\n" + "\n".join(lemmas) + f"\n{statement} := by\n" + "\n".join("  " + l for l in lines) + "\n```"
