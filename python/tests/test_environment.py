"""The environment for rollouts with tools, on a real server."""
import os
import unittest.mock

from support import PythonTest, ServerTest

from zermelo import Rewards, SnippetResult
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


class OnAStub(PythonTest):
    def test_what_was_not_judged_has_no_reward(self):
        environment = LeanEnvironment()
        environment.reset(STATEMENT)
        accepted = SnippetResult("0", None, (), (), {})
        judged = Rewards((None,), ("crashed",), ((),), {})
        with unittest.mock.patch("zermelo.client.Client.check", return_value=[accepted]), \
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
