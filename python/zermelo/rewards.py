"""Rewards for training provers, from a running `zermelo serve` (docs/verifier-api.md).

verl:      reward.custom_reward_function.path=FILE, this file (`python -m zermelo.rewards` prints its path)
           reward.custom_reward_function.name=compute_score
           with the statement, Lean code with a `sorry`, as each row's ground_truth; compute_scores is for
           reward managers that score whole batches
TRL:       GRPOTrainer(reward_funcs=zermelo.rewards.lean_reward, ...) with a dataset column `statement`
OpenRLHF:  --reward.remote_url http://HOST:8000/get_reward needs no Python; a version that takes a file with
           a `reward_func` can be given this file; the statements are the labels

ZERMELO_URL is the address of the server, and ZERMELO_API_KEY its key.

An answer on which Lean died was not judged, so it has no reward. TRL gets None for it, which it leaves out. The other
trainers need a number: that in ZERMELO_UNJUDGED, or else NotJudged is raised.
"""
from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Union

from zermelo.client import Client  # not relative: verl and OpenRLHF load this file by its path
from zermelo.errors import NotJudged

Completion = Union[str, Sequence[Mapping[str, Any]]]


def rewards(answers: Sequence[str], statements: Sequence[str]) -> list[float]:
    """Returns 1.0 for each answer that proves its statement, and 0.0 for any other that was judged."""
    return _numbers(Client().rewards(answers, statements).rewards)


def compute_score(data_source: Any, solution_str: str, ground_truth: str, extra_info: Any = None,
                  **_: Any) -> float:
    """Has verl's signature: one sample per call."""
    return rewards([_after_prefix(solution_str, extra_info)], [ground_truth])[0]


def compute_scores(data_sources: Any, solution_strs: Sequence[str], ground_truths: Sequence[str],
                   extra_infos: Any = None, **_: Any) -> list[float]:
    """Has the signature of verl's batch reward manager."""
    infos = extra_infos if extra_infos is not None else [None] * len(solution_strs)
    return rewards([_after_prefix(*each) for each in zip(solution_strs, infos)], list(ground_truths))


def lean_reward(prompts: Sequence[Any], completions: Sequence[Completion], statement: Sequence[str],
                **_: Any) -> list[float | None]:
    """Has TRL's signature: completions are texts, or chats whose last message is the answer."""
    answers = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
    return list(Client().rewards(answers, statement).rewards)


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str],
                **_: Any) -> dict[str, Any]:
    """Has OpenRLHF's signature: queries are prompts with their answers. Returns tensors if torch is loaded."""
    answer = Client().rewards(queries, labels, prompts).raw
    return {"rewards": _tensor(_numbers(answer["rewards"])), "scores": _tensor(_numbers(answer["scores"])),
            "extra_logs": {name: _tensor(values) for name, values in answer["extra_logs"].items()}}


def _after_prefix(answer: str, extra_info: Any) -> str:
    """The answer to a prompt that begins in the middle of a proof (`prefix`), as a whole."""
    return f"{(extra_info or {}).get('prefix') or ''}{answer}"


def _numbers(values: Sequence[float | None]) -> list[float]:
    """With ZERMELO_UNJUDGED for what was not judged; raises NotJudged if that is not set."""
    unjudged = os.environ.get("ZERMELO_UNJUDGED")
    if unjudged is None and None in values:
        raise NotJudged(f"Lean died on answer {list(values).index(None)}, so it has no reward",
                        "set ZERMELO_UNJUDGED to the number that such answers get")
    return [float(unjudged or 0) if value is None else value for value in values]


def _tensor(values: Sequence[float]) -> Any:
    torch: Any = sys.modules.get("torch")  # loaded by OpenRLHF
    return list(values) if torch is None else torch.tensor(values)


if __name__ == "__main__":
    print(__file__)
