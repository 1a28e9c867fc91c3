"""Zermelo proves Lean 4 theorems; this package runs the program of that name (docs/python.md).

    import zermelo
    report = zermelo.prove("Basic.lean")             # fills the sorrys of a file
    zermelo.check("theorem t : 1 + 1 = 2 := rfl")    # Lean's messages about some code
    zermelo.Client("http://localhost:8000")          # a running `zermelo serve`
"""
from __future__ import annotations

from zermelo.client import Client
from zermelo.errors import EnvironmentProblem, NotJudged, ServerError, Timeout, UsageError, ZermeloError
from zermelo.results import (
    OUTCOMES,
    CheckReport,
    JudgedTheorem,
    Kernel,
    Lean,
    Message,
    ProveReport,
    Reason,
    Rewards,
    SnippetResult,
    Theorem,
    Verdict,
)
from zermelo.verbs import check, check_against, prove

__all__ = [
    "OUTCOMES",
    "CheckReport",
    "Client",
    "EnvironmentProblem",
    "JudgedTheorem",
    "Kernel",
    "Lean",
    "Message",
    "NotJudged",
    "ProveReport",
    "Reason",
    "Rewards",
    "ServerError",
    "SnippetResult",
    "Theorem",
    "Timeout",
    "UsageError",
    "Verdict",
    "ZermeloError",
    "check",
    "check_against",
    "prove",
]

__version__: str


def __getattr__(name: str) -> str:
    if name == "__version__":  # that of the wheel
        from importlib.metadata import version
        return version("zermelo")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
