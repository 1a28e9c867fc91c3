"""Lean theorem proving for prime-rl's `verifiers` (0.4): the reward is a verdict of `zermelo serve`.

    vf-eval zermelo-lean --env.taskset.problems problems.jsonl

The file has one JSON object a line: `statement` is Lean code with a `sorry`, and `name` and `prompt` may be left out.
Rows of `zermelo export rl` are read, too. ZERMELO_URL is the address of the server, and ZERMELO_API_KEY its key; start it
with `--opaque-reasons`.

The server compares the compiled answer with the compiled statement, so an answer that declares an axiom, or a macro
that changes what the statement means, gets 0 (docs/trust.md). A server that cannot be reached, or whose Lean crashes, is an
error of the rollout, never a reward.
"""
from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from zermelo.client import Client

__all__ = ["LeanTaskset"]

PROMPT = """Complete this Lean 4 file: replace the `sorry`. Answer with the whole file in one ```lean4 block.

```lean4
{statement}
```
"""
VERDICTS = ("accepted", "sorry", "rejected", "timeout")  # on the answer; the others are no fault of the model


class LeanData(vf.TaskData):
    statement: str
    """Lean code with a `sorry` for what is to be proved."""


class LeanTaskConfig(vf.TaskConfig):
    seconds: float = 60.0
    """Limit for Lean, for each of two steps: checking the answer, and judging what it compiles to."""


class LeanTask(vf.Task[LeanData, vf.State, LeanTaskConfig]):
    @vf.reward
    async def proved(self, trace: vf.Trace) -> float:
        """1 if the last reply proves the statement, else 0."""
        judged = await asyncio.to_thread(Client().rewards, [trace.last_reply], [self.data.statement],
                                         timeout=self.config.seconds)
        if judged.verdicts[0] not in VERDICTS:
            raise RuntimeError(f"the answer was not judged: {judged.verdicts[0]}")
        return judged.rewards[0]


class LeanConfig(vf.TasksetConfig):
    problems: Path
    """File with one JSON object a line."""
    task: LeanTaskConfig = LeanTaskConfig()


class LeanTaskset(vf.Taskset[LeanTask, LeanConfig]):
    def load(self) -> Iterator[LeanTask]:
        for line in self.config.problems.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield LeanTask(_data(json.loads(line)), self.config.task)


def _data(row: dict[str, Any]) -> LeanData:
    statement, name = row.get("statement"), row.get("name")
    if statement is None:  # a row of `zermelo export rl`
        theorem = row["theorem"]
        statement, name = f"{theorem['header']}{theorem['statement']}\n  sorry\n", theorem["name"]
    prompt = row.get("prompt") or PROMPT.format(statement=statement.strip())
    return LeanData(statement=statement, prompt=prompt, name=name)
