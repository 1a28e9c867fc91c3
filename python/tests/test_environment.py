"""The environment for rollouts with tools, on a real server."""
import asyncio
import dataclasses
import importlib
import os
import re
import sys
import threading
import types
import typing
import unittest.mock

from support import ROOT, PythonTest, ServerTest

from zermelo import EnvironmentProblem, Rewards, ServerError, SnippetResult
from zermelo.environment import LeanEnvironment, chat

STATEMENT = "/-- It commutes. -/\ntheorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
LEMMA = "theorem mine (a b : Nat) : b + a = a + b := by omega"
PROOF = "theorem t (a b : Nat) : a + b = b + a := (mine a b).symm"


class OnAServer(ServerTest):
    def setUp(self):
        super().setUp()
        os.environ.update(ZERMELO_URL=self.url, ZERMELO_API_KEY="secret")
        self.environment = LeanEnvironment(calls=3, failure=-1.0)
        self.environment.reset(STATEMENT, prompt="other columns of the row are ignored")

    def test_a_lemma_is_kept_and_proves_the_theorem(self):
        self.assertIn("Lean accepts mine", self.environment.verify_lean(LEMMA))
        self.assertEqual(self.environment.get_reward(), -1)
        self.assertEqual(self.environment.verify_lean(PROOF), "t is proved. You have finished.")
        self.assertEqual((self.environment.get_reward(), self.environment.over), (1, True))
        self.environment.reset(STATEMENT)
        self.assertIn("mine", self.environment.verify_lean(PROOF), "it is forgotten with the next theorem")
        self.assertEqual(self.environment.get_reward(), -1)

    def test_lines_count_from_the_codes_own(self):
        self.environment.verify_lean(LEMMA)
        self.assertRegex(self.environment.verify_lean("theorem no : 1 = 2 := by\n  rfl"), r"^2:2: error: ")

    def test_a_hole_shows_its_goal_and_is_not_kept(self):
        self.assertIn("⊢ b + a = a + b", self.environment.verify_lean(LEMMA.replace("omega", "sorry")))
        self.assertIn("mine", self.environment.verify_lean(PROOF))

    def test_another_statement_earns_nothing(self):
        said = self.environment.verify_lean("theorem t (a b : Nat) : a + b = a + b := rfl")
        self.assertIn("does not prove the theorem", said)
        self.assertEqual(self.environment.get_reward(), -1)

    def test_calls_run_out(self):
        for _ in range(3):
            self.environment.verify_lean("theorem no : 1 = 2 := rfl")
        self.environment.verify_lean(LEMMA)
        self.assertTrue(self.environment.over)
        self.assertEqual(self.environment.verify_lean(PROOF), "There are no calls left.")
        self.assertEqual(self.environment.get_reward(), -1)


ACCEPTED = SnippetResult("0", None, (), (), {})


class OnAStub(PythonTest):
    def test_a_theorem_is_known_by_its_name_whatever_follows_it(self):
        for head, name in (("t: 1 = 1", "t"), ("t (a : Nat) : a = a", "t"), ("t(a : Nat) : a = a", "t"), ("t{a : Nat} : a = a", "t"),
                           ("t[Inhabited α] : True", "t"), ("t⦃a : Nat⦄ : a = a", "t"), ("t.{u} (α : Type u) : True", "t"),
                           ("A.t: True", "A.t"), ("A.t.{u, v}: True", "A.t"), ("«a b».c: True", "«a b».c"), ("t₁': True", "t₁'")):
            environment = LeanEnvironment()
            environment.reset(f"theorem {head} := by\n  sorry\n")
            judged = Rewards((1.0,), ("accepted",), ((),), {})
            with self.subTest(head), unittest.mock.patch("zermelo.client.Client.check", return_value=[ACCEPTED]), \
                    unittest.mock.patch("zermelo.client.Client.rewards", return_value=judged):
                self.assertEqual(environment.verify_lean(f"lemma {name}2 : True := trivial\n"),
                                 f"Lean accepts {name}2: from now on it stands before everything that you check.")
                self.assertEqual(environment.verify_lean(f"theorem {name} : True := trivial"), f"{name} is proved. You have finished.")

    def test_a_server_that_fails_is_no_failure_of_the_proof(self):
        busy, gone = ServerError("busy", status=503), EnvironmentProblem("no answer")
        for what in ({"check": busy}, {"check": gone}, {"check": [[ACCEPTED]], "rewards": busy}):
            environment = LeanEnvironment()
            environment.reset(STATEMENT)
            with self.subTest(what), unittest.mock.patch.multiple(
                    "zermelo.client.Client", **{name: unittest.mock.Mock(side_effect=effect) for name, effect in what.items()}):
                self.assertRegex(environment.verify_lean(PROOF), "^This was not checked: (busy|no answer)$")
            self.assertIsNone(environment.get_reward())
            rejected = Rewards((0.0,), ("rejected",), (("no",),), {})
            with unittest.mock.patch("zermelo.client.Client.check", return_value=[ACCEPTED]), \
                    unittest.mock.patch("zermelo.client.Client.rewards", return_value=rejected):
                environment.verify_lean(PROOF)
            self.assertEqual(environment.get_reward(), 0, "the last proof was judged")

    def test_a_request_that_is_itself_wrong_does_not_escape_the_reward(self):
        environment = LeanEnvironment()
        environment.reset(STATEMENT)
        with unittest.mock.patch("zermelo.client.Client.check", side_effect=ServerError("not JSON", status=400)):
            self.assertIn("not JSON", environment.verify_lean("\ud800"))
        self.assertEqual(environment.get_reward(), 0)

    def test_a_search_without_a_server_is_answered(self):
        environment = LeanEnvironment()
        environment.reset(STATEMENT)
        with unittest.mock.patch("zermelo.client.Client.search", side_effect=EnvironmentProblem("no answer")):
            self.assertEqual(environment.premise_search("x"), "The search failed: no answer")

    def test_what_was_not_judged_has_no_reward(self):
        environment = LeanEnvironment()
        environment.reset(STATEMENT)
        judged = Rewards((None,), ("crashed",), ((),), {})
        with unittest.mock.patch("zermelo.client.Client.check", return_value=[ACCEPTED]), \
                unittest.mock.patch("zermelo.client.Client.rewards", return_value=judged):
            environment.verify_lean(PROOF)
        self.assertIsNone(environment.get_reward())

    def test_long_answers_are_cut_in_the_middle(self):
        environment = LeanEnvironment(most=20)
        environment.reset(STATEMENT)
        with unittest.mock.patch("zermelo.client.Client.search",
                                 return_value=[{"informal_name": "n" * 30, "type": "t" * 30}]):
            self.assertEqual(environment.premise_search("x"), "n" * 10 + "\n…\n" + "t" * 10)

    def test_the_tools_may_have_a_server_of_their_own(self):
        os.environ.update(ZERMELO_URL="http://judge:1", ZERMELO_TOOLS_URL="http://tools:2")
        environment = LeanEnvironment()
        environment.reset(STATEMENT)
        called = []
        with unittest.mock.patch("zermelo.client.Client._call", autospec=True,
                                 side_effect=lambda client, path, body: called.append((client.url, path)) or [[]]):
            environment.premise_search("x")
        self.assertEqual(called, [("http://tools:2", "/search")])

    def test_a_prompt_has_the_statement(self):
        roles = [message["role"] for message in chat(STATEMENT)]
        self.assertEqual(roles, ["system", "user"])
        self.assertIn(STATEMENT.strip(), chat(STATEMENT)[1]["content"])


