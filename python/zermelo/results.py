"""The values that this package returns, made from the program's JSON.

`raw` is the JSON object itself, which contains more than there are attributes.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# How a judgement ended, everywhere: what was not judged (`crashed`, `infrastructure`) has no verdict and no reward.
OUTCOMES = ("accepted", "rejected", "open", "declined", "timed_out", "crashed", "infrastructure")


@dataclass(frozen=True)
class Lean:
    """The Lean that was used. `kind` is `explicit`, `project`, `path` or `embedded`."""

    version: str
    kind: str
    warnings: tuple[str, ...] = ()  # known bugs of this version's kernel

    @classmethod
    def from_json(cls, raw: Json) -> Lean:
        return cls(raw["version"], raw["kind"], tuple(raw.get("warnings", ())))


@dataclass(frozen=True)
class Message:
    """One message of Lean. `kind` is `error`, `sorry`, `warning` or `note`; lines and columns count from 1."""

    kind: str
    line: int
    column: int
    theorem: str | None
    text: str

    @classmethod
    def from_json(cls, raw: Json) -> Message:
        return cls(raw["kind"], raw["line"], raw["column"], raw["theorem"], raw["message"])


@dataclass(frozen=True)
class CheckReport:
    """Lean's messages about one file or text; `clean` means without errors and sorrys."""

    clean: bool
    messages: tuple[Message, ...]
    lean: Lean
    seconds: float
    raw: Json = field(repr=False, compare=False)

    @property
    def outcome(self) -> str:
        """One of OUTCOMES: `open` if there are sorrys and no errors."""
        outcome: str = self.raw["files"][0]["outcome"]
        return outcome

    @classmethod
    def from_json(cls, raw: Json) -> CheckReport:
        file, = raw["files"]
        return cls(file["clean"], tuple(Message.from_json(m) for m in file["messages"]),
                   Lean.from_json(raw["lean"]), file["seconds"], raw)

    def of_kind(self, kind: str) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.kind == kind)

    @property
    def errors(self) -> tuple[Message, ...]:
        return self.of_kind("error")

    @property
    def sorries(self) -> tuple[Message, ...]:
        return self.of_kind("sorry")

    @property
    def warnings(self) -> tuple[Message, ...]:
        return self.of_kind("warning")


@dataclass(frozen=True)
class Theorem:
    """A theorem that had a `sorry`, whose line is `line`.

    `status` is `proved`, `proved_from` (it follows from theorems that are still `sorry`), `unproved` or `error`.
    """

    name: str
    line: int
    status: str
    proof: str | None
    axioms: tuple[str, ...]
    seconds: float
    checks: int
    samples: int
    message: str
    raw: Json = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, raw: Json) -> Theorem:
        return cls(raw["name"], raw["line"], raw["status"], raw["proof"], tuple(raw["axioms"]),
                   raw["seconds"], raw["checks"], raw["samples"], raw.get("message", ""), raw)

    @property
    def proved(self) -> bool:
        return self.status == "proved"


@dataclass(frozen=True)
class ProveReport:
    """The theorems of a file. `output` is the file with the proofs; None when there is none."""

    file: Path
    output: Path | None
    theorems: tuple[Theorem, ...]
    notes: tuple[str, ...]
    lean: Lean
    seconds: float
    raw: Json = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, raw: Json, file: Path, output: Path) -> ProveReport:
        theorems = tuple(Theorem.from_json(t) for t in raw["theorems"])
        return cls(file, output if any(t.proof is not None for t in theorems) else None, theorems,
                   tuple(raw["notes"]), Lean.from_json(raw["lean"]), raw["seconds"], raw)

    @property
    def all_proved(self) -> bool:
        """Also true if there was no `sorry` to fill, like the program's exit code 0."""
        return all(theorem.proved for theorem in self.theorems)

    def __getitem__(self, name: str) -> Theorem:
        """The theorem with this name; raises KeyError if there is none."""
        for theorem in self.theorems:
            if theorem.name == name:
                return theorem
        raise KeyError(name)


