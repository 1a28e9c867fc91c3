"""The client and the reward functions: against a server that answers as it is told, and a real one."""
import email.utils
import http.server
import importlib.util
import json
import os
import sys
import threading
import types
import unittest.mock

from support import PythonTest, ServerTest

import zermelo
from zermelo import rewards

STATEMENT = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
GOOD = STATEMENT.replace("sorry", "omega")
BAD = GOOD.replace("b + a :=", "b + a + 1 :=")
ANSWER = {"rewards": [1.0], "scores": [1.0], "verdicts": ["accepted"], "reasons": [[]],
          "extra_logs": {"timeout": [0.0]}}


class Scripted(http.server.BaseHTTPRequestHandler):
    """Gives the server's answers in order, (status, headers, body), and keeps what it was asked."""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.server.asked.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
        status, headers, body = self.server.answers.pop(0)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class AgainstAScript(PythonTest):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
        self.server.answers, self.server.asked = [], []
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(lambda: (self.server.shutdown(), thread.join(), self.server.server_close()))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.slept = []
        patch = unittest.mock.patch("zermelo.client.time.sleep", self.slept.append)
        patch.start()
        self.addCleanup(patch.stop)

    def answers(self, *answers):
        self.server.answers += answers

    def test_a_busy_server_is_asked_again_after_the_time_that_it_names(self):
        date = email.utils.format_datetime(email.utils.localtime())
        self.answers((429, {"Retry-After": "7"}, {"detail": "full"}), (503, {"Retry-After": "0.5"}, b"<html>"),
                     (503, {"Retry-After": date}, b""), (200, {}, ANSWER))
        result = zermelo.Client(self.url).rewards(["omega"], [STATEMENT])
        self.assertEqual((result.rewards, result.verdicts, result.reasons), ((1.0,), ("accepted",), ((),)))
        self.assertEqual(self.slept, [7, 0.5, 0.0])
        self.assertEqual(len({body for _, _, _, body in self.server.asked}), 1)

    def test_patience_ends(self):
        self.answers((429, {"Retry-After": "7"}, {"detail": "the queue is full"}))
        error = self.raised(zermelo.ServerError, zermelo.Client(self.url, patience=5).check, ["x"])
        self.assertEqual((error.status, error.exit_code, self.slept), (429, 3, []))
        self.assertIn("the queue is full", error.message)

    def test_other_refusals_are_errors_at_once(self):
        for status, headers, code in ((422, {}, 2), (401, {}, 2), (413, {"Retry-After": "1"}, 2), (500, {}, 3),
                                      (429, {}, 3), (503, {"Retry-After": "soon"}, 3)):
            with self.subTest(status):
                self.answers((status, headers, {"detail": "a sentence"}))
                error = self.raised(zermelo.ServerError, zermelo.Client(self.url).check, ["x"])
                self.assertEqual((error.status, error.exit_code), (status, code))
                self.assertIn("a sentence", error.message)
                self.assertEqual("ZERMELO_API_KEY" in error.hint, status == 401)
        self.assertEqual(self.slept, [])

    def test_the_requests_are_those_of_the_documentation(self):
        valid = {"env": 0}
        self.answers((200, {}, {"status": "ok"}), (200, {}, {"results": [{"id": "0", "response": valid}]}),
                     (200, {}, {"results": [{"custom_id": "0", "response": valid}]}), (200, {}, ANSWER))
        client = zermelo.Client(self.url + "/", "key")
        self.assertTrue(client.health())
        self.assertTrue(client.check(["code"], timeout=5, rules=False)[0].valid)
        self.assertTrue(client.verify(["code"])[0].valid)
        client.rewards(("a",), ("s",), ["p"])
        asked = [(method, path, json.loads(body or b"null")) for method, path, _, body in self.server.asked]
        self.assertEqual(asked, [
            ("GET", "/health", None),
            ("POST", "/api/check", {"snippets": [{"id": "0", "code": "code"}], "timeout": 5, "rules": False,
                                    "reuse": True}),
            ("POST", "/verify", {"codes": [{"custom_id": "0", "proof": "code"}], "timeout": 60.0}),
            ("POST", "/get_reward", {"query": ["a"], "labels": ["s"], "timeout": 60.0, "prompts": ["p"]})])
        self.assertEqual({headers.get("Authorization") for _, _, headers, _ in self.server.asked}, {"Bearer key"})

    def test_url_and_key_come_from_the_environment_and_no_proxy_is_asked_for_this_machine(self):
        os.environ.update(ZERMELO_URL=self.url, ZERMELO_API_KEY="from the environment",
                          http_proxy="http://127.0.0.1:1")
        self.answers((200, {}, {"status": "ok"}))
        self.assertTrue(zermelo.Client().health())
        self.assertEqual(self.server.asked[0][2]["Authorization"], "Bearer from the environment")

    def test_no_answer_is_a_problem_of_the_environment(self):
        self.answers((200, {}, b"no JSON"))
        error = self.raised(zermelo.EnvironmentProblem, zermelo.Client(self.url).check, ["x"])
        self.assertIn("no answer from " + self.url, error.message)
        for url in ("http://127.0.0.1:1", "not a url", "http://[::1"):
            error = self.raised(zermelo.EnvironmentProblem, zermelo.Client(url).health)
            self.assertIn("zermelo serve", error.hint)

    def test_what_was_not_judged_has_no_reward_and_never_0(self):
        os.environ["ZERMELO_URL"] = self.url
        died = {**ANSWER, "rewards": [None], "scores": [None], "verdicts": ["crashed"], "outcomes": ["crashed"]}
        self.answers(*[(200, {}, died)] * 6)
        result = zermelo.Client(self.url).rewards(["omega"], [STATEMENT])
        self.assertEqual((result.rewards, result.outcomes), ((None,), ("crashed",)))
        self.assertEqual(rewards.lean_reward(["p"], ["a"], [STATEMENT]), [None])
        error = self.raised(zermelo.NotJudged, rewards.compute_score, "minif2f", "a", STATEMENT)
        self.assertIn("ZERMELO_UNJUDGED", error.hint)
        self.raised(zermelo.NotJudged, rewards.reward_func, ["p a"], ["p"], ["s"])
        os.environ["ZERMELO_UNJUDGED"] = "-0.5"
        self.addCleanup(os.environ.pop, "ZERMELO_UNJUDGED")
        self.assertEqual(rewards.compute_score("minif2f", "a", STATEMENT), -0.5)
        self.assertEqual(rewards.reward_func(["p a"], ["p"], ["s"])["rewards"], [-0.5])

    def test_openrlhf_gets_tensors(self):
        os.environ["ZERMELO_URL"] = self.url
        self.answers((200, {}, ANSWER), (200, {}, ANSWER))
        self.assertEqual(rewards.reward_func(["p a"], ["p"], ["s"])["extra_logs"], {"timeout": [0.0]})
        torch = types.SimpleNamespace(tensor=lambda values: ("tensor", values))
        with unittest.mock.patch.dict(sys.modules, torch=torch):
            got = rewards.reward_func(queries=["p a"], prompts=["p"], labels=["s"])
        self.assertEqual(got, {"rewards": ("tensor", [1.0]), "scores": ("tensor", [1.0]),
                               "extra_logs": {"timeout": ("tensor", [0.0])}})
        self.assertEqual(json.loads(self.server.asked[0][3])["prompts"], ["p"])


