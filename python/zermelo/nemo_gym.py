"""Turns prompts of `zermelo export rl` into rows for NeMo Gym's resources server `math_formal_lean` (docs/training.md).

    python -m zermelo.nemo_gym rl.jsonl gym.jsonl

The server checks what a model answers with `POST /execute` of a Lean sandbox, which `zermelo serve` has.
"""
from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from zermelo.errors import UsageError
from zermelo.parquet import convert, messages, read

Path = Union[str, "os.PathLike[str]"]


def gym_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `math_formal_lean`, which puts header, statement and the answer's proof together."""
    theorem = row["theorem"]
    return {
        "responses_create_params": {"input": messages(row["prompt"], "user")},
        "header": theorem["header"],
        "formal_statement": f"{theorem['statement']}\n",
        "name": theorem["name"],
    }


def write(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Writes a JSONL file and returns the number of its rows. Prompts in the middle of a proof (`prefix`) are left out: the
    server would take away the first line's indentation of what follows. UsageError for rows that are no prompts."""
    lines = []
    left_out = 0
    for row in rows:
        if "theorem" not in row:
            raise UsageError("these are not prompts of `zermelo export rl`")
        if row.get("prefix"):
            left_out += 1
            continue
        lines.append(json.dumps(gym_row(row), ensure_ascii=False) + "\n")
    if not lines:
        raise UsageError(f"there are no rows but {left_out} that begin in the middle of a proof" if left_out else
                         "there are no rows")
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    return len(lines)


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m zermelo.nemo_gym",
                                     description="Turn prompts of `zermelo export rl` into rows for NeMo Gym.")
    parser.add_argument("rows", help="JSONL file of `zermelo export rl`")
    parser.add_argument("out", help="JSONL file to write")
    options = parser.parse_args(arguments)
    return convert("zermelo.nemo_gym", options.out, lambda: write(read(options.rows), options.out))


if __name__ == "__main__":
    sys.exit(main())
