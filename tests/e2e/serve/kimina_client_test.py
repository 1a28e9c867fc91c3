#!/usr/bin/env python3
"""Kimina Lean Server's own client, from PyPI, against `zermelo serve`."""
import asyncio
import sys

from testing.pypi import run_with
from testing.zermelo import main

# It imports pygments without declaring the dependency.
if __name__ == "__main__":
    run_with("kimina-client", "kimina-client==0.2.1", "pygments")

import typing  # noqa: E402

import typing_extensions  # noqa: E402

if sys.version_info < (3, 12):  # pydantic needs this one there, but the client uses the other
    typing.TypedDict = typing_extensions.TypedDict

from kimina_client import AsyncKiminaClient, Infotree, KiminaClient, Snippet, SnippetStatus  # noqa: E402
from kimina_client.models import VerifyResponse  # noqa: E402
from kimina_client.proof_utils import analyze_sample  # noqa: E402
from testing.server import ServerTest  # noqa: E402

GOOD = "theorem t (a b : Nat) : a + b = b + a := by omega\n"
CODES = {
    SnippetStatus.valid: GOOD,
    SnippetStatus.lean_error: "theorem t : 1 = 2 := by omega\n",
    SnippetStatus.sorry: "theorem t : 1 = 1 := by sorry\n",
    SnippetStatus.timeout_error: "theorem t : (List.range 100000000).length = 100000000 := by decide +kernel\n",
    SnippetStatus.server_error: "#eval (IO.Process.exit 7 : IO Unit)\n",
}


class Client(ServerTest):
    env = {"ZERMELO_API_KEY": "secret"}

    def setUp(self):
        self.client = KiminaClient(api_url=self.url, api_key="secret", n_retries=1)

    def test_its_own_test_passes(self):
        self.client.test()

    def test_health(self):
        self.assertEqual(self.client.health(), {"status": "ok"})

    def test_every_status_is_as_expected(self):
        snippets = [Snippet(id=status.value, code=code) for status, code in CODES.items()]
        answer = self.client.check(snippets, timeout=20, batch_size=2, max_workers=3, show_progress=False)
        self.assertEqual({r.id: r.analyze().status.value for r in answer.results},
                         {status.value: status.value for status in CODES})

    def test_infotree_debug_and_no_reuse_are_accepted(self):
        answer = self.client.check(GOOD, infotree=Infotree.original, debug=True, reuse=False,
                                   show_progress=False)
        self.assertEqual(answer.results[0].analyze().status, SnippetStatus.valid)

    def test_the_asynchronous_client_works_too(self):
        client = AsyncKiminaClient(api_url=self.url, api_key="secret")
        answer = asyncio.run(client.check([GOOD] * 3, show_progress=False))
        self.assertEqual([r.analyze().status for r in answer.results], [SnippetStatus.valid] * 3)

    def test_a_wrong_key_is_an_error_of_the_client(self):
        client = KiminaClient(api_url=self.url, api_key="wrong", n_retries=1)
        self.assertEqual(client.check(GOOD, show_progress=False).results[0].analyze().status,
                         SnippetStatus.server_error)

    def test_the_older_interface_fits_the_clients_models(self):
        body = {"codes": [{"custom_id": s.value, "proof": c} for s, c in CODES.items()], "timeout": 20}
        answer = self.post("/verify", body, headers={"Authorization": "Bearer secret"})
        results = VerifyResponse.model_validate(answer).results
        by_id = {r["custom_id"]: analyze_sample(r) for r in results}
        valid = {name: sample.is_valid_no_sorry for name, sample in by_id.items()}
        self.assertEqual(valid, {s.value: s is SnippetStatus.valid for s in CODES})
        self.assertTrue(by_id["sorry"].is_valid_with_sorry)
        self.assertTrue(by_id["timeout_error"].has_connection_error)


if __name__ == "__main__":
    main()