class AgainstTheProgram(ServerTest):
    def setUp(self):
        super().setUp()
        os.environ.update(ZERMELO_URL=self.url, ZERMELO_API_KEY="secret")
        self.client = zermelo.Client()

    def test_snippets_are_told_apart(self):
        for check in (self.client.check, self.client.verify):
            good, bad, unfinished = check([GOOD, BAD, STATEMENT])
            self.assertEqual([good.valid, bad.valid, unfinished.valid], [True, False, False])
            self.assertEqual((good.id, good.messages, good.error), ("0", (), None))
            self.assertIn("omega", bad.messages[0]["data"])
            self.assertEqual(unfinished.sorries[0]["goal"], "a b : Nat\n⊢ a + b = b + a")

    def test_a_snippet_that_takes_too_long_has_an_error(self):
        slow = "theorem t : (List.range 100000000).length = 100000000 := by\n  decide +kernel\n"
        result, = self.client.check([slow], timeout=2)
        self.assertIn("timed out", result.error)
        self.assertFalse(result.valid)

    def test_only_a_proof_of_the_statement_is_rewarded_and_the_reason_is_said(self):
        result = self.client.rewards([GOOD, BAD, "theorem t : True := trivial"], [STATEMENT] * 3)
        self.assertEqual((result.rewards, result.verdicts), ((1.0, 0.0, 0.0), ("accepted", "rejected", "rejected")))
        self.assertTrue(all(result.reasons[1:]))

    def test_an_answer_on_which_lean_dies_has_no_reward(self):
        result = self.client.rewards(["#eval (IO.Process.exit 3 : IO Unit)\n" + GOOD, GOOD], [STATEMENT] * 2)
        self.assertEqual((result.rewards, result.outcomes), ((None, 1.0), ("crashed", "accepted")))
        self.assertEqual([r.outcome for r in self.client.check([GOOD, BAD, STATEMENT])],
                         ["accepted", "rejected", "open"])

    def test_without_the_key_there_is_only_health(self):
        client = zermelo.Client(self.url, api_key="")
        self.assertTrue(client.health())
        self.assertEqual(self.raised(zermelo.ServerError, client.check, [GOOD]).status, 401)

    def test_verl_trl_and_openrlhf_get_their_rewards(self):
        fenced = [f"Let me see.\n```lean4\n{code}```" for code in (GOOD, BAD)]
        self.assertEqual(rewards.compute_score("minif2f", fenced[0], STATEMENT, {"split": "train"}), 1.0)
        self.assertEqual(rewards.compute_score("minif2f", "I give up.", STATEMENT), 0.0)
        self.assertEqual(rewards.compute_scores(data_sources=["m"] * 2, solution_strs=fenced,
                                                ground_truths=[STATEMENT] * 2, extra_infos=[{}, {}]), [1.0, 0.0])
        chats = [[{"role": "assistant", "content": text}] for text in fenced]
        self.assertEqual(rewards.lean_reward(prompts=["p", "p"], completions=chats, completion_ids=[[1], [2]],
                                             statement=[STATEMENT] * 2, trainer_state=None), [1.0, 0.0])
        self.assertEqual(rewards.lean_reward(["p"], [fenced[0]], [STATEMENT]), [1.0])
        queries = [f"Prove it.\n{text}<|im_end|>" for text in fenced]
        self.assertEqual(rewards.reward_func(queries, ["Prove it.\n"] * 2, [STATEMENT] * 2)["rewards"], [1.0, 0.0])

    def test_trainers_may_load_the_file_by_its_path(self):
        spec = importlib.util.spec_from_file_location("custom_module", rewards.__file__)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.assertEqual(module.compute_score("minif2f", GOOD, STATEMENT), 1.0)

    def test_threads_share_a_client(self):
        results = []
        threads = [threading.Thread(target=lambda: results.extend(self.client.check([GOOD]))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([r.valid for r in results], [True] * 4)
