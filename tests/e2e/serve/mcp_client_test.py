#!/usr/bin/env python3
"""The official client from PyPI (`mcp`) against `zermelo mcp` and `zermelo serve`, with real Lean."""
import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time

from testing.pypi import run_with
from testing.zermelo import PROGRAM, ROOT, ZermeloTest, environment, main, processes_of, wait_until

if __name__ == "__main__":
    run_with("mcp", "mcp==2.3.0")

import httpx2  # noqa: E402
from mcp import Client, MCPError, StdioServerParameters  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from testing.server import ServerTest  # noqa: E402

GOOD = "theorem t (a b : Nat) : a + b = b + a := by\n  omega\n"
BAD = "theorem t (a b : Nat) : a + b = b + a + 1 := by\n  omega\n"
SORRY = "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor\n  · exact hp\n  · sorry\n"
OPEN = "theorem easy (a b : Nat) : a + b = b + a := by\n  sorry\n"
FALSE = "theorem wrong (n : Nat) : n + 1 = n := by\n  sorry\n"
SLOW = GOOD + "theorem slow : (List.range 100000000).length = 100000000 := by\n  decide +kernel\n"
CHEAT = "axiom cheat : False\ntheorem easy (a b : Nat) : a + b = b + a := cheat.elim\n"
CLAIM = "theorem t (p q : Prop) (h : p ↔ q) : p = q := "
LIMIT = 120.0


class Connection:
    """A client that stays connected, in a thread with an event loop."""

    def __init__(self, server, mode, http=None):
        self._ready, self._server, self._mode, self._http = threading.Event(), server, mode, http
        self._error = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        if not self._ready.wait(LIMIT) or self._error:
            raise AssertionError(f"not connected: {self._error}")

    async def _run(self):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with Client(self._server, mode=self._mode) as client:
                self.client = client
                self._ready.set()
                await self._stop.wait()
        except BaseException as error:  # noqa: BLE001
            self._error = error
        finally:
            if self._http:
                await self._http.aclose()
            self._ready.set()

    def do(self, coroutine, limit=LIMIT):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(limit)

    def ask(self, tool, **arguments):
        """A tool's answer; one that is not "ok" must give a reason."""
        result = self.do(self.client.call_tool(tool, arguments))
        answer = result.structured_content
        assert answer["status"] in ("ok", "partial", "failed", "timed_out"), answer
        assert answer["status"] == "ok" or answer["reason"], answer
        assert not result.is_error or answer["status"] in ("failed", "timed_out"), answer
        return answer

    def close(self):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()


