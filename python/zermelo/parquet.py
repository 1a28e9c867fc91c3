"""Turns rows of `zermelo export` into Parquet, as trainers read it (docs/training.md).

    python -m zermelo.parquet rl.jsonl rl.parquet       prompts for verl: data_source, prompt, ability,
                                                        reward_model, extra_info
    python -m zermelo.parquet sft.jsonl sft.parquet     prompts and answers as messages

Needs pyarrow: `pip install zermelo[parquet]`.
"""
from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from zermelo.errors import EnvironmentProblem, UsageError, ZermeloError

Row = Mapping[str, Any]
Path = Union[str, "os.PathLike[str]"]


def problem(theorem: Mapping[str, str]) -> str:
    """The Lean file that a proof has to complete: what reward functions take as the ground truth."""
    return f"{theorem['header']}{theorem['statement']}\n  sorry\n"


def messages(text: Any, role: str) -> list[dict[str, str]]:
    """A prompt or an answer as a chat; a text becomes one message."""
    if isinstance(text, str):
        return [{"role": role, "content": text}]
    return [{"role": message["role"], "content": message["content"]} for message in text]


def rl_columns(row: Row, index: int, data_source: str) -> dict[str, Any]:
    """The columns of verl's data sets for a prompt of `zermelo export rl`."""
    return {
        "data_source": data_source,
        "prompt": messages(row["prompt"], "user"),
        "ability": "lean4",
        "reward_model": {"style": "rule", "ground_truth": problem(row["theorem"])},
        "extra_info": {
            "index": index,
            "theorem": row["theorem"]["name"],
            "pass_rate": row["pass_rate"],
            "samples": row["samples"],
            "prefix": row.get("prefix", ""),
            "words": row.get("words", ""),
            "notes": row.get("notes", ""),
            "source": json.dumps(row["source"], ensure_ascii=False),
        },
    }


def sft_columns(row: Row, index: int, data_source: str) -> Optional[dict[str, Any]]:
    """The columns for a row of `zermelo export sft`: the whole conversation, and the same as prompt and response.
    None if it was judged to be wrong, or the loss is not that of one answer at the end."""
    if row.get("label") is False or (row.get("reward") or 0) < 0:
        return None
    if "messages" in row:
        turns = row["messages"]
        native = any("tool_calls" in turn or turn["role"] == "tool" for turn in turns)
        if native or not turns or turns[-1]["role"] != "assistant":
            return None
        prompt, completion = turns[:-1], turns[-1:]
    elif "segments" in row:
        loss = [segment["loss"] for segment in row["segments"]]
        if loss != sorted(loss):
            return None
        texts = [[s["text"] for s in row["segments"] if s["loss"] is part] for part in (False, True)]
        prompt, completion = ("".join(text) for text in texts)
    else:
        prompt, completion = row["prompt"], row["completion"]
    asked, answered = messages(prompt, "user"), messages(completion, "assistant")
    return {
        "data_source": data_source,
        "messages": asked + answered,
        "prompt": asked,
        "response": answered[-1]["content"],
        "extra_info": {"index": index, "kind": row["source"].get("kind", ""),
                       "source": json.dumps(row["source"], ensure_ascii=False)},
    }


def columns(rows: Iterable[Row], data_source: str) -> Iterator[dict[str, Any]]:
    """The columns of every row that Parquet can have; rows of one file are of one kind."""
    for index, row in enumerate(rows):
        made = rl_columns(row, index, data_source) if "theorem" in row else sft_columns(row, index, data_source)
        if made is not None:
            yield made


def read(path: Path) -> Iterator[Row]:
    """The rows of a JSONL file. UsageError with the line that is not one."""
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                except ValueError:
                    row = None
                if not isinstance(row, dict) or "source" not in row:
                    raise UsageError(f"{path}:{number}: this is not a row of `zermelo export`")
                yield row
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def write(rows: Iterable[Row], path: Path, data_source: str = "zermelo") -> int:
    """Writes a Parquet file and returns the number of its rows. EnvironmentProblem without pyarrow."""
    made = list(columns(rows, data_source))
    if not made:
        raise UsageError("there are no rows")
    try:
        pyarrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise EnvironmentProblem("pyarrow is not installed", hint="pip install zermelo[parquet]") from error
    parquet.write_table(pyarrow.Table.from_pylist(made), os.fspath(path))
    return len(made)


def convert(program: str, out: Path, written: Callable[[], int]) -> int:
    """Runs a conversion, and says how many rows it has written or why it failed. Returns the exit code."""
    try:
        count = written()
    except ZermeloError as error:
        print(f"{program}: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return error.exit_code
    print(f"{out}: {count} rows", file=sys.stderr)
    return 0


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m zermelo.parquet",
                                     description="Turn rows of `zermelo export` into Parquet.")
    parser.add_argument("rows", help="JSONL file of `zermelo export`")
    parser.add_argument("out", help="Parquet file to write")
    parser.add_argument("--data-source", default="zermelo", help="value of the column data_source")
    options = parser.parse_args(arguments)
    return convert("zermelo.parquet", options.out, lambda: write(read(options.rows), options.out, options.data_source))


if __name__ == "__main__":
    sys.exit(main())