@dataclass(frozen=True)
class Reason:
    """Why something was rejected: a stable code and a sentence."""

    code: str
    message: str

    @classmethod
    def from_json(cls, raw: Json) -> Reason:
        return cls(raw["code"], raw["message"])


@dataclass(frozen=True)
class JudgedTheorem:
    """The verdict on one theorem of the original."""

    name: str
    accepted: bool
    reasons: tuple[Reason, ...]
    axioms: tuple[str, ...]

    @classmethod
    def from_json(cls, raw: Json) -> JudgedTheorem:
        return cls(raw["name"], raw["verdict"] == "accepted",
                   tuple(Reason.from_json(r) for r in raw["reasons"]), tuple(raw["axioms"]))


@dataclass(frozen=True)
class Kernel:
    """What one kernel says: `verdict` is `accepted`, `rejected` or `declined`.

    `name` is `zermelo` or, with the option `--paranoid`, `lean-replay` (Lean's own kernel in a fresh process) or that of a
    program of the toolchain; their `version` is the toolchain's. That Lean has compiled a file is no kernel's verdict.
    """

    name: str
    verdict: str
    version: str | None
    declaration: str | None  # the first that it did not accept
    reason: str | None

    @classmethod
    def from_json(cls, raw: Json) -> Kernel:
        return cls(raw["kernel"], raw["verdict"], raw.get("version"), raw.get("declaration"), raw.get("reason"))


@dataclass(frozen=True)
class Verdict:
    """Whether a file proves every `sorry` of another one (docs/trust.md)."""

    accepted: bool
    reasons: tuple[Reason, ...]  # about the file as a whole
    theorems: tuple[JudgedTheorem, ...]
    kernels: tuple[Kernel, ...]  # that judged; if none has accepted, Lean's compilation is all there is
    lean: Lean
    raw: Json = field(repr=False, compare=False)

    @property
    def outcome(self) -> str:
        """One of OUTCOMES: why it was not accepted, in a word."""
        outcome: str = self.raw["outcome"]
        return outcome

    @classmethod
    def from_json(cls, raw: Json) -> Verdict:
        return cls(raw["verdict"] == "accepted", tuple(Reason.from_json(r) for r in raw["reasons"]),
                   tuple(JudgedTheorem.from_json(t) for t in raw["theorems"]),
                   tuple(Kernel.from_json(k) for k in raw["kernels"]), Lean.from_json(raw["lean"]), raw)


@dataclass(frozen=True)
class SnippetResult:
    """A server's answer about one snippet. `error` is set if Lean gave no answer at all."""

    id: str
    error: str | None
    messages: tuple[Json, ...]  # as Lean prints them: severity, pos, endPos, data
    sorries: tuple[Json, ...]   # pos, endPos, goal
    raw: Json = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, raw: Json) -> SnippetResult:
        response = raw.get("response") or {}
        return cls(raw["id"] if "id" in raw else raw["custom_id"], raw.get("error"),
                   tuple(response.get("messages", ())), tuple(response.get("sorries", ())), raw)

    @property
    def outcome(self) -> str:
        """One of OUTCOMES."""
        outcome: str = self.raw["outcome"]
        return outcome

    @property
    def valid(self) -> bool:
        """Lean accepted the snippet, without errors and without a `sorry`."""
        errors = any(message["severity"] == "error" for message in self.messages)
        return self.error is None and not errors and not self.sorries


@dataclass(frozen=True)
class Rewards:
    """A server's verdicts on a batch of answers, in the order of the answers.

    The reward of an answer that was not judged, because Lean died on it, is None.
    """

    rewards: tuple[float | None, ...]
    verdicts: tuple[str, ...]  # `accepted`, `sorry`, `rejected`, `invalid_statement`, `timeout` or `crashed`
    reasons: tuple[tuple[str, ...], ...]
    raw: Json = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, raw: Json) -> Rewards:
        return cls(tuple(raw["rewards"]), tuple(raw["verdicts"]),
                   tuple(tuple(reasons) for reasons in raw["reasons"]), raw)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Of each answer, one of OUTCOMES."""
        return tuple(self.raw["outcomes"])
