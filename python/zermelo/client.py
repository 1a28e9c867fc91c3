"""A client for `zermelo serve` (docs/verifier-api.md), on the standard library alone."""
from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zermelo.errors import EnvironmentProblem, ServerError
from zermelo.results import Json, Rewards, SnippetResult

if TYPE_CHECKING:
    from urllib.error import HTTPError

DEFAULT_URL = "http://127.0.0.1:8000"
RETRIED = (429, 503)  # the server was busy and has decided nothing


class Client:
    """A client of one server. It keeps no connection, so any number of threads may share it.

    url       default: ZERMELO_URL, else http://127.0.0.1:8000
    api_key   default: ZERMELO_API_KEY, else none
    patience  limit for one call, in seconds: when the server is busy (429 or 503), the request is repeated after
              the time that Retry-After names, if that is within the limit

    Every call raises ServerError if the server refuses the request, and EnvironmentProblem if there is no
    answer.
    """

    def __init__(self, url: str | None = None, api_key: str | None = None, *,
                 patience: float = 600.0) -> None:
        self.url = (url or os.environ.get("ZERMELO_URL") or DEFAULT_URL).rstrip("/")
        self._key = os.environ.get("ZERMELO_API_KEY") if api_key is None else api_key
        self.patience = patience

    def health(self) -> bool:
        """Whether the server is up; False if it answers with an error."""
        try:
            return bool(self._call("/health")["status"] == "ok")
        except ServerError:
            return False

    def check(self, snippets: Sequence[str], *, timeout: float = 60.0, rules: bool = True,
              reuse: bool = True) -> list[SnippetResult]:
        """Checks Lean code; the results are in the order of the snippets.

        timeout  limit for each snippet in seconds, counted from when a worker starts on it
        rules    False: axioms, and everything else that makes a proof worthless, are warnings instead of errors
        reuse    False: each snippet is checked by a fresh process
        """
        body = {"snippets": [{"id": str(i), "code": code} for i, code in enumerate(snippets)],
                "timeout": timeout, "rules": rules, "reuse": reuse}
        return [SnippetResult.from_json(result) for result in self._call("/api/check", body)["results"]]

    def verify(self, proofs: Sequence[str], *, timeout: float = 60.0) -> list[SnippetResult]:
        """The same check through Kimina's older interface, which other servers offer too."""
        body = {"codes": [{"custom_id": str(i), "proof": proof} for i, proof in enumerate(proofs)],
                "timeout": timeout}
        return [SnippetResult.from_json(result) for result in self._call("/verify", body)["results"]]

    def rewards(self, answers: Sequence[str], statements: Sequence[str],
                prompts: Sequence[str] | None = None, *, timeout: float = 60.0) -> Rewards:
        """Returns 1.0 for each answer that proves its statement, and 0.0 with the reasons for any other.

        An answer on which Lean died was not judged: its reward is None, and its outcome `crashed`.

        A statement is Lean code with a `sorry`; if it is empty, it is taken from the prompt with the same index.
        An answer is a model's text, of which the last block fenced as Lean counts.
        """
        body: Json = {"query": list(answers), "labels": list(statements), "timeout": timeout}
        if prompts is not None:
            body["prompts"] = list(prompts)
        return Rewards.from_json(self._call("/get_reward", body))

    def search(self, query: str, limit: int = 10) -> list[Json]:
        """Searches the server's library (docs/retrieval.md); the best come first, each with `informal_name` and `type`."""
        answers: Any = self._call("/search", {"query": [query], "num_results": limit})
        return [answer["result"] for answer in answers[0]]

    def _call(self, path: str, body: Json | None = None) -> Json:
        """Sends GET, or POST if there is a body; repeats the request while the server is busy."""
        from urllib.error import HTTPError
        deadline = time.monotonic() + self.patience
        while True:
            try:
                return self._send(path, body, max(1.0, deadline - time.monotonic()))
            except HTTPError as error:
                pause = _retry_after(error)
                if pause is None or time.monotonic() + pause >= deadline:
                    raise _refusal(error) from None
                error.close()
            time.sleep(pause)

    def _send(self, path: str, body: Json | None, timeout: float) -> Json:
        from http.client import HTTPException  # slow imports, which the command `zermelo` does not need
        from urllib.error import HTTPError
        from urllib.request import ProxyHandler, Request, build_opener, urlopen
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        data = None if body is None else json.dumps(body).encode()
        try:
            request = Request(self.url + path, data, headers)
            local = (request.host or "").rsplit(":", 1)[0] in ("127.0.0.1", "localhost", "[::1]")
            # A proxy would connect to its own machine.
            send = build_opener(ProxyHandler({})).open if local else urlopen
            with send(request, timeout=timeout) as response:
                answer: Json = json.load(response)
                return answer
        except HTTPError:
            raise
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise EnvironmentProblem(f"no answer from {self.url}{path}: {reason}",
                                     "start a server with `zermelo serve`; ZERMELO_URL says where it is") from None


def _retry_after(error: HTTPError) -> float | None:
    """Seconds to wait before the request is repeated; None if it must not be."""
    wanted = error.headers.get("Retry-After")
    if error.code not in RETRIED or wanted is None:
        return None
    try:
        return max(0.0, float(wanted))
    except ValueError:
        return _seconds_until(wanted)


def _seconds_until(date: str) -> float | None:
    from email.utils import parsedate_to_datetime
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None


def _refusal(error: HTTPError) -> ServerError:
    text = error.read().decode(errors="replace")
    detail: Any = text
    try:
        detail = json.loads(text)["detail"]
    except (ValueError, KeyError, TypeError):
        pass  # the answer of a proxy, not of the server
    hint = "set ZERMELO_API_KEY to the server's key" if error.code == 401 else ""
    busy = error.code in RETRIED or error.code >= 500
    return ServerError(f"{error.url}: {error.code} {detail or error.reason}", hint, 3 if busy else 2, error.code)