class StdioTest(ZermeloTest):
    """One `zermelo mcp` and one client with the given `mode`."""

    mode = "auto"
    arguments = ("--workers", "2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "tmp").mkdir()
        cls.pid_file = cls.folder / "pid"
        command = 'echo $$ > "$0"; exec "$@"'
        parameters = StdioServerParameters(
            command="sh", args=["-c", command, str(cls.pid_file), str(PROGRAM), "mcp", *cls.arguments],
            env=environment({"TMPDIR": cls.folder / "tmp"}), cwd=cls.folder)
        cls.connection = Connection(parameters, cls.mode)
        cls.session = int(cls.pid_file.read_text())
        cls.ask = staticmethod(cls.connection.ask)
        cls.addClassCleanup(cls.end)

    @classmethod
    def end(cls):
        began = time.monotonic()
        cls.connection.close()
        wait_until(lambda: not processes_of(cls.session), 30, "the end of the server and its Leans")
        assert time.monotonic() - began < 4, "it ends when its input does, not when it is killed"
        assert not list((cls.folder / "tmp").iterdir()), "temporary files left"

    def workers(self):
        return [pid for pid, command in processes_of(self.session) if "--worker file:" in command]


class Modern(StdioTest):
    def test_the_newest_revision_is_negotiated(self):
        self.assertEqual(self.connection.client.protocol_version, "2026-07-28")

    def test_tools_are_listed_with_schemas(self):
        tools = self.connection.do(self.connection.client.list_tools()).tools
        self.assertEqual([t.name for t in tools],
                         ["check", "goals", "try_proofs", "premise_search", "prove_start", "prove_status",
                          "prove_result", "prove_cancel", "disprove", "verdict"])
        documented = (ROOT / "docs/mcp.md").read_text()
        for tool in tools:
            for name in [tool.name, *tool.input_schema["properties"]]:
                self.assertIn(f"`{name}`", documented)

    def test_a_file_is_checked_and_the_answer_is_stamped_with_its_version(self):
        path = self.write("Good.lean", GOOD)
        answer = self.ask("check", file="Good.lean")
        self.assertEqual((answer["status"], answer["verdict"]), ("ok", "accepted"))
        self.assertEqual(answer["version"]["sha256"], hashlib.sha256(GOOD.encode()).hexdigest())
        path.write_text(BAD)
        answer = self.ask("check", file=str(path))
        self.assertEqual((answer["status"], answer["verdict"]), ("failed", "rejected"))
        self.assertEqual(answer["messages"][0]["theorem"], "t")
        self.assertEqual(answer["version"]["sha256"], hashlib.sha256(BAD.encode()).hexdigest())

    def test_a_sorry_comes_with_its_goal(self):
        answer = self.ask("check", text=SORRY)
        self.assertEqual(answer["verdict"], "sorry")
        self.assertEqual((answer["sorries"][0]["line"], answer["sorries"][0]["column"]), (4, 5))
        self.assertIn("⊢ q", answer["sorries"][0]["goal"])

    def test_goals_before_and_after_a_line_and_at_a_column(self):
        answer = self.ask("goals", text=SORRY, line=2)
        self.assertEqual(len(answer["goals_before"]), 1)
        self.assertIn("⊢ p ∧ q", answer["goals_before"][0])
        self.assertEqual(len(answer["goals_after"]), 2)
        self.assertEqual(answer["structured_before"][0]["hypotheses"][0], {"names": ["p", "q"], "type": "Prop"})
        self.assertEqual([goal["case"] for goal in answer["structured_after"]], ["left", "right"])
        self.assertEqual(answer["change"], {"closed": [], "goals": [{"before": 0, "after": 0, "target": "p"},
                                                                    {"before": 0, "after": 1, "target": "q"}]})
        self.assertIn("⊢ q", self.ask("goals", text=SORRY, line=4, column=5)["goals"][0])
        done = self.ask("goals", text=GOOD, line=2)
        self.assertEqual((done["status"], done["goals_after"]), ("ok", []))

    def test_a_position_without_a_tactic_state_is_not_an_empty_success(self):
        answer = self.ask("goals", text="def a := 1\n\n" + GOOD, line=1, column=5)
        self.assertEqual(answer["status"], "failed")
        self.assertNotIn("goals", answer)

    def test_several_proofs_are_tried_at_once(self):
        answer = self.ask("try_proofs", text=OPEN,
                          proofs=["rfl", "by omega", "exact Nat.add_comm a b", "induction a", "nonsense", "sorry"])
        self.assertEqual(answer["accepted"], [1, 2])
        states = [a["status"] for a in answer["attempts"]]
        self.assertEqual(states, ["failed", "accepted", "accepted", "open", "failed", "failed"])
        self.assertEqual(len(answer["attempts"][3]["goals"]), 2)

    def test_a_proof_job_is_started_and_polled_and_its_result_is_verified(self):
        self.write("Open.lean", OPEN)
        started = self.ask("prove_start", file="Open.lean", theorem="easy", seconds=120)
        self.assertIn(started["state"], ("queued", "running"))
        wait_until(lambda: self.ask("prove_status", job=started["job"], wait_seconds=60)["state"] == "finished", 300,
                   "the end of the job")
        result = self.ask("prove_result", job=started["job"])
        self.assertEqual((result["status"], result["theorems"][0]["status"]), ("ok", "proved"))
        self.assertEqual((self.folder / "Open.lean").read_text(), OPEN)

    def test_a_job_that_is_cancelled_ends(self):
        hard = "theorem hard (f : Nat → Nat) (h : ∀ n, f (f n) = n + 1987) : False := by\n  sorry\n"
        job = self.ask("prove_start", text=hard, seconds=600)["job"]
        wait_until(lambda: self.ask("prove_status", job=job).get("trying"), 60, "the search")
        self.assertEqual(self.ask("prove_result", job=job)["status"], "partial")
        self.assertEqual(self.ask("prove_cancel", job=job)["state"], "cancelled")
        self.assertEqual(self.ask("prove_result", job=job)["status"], "failed")

    def test_false_statements_are_disproved_and_true_ones_are_not(self):
        answer = self.ask("disprove", text=FALSE, seconds=120)
        self.assertEqual((answer["status"], answer["disproved"]), ("ok", True))
        answer = self.ask("disprove", text="theorem t : 1 = 1 := by\n  sorry\n", theorem="t", seconds=2)
        self.assertIn(answer["status"], ("failed", "timed_out"))
        self.assertFalse(answer["disproved"])

    def test_premises_are_found_by_words_and_by_a_goal(self):
        def found(**query):
            answer = self.ask("premise_search", **query)
            return [p["name"] for p in answer.get("premises", [])]
        wait_until(lambda: found(query="commutativity of addition of natural numbers"), 60, "the index")
        self.assertIn("Nat.add_comm", found(query="n m : Nat\n⊢ n + m = m + n", formal=True, limit=20))
        self.assertEqual(self.ask("premise_search", query="xyzzyplugh")["status"], "failed")

    def test_cheating_is_not_a_proof(self):
        self.assertEqual(len(self.ask("check", text=CHEAT)["findings"]), 1)
        verdict = self.ask("verdict", text=CHEAT, original_text=OPEN)
        self.assertEqual((verdict["status"], verdict["verdict"]), ("failed", "rejected"))
        for original in {}, {"original_text": CLAIM + "by sorry\n"}:
            answer = self.ask("verdict", text=CLAIM + "propext h\n", **original)
            self.assertEqual((answer["status"], answer["verdict"]), ("ok", "accepted"))
            self.assertEqual(answer["theorems"][0]["axioms"], ["propext"])
        self.assertTrue(answer["lean"]["warnings"], "the embedded Lean has known bugs")

    def test_a_timeout_returns_partial_results(self):
        self.ask("check", text=GOOD)  # so that a Lean is running
        answer = self.ask("check", text=SLOW, timeout_seconds=12)
        self.assertEqual((answer["status"], answer["verdict"]), ("partial", "unknown"))
        self.assertIn("slow (line 3)", answer["reason"])

    def test_wrong_calls_get_different_errors(self):
        for name, arguments in (("check", {"text": 7}), ("check", {"txt": ""}), ("goals", {"text": GOOD}),
                                ("check", {"file": "nowhere.lean"}), ("prove_result", {"job": "?"})):
            self.assertEqual(self.ask(name, **arguments)["status"], "failed")
        with self.assertRaisesRegex(MCPError, "Unknown tool: chek; did you mean `check`"):
            self.connection.do(self.connection.client.call_tool("chek", {}))


class Legacy(StdioTest):
    mode = "legacy"
    arguments = ("--workers", "1")

    def test_the_revision_with_initialize_is_negotiated(self):
        self.assertEqual(self.connection.client.protocol_version, "2025-11-25")
        self.assertIn("verdict", self.connection.client.instructions)

    def test_projects_share_one_lean(self):
        for name in ("one", "other"):
            self.write(f"{name}/lean-toolchain", "leanprover/lean4:v4.28.0\n")
            self.write(f"{name}/A.lean", GOOD)
            self.assertEqual(self.ask("check", file=f"{name}/A.lean")["verdict"], "accepted")
            wait_until(lambda: len(self.workers()) == 1, 60, "the end of the other project's Lean")

    def test_an_abandoned_request_frees_its_lean(self):
        with self.assertRaises(MCPError):
            self.connection.do(self.connection.client.call_tool("check", {"text": SLOW}, read_timeout_seconds=2))
        began = time.monotonic()
        self.assertEqual(self.ask("check", text=GOOD)["verdict"], "accepted")
        self.assertLess(time.monotonic() - began, 60)


class KilledClient(ZermeloTest):
    def test_the_server_and_its_leans_end_with_their_client(self):
        folder = self.folder / "killed"
        folder.mkdir()
        pid_file = folder / "pid"
        script = f"""
import asyncio, sys
from mcp import Client, StdioServerParameters
async def run():
    server = StdioServerParameters(command="sh", args=["-c", 'echo $$ > "$0"; exec "$@"', {str(pid_file)!r},
                                   {str(PROGRAM)!r}, "mcp", "--workers", "1"], env={environment({})!r})
    async with Client(server) as client:
        await client.call_tool("check", {{"text": {SLOW!r}}})
asyncio.run(run())
"""
        client = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
        self.addCleanup(client.kill)
        wait_until(pid_file.exists, 60, "the server")
        session = wait_until(lambda: int(pid_file.read_text() or 0), 30, "its process id")
        wait_until(lambda: any("--worker" in c for _, c in processes_of(session)), 60, "a Lean at work")
        os.kill(client.pid, signal.SIGKILL)
        client.wait()
        wait_until(lambda: not processes_of(session), 30, "the end of the server and its Lean")


class Http(ServerTest):
    env = {"ZERMELO_API_KEY": "secret"}
    arguments = ("--workers", "2")

    def connect(self, mode, key="secret"):
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=LIMIT)
        connection = Connection(streamable_http_client(self.url + "/mcp", http_client=http), mode, http)
        self.addCleanup(connection.close)
        return connection

    def test_both_revisions_are_served_side_by_side(self):
        modern, legacy = self.connect("auto"), self.connect("legacy")
        self.assertEqual(modern.client.protocol_version, "2026-07-28")
        self.assertEqual(legacy.client.protocol_version, "2025-11-25")
        for connection in (modern, legacy):
            self.assertEqual(connection.ask("check", text=GOOD)["verdict"], "accepted")
            with self.assertRaises(MCPError):
                connection.do(connection.client.call_tool("nothing", {}))

    def test_a_job_belongs_to_no_connection(self):
        job = self.connect("auto").ask("prove_start", text=GOOD)["job"]
        result = self.connect("legacy").ask("prove_result", job=job, wait_seconds=60)
        self.assertEqual((result["status"], result["state"]), ("failed", "finished"))
        self.assertIn("no sorry", result["reason"])

    def test_files_outside_of_the_project_are_not_read(self):
        answer = self.connect("auto").ask("check", file="/etc/passwd")
        self.assertEqual(answer["status"], "failed")
        self.assertIn("none of the folders", answer["reason"])

    def test_a_wrong_key_gets_nothing(self):
        status, _, _ = self.request("POST", "/mcp", {}, headers={"Content-Type": "application/json"})
        self.assertEqual(status, 401)

    def test_a_client_that_leaves_cancels_its_request(self):
        connection = self.connect("auto")
        with self.assertRaises(MCPError):
            connection.do(connection.client.call_tool("check", {"text": SLOW}, read_timeout_seconds=2))
        wait_until(lambda: "\nzermelo_workers_busy 0\n" in self.metrics(), 60, "a free Lean")

    def metrics(self):
        return self.request("GET", "/metrics", headers={"Authorization": "Bearer secret"})[2]


if __name__ == "__main__":
    main()
