"""A theorem as an environment for reinforcement learning with tools, over `zermelo serve` (examples/verl).

TRL:  GRPOTrainer(environment_factory=zermelo.environment.LeanEnvironment, ...) with the dataset columns `statement` and
      `prompt`, which `chat` makes of it
verl: examples/verl/lean_agent.py

The tools are those of the strategy `agent` that a server offers (docs/strategies.md): a lemma that Lean accepts is kept
and stands before everything that is checked later, until Lean accepts the theorem itself. The reward is the judge's
verdict on the whole, so what a tool has answered is never the reason for one.

ZERMELO_URL is the address of the server that judges, and ZERMELO_API_KEY its key. ZERMELO_TOOLS_URL, if set, is that of
another one for the tools, so that the judge can be started with `--opaque-reasons` while the tools show what Lean says.
"""
from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from zermelo.client import Client
from zermelo.errors import EnvironmentProblem, ServerError

__all__ = ["LeanEnvironment", "chat"]

_SYSTEM = """You prove one theorem in Lean 4 with tools. Think first about why it is true, and choose small lemmas that \
lead to it. Check one lemma at a time: one that Lean accepts is kept and stands before everything that you check later, \
so use it by its name and do not repeat it. Read Lean's errors closely. Never use `sorry` or axioms in what you want to \
keep. You are done when Lean has accepted the theorem itself, under its own name and with its statement unchanged."""
_USER = """Prove this, in place of the `sorry`:

```lean4
{statement}
```"""

_DECLARATION = re.compile(r"^(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|noncomputable|nonrec|unsafe)\s+)*"
                          r"(?:theorem|lemma)\s+((?:«[^»]*»|[^\s:.({\[⦃«]|\.(?!\{))+)", re.MULTILINE)
_COMMENT = re.compile(r"/--(?:(?!-/).)*-/\s*\Z", re.DOTALL)  # the theorem's own, which stands before it
_UNJUDGED = ("crashed", "infrastructure")  # outcomes that say nothing about a proof (docs/outcomes.md)
_REFUSED = (400, 413, 422)  # statuses that blame the request, and so what the model wrote (docs/verifier-api.md)
_TOO_LATE = "There are no calls left."


def chat(statement: str) -> list[dict[str, str]]:
    """The messages that a rollout begins with: the column `prompt` of a dataset."""
    return [{"role": "system", "content": _SYSTEM},
            {"role": "user", "content": _USER.format(statement=statement.strip())}]


class LeanEnvironment:
    """One rollout: a theorem, and the lemmas that Lean has accepted.

    calls    number of tool calls
    seconds  limit for Lean, for each call
    most     length of a tool's answer, in characters; longer ones are cut in the middle
    failure  reward of what is not proved; what is proved has 1
    """

    def __init__(self, *, calls: int = 28, seconds: float = 60.0, most: int = 6000, failure: float = 0.0) -> None:
        self._calls, self._seconds, self._most, self._failure = calls, seconds, most, failure
        self._judge = Client()
        self._tools = Client(os.environ.get("ZERMELO_TOOLS_URL") or None)
        self.reset("")

    def reset(self, statement: str, **_: Any) -> None:
        """Begins with another theorem: Lean code with a `sorry` for what is to be proved."""
        self._statement = statement
        declared = list(_DECLARATION.finditer(statement))
        self._name = declared[-1][1] if declared else ""
        self._header = _COMMENT.sub("", statement[:declared[-1].start()]) if declared else ""
        self._lemmas = ""
        self._left = self._calls
        self._verdict = ""  # of the judge on the last proof, or `infrastructure`; empty: there was none

    @property
    def proved(self) -> bool:
        """Whether the judge has accepted a proof."""
        return self._verdict == "accepted"

    @property
    def over(self) -> bool:
        """Whether no call can change anything: the theorem is proved, or there are no calls left."""
        return self.proved or self._left <= 0

    def verify_lean(self, code: str) -> str:
        """Has Lean check a whole lemma, definition or the theorem, with its proof. It stands after the file's header and
        all lemmas that were accepted before. Give one at a time: what Lean accepts is kept, and need not be repeated.

        Args:
            code: The declaration, as Lean 4 code.
        """
        if self.over:
            return _TOO_LATE
        self._left -= 1
        try:
            return self._cut(self._checked(code))
        except (EnvironmentProblem, ServerError) as error:
            if getattr(error, "status", 0) not in _REFUSED:
                self._verdict = "infrastructure"
            return f"This was not checked: {error.message}"

    def premise_search(self, query: str) -> str:
        """Searches the library that the file imports for theorems and definitions.

        Args:
            query: A short description in words, a name or a part of one, or a goal as Lean writes it.
        """
        if self.over:
            return _TOO_LATE
        self._left -= 1
        try:
            found = self._tools.search(query)
        except (EnvironmentProblem, ServerError) as error:
            return f"The search failed: {error.message}"
        return self._cut("\n".join(f"{premise['informal_name']} : {premise['type']}" for premise in found)
                         or "Nothing was found.")

    def get_reward(self) -> float | None:
        """1 if a proof was accepted, else `failure`; None if the last one was not judged: Lean died on it, or a server failed."""
        if self._verdict in _UNJUDGED:
            return None
        return 1.0 if self.proved else self._failure

    def _checked(self, code: str) -> str:
        before = self._header + self._lemmas
        result = self._tools.check([before + code.strip() + "\n"], timeout=self._seconds)[0]
        if result.error is not None:
            return result.error
        said = [_said(message, before.count("\n")) for message in result.messages]
        said += ["Open:\n" + str(hole["goal"]) for hole in result.sorries if hole.get("goal")]
        if not result.valid:
            return "\n".join(said) or "rejected"
        said += [self._judged(before + code) if self._is_theorem(code) else self._kept(code)]
        return "\n".join(said)

    def _is_theorem(self, code: str) -> bool:
        return any(declared[1] == self._name for declared in _DECLARATION.finditer(code))

    def _kept(self, code: str) -> str:
        names = [declared[1] for declared in _DECLARATION.finditer(code)]
        self._lemmas += code.strip() + "\n\n"
        return f"Lean accepts {', '.join(names) or 'this'}: from now on it stands before everything that you check."

    def _judged(self, text: str) -> str:
        judged = self._judge.rewards([text], [self._statement], timeout=self._seconds)
        self._verdict = judged.verdicts[0]
        if self.proved:
            return f"{self._name} is proved. You have finished."
        return "\n".join(["This does not prove the theorem as it was stated.", *judged.reasons[0]])

    def _cut(self, text: str) -> str:
        if len(text) <= self._most:
            return text
        half = self._most // 2
        return f"{text[:half]}\n…\n{text[-half:]}"


def _said(message: Mapping[str, Any], lines_before: int) -> str:
    """A message of Lean as a line, counted from the first of the code."""
    where = message.get("pos")
    place = f"{where['line'] - lines_before}:{where['column']}: " if where else ""
    return f"{place}{message['severity']}: {message['data']}"
