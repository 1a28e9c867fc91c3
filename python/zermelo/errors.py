"""The exceptions of this package."""
from __future__ import annotations


class ZermeloError(Exception):
    """`message` says what failed, and `hint`, which may be empty, what to do about it.

    `exit_code` is the program's exit code for this kind of error.
    """

    default_exit_code = 3

    def __init__(self, message: str, hint: str = "", exit_code: int | None = None) -> None:
        super().__init__(message, hint, exit_code)
        self.message = message
        self.hint = hint
        self.exit_code = self.default_exit_code if exit_code is None else exit_code

    def __str__(self) -> str:
        return "\n  ".join([self.message, *self.hint.splitlines()])


class UsageError(ZermeloError):
    """An argument, a configuration or an input file is wrong (exit code 2)."""

    default_exit_code = 2


class EnvironmentProblem(ZermeloError):
    """There is no Lean, a file is not writable, or a server is not reachable (exit code 3)."""


class NotJudged(EnvironmentProblem):
    """Lean died on an answer, which therefore has no verdict and no reward."""


class Timeout(ZermeloError):
    """The call took longer than its `timeout`; the program has been stopped."""


class ServerError(ZermeloError):
    """`zermelo serve` refused a request; `status` is the HTTP status (docs/verifier-api.md)."""

    def __init__(self, message: str, hint: str = "", exit_code: int | None = None,
                 status: int = 0) -> None:
        super().__init__(message, hint, exit_code)
        self.args = (message, hint, exit_code, status)  # so that it can be pickled
        self.status = status