@dataclasses.dataclass
class FunctionTool:
    """As verl calls it."""

    name: str
    fn: typing.Callable
    tool_schema: object
    is_async: bool = False

    async def call(self, parameters):
        return await (self.fn(**parameters) if self.is_async else asyncio.to_thread(self.fn, **parameters))


class ToolAgentLoop:
    def __init__(self, tools):
        self.tools = {tool.name: tool for tool in tools}


def without_verl():
    """Stands for what examples/verl/lean_agent.py imports; engines_test.py has the real one."""
    content = {"transformers.utils": {"get_json_schema": lambda method: method.__name__},
               "verl.experimental.agent_loop.agent_loop": {"ToolListWrap": list},
               "verl.experimental.agent_loop.tool_agent_loop": {"AgentState": None, "ToolAgentLoop": ToolAgentLoop},
               "verl.tools.function_tool": {"FunctionTool": FunctionTool},
               "verl.tools.schemas": {"OpenAIFunctionToolSchema": unittest.mock.Mock(model_validate=lambda schema: schema)}}
    modules = {}
    for path, names in content.items():
        parts = path.split(".")
        modules.update({name: types.ModuleType(name) for name in (".".join(parts[:i]) for i in range(1, len(parts) + 1))})
        vars(modules[path]).update(names)
    return unittest.mock.patch.dict(sys.modules, modules)


class ForVerl(PythonTest):
    EXAMPLE = ROOT / "examples/verl"

    def test_the_calls_of_one_turn_follow_each_other(self):
        both = threading.Barrier(2)
        checked = []

        def check(_, snippets, **__):
            checked.extend(snippets)
            try:
                both.wait(0.5)  # only calls that are made at once meet here
            except threading.BrokenBarrierError:
                pass
            return [ACCEPTED]

        async def turn(tools):
            return await asyncio.gather(tools["verify_lean"].call({"code": LEMMA}), tools["verify_lean"].call({"code": PROOF}))

        with without_verl(), unittest.mock.patch.object(sys, "path", [str(self.EXAMPLE), *sys.path]), \
                unittest.mock.patch("zermelo.client.Client.check", check), \
                unittest.mock.patch("zermelo.client.Client.rewards", return_value=Rewards((1.0,), ("accepted",), ((),), {})):
            loop = importlib.import_module("lean_agent").LeanAgentLoop()
            loop.environment.reset(STATEMENT)
            answers = asyncio.run(turn(loop.tools))
        self.assertIn("Lean accepts mine", answers[0])
        self.assertEqual(answers[1], "t is proved. You have finished.")
        self.assertIn(LEMMA, checked[1])
        self.assertEqual([tool.tool_schema for tool in loop.tools.values()], ["verify_lean", "premise_search"])

    def test_what_is_not_judged_counts_as_a_failure(self):
        for config, loops in (("grpo.yaml", "agent_loops.yaml"), ("vapo.yaml", "agent_loops_vapo.yaml")):
            unjudged = re.search(r"oc\.env:ZERMELO_UNJUDGED,'(.+)'", (self.EXAMPLE / config).read_text(encoding="utf-8"))
            failure = re.search(r"failure: (.+)", (self.EXAMPLE / loops).read_text(encoding="utf-8"))
            self.assertEqual(unjudged and unjudged[1], failure[1], config)


class Support(PythonTest):
    def test_a_test_sees_the_callers_variables_but_not_those_of_zermelo(self):
        with unittest.mock.patch.dict(os.environ, CALLERS="kept", ZERMELO_URL="http://elsewhere"):
            inner = PythonTest()
            inner.setUp()
            self.addCleanup(inner.doCleanups)
            self.assertEqual((os.environ.get("CALLERS"), os.environ.get("ZERMELO_URL")), ("kept", None))
