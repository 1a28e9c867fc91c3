#!/usr/bin/env python3
"""The taskset for prime-rl's `verifiers`, with the real package from PyPI, the real server and real Lean."""
import asyncio
import json
import os
import pathlib
import sys
import unittest

if __name__ == "__main__" and "ZERMELO_IN_VENV" not in os.environ:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/e2e"))
    from testing.pypi import run_with
    run_with("verifiers", "verifiers==0.4.0")

import verifiers.v1 as vf  # noqa: E402
from verifiers.v1.utils.loaders import taskset_class  # noqa: E402

from support import ServerTest  # noqa: E402

STATEMENT = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
FALSE = "-- DO NOT MODIFY the theorem statement below.\ntheorem one : 1 + 1 = 3 := by\n  sorry\n"


def fenced(code):
    return f"Here it is.\n```lean4\n{code}```"


class Verifiers(ServerTest):
    arguments = ("--opaque-reasons",)

    def setUp(self):
        super().setUp()
        os.environ.update(ZERMELO_URL=self.url, ZERMELO_API_KEY="secret")

    def tasks(self, *rows):
        problems = self.write("problems.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        taskset = taskset_class("zermelo-lean")  # as vf-eval finds it
        return list(taskset(taskset.__orig_bases__[0].__args__[1](id="zermelo-lean", problems=problems)))

    @staticmethod
    def score(task, reply):
        """The rewards of a rollout that ended with this reply, as the package computes them."""
        trace = vf.Trace(task=vf.TraceTask(type=type(task).__name__, data=task.data),
                         agent=vf.AgentInfo(config=vf.AgentConfig()), root_reply=reply)
        asyncio.run(task.score(trace))
        return {name: reward.value if isinstance(reward, vf.Reward) else reward
                for name, reward in trace.rewards.items()}

    def test_a_proof_is_rewarded_and_nothing_else(self):
        task, = self.tasks({"statement": STATEMENT, "name": "comm"})
        self.assertEqual((task.data.name, task.data.idx), ("comm", 0))
        self.assertIn(STATEMENT.strip(), task.data.prompt)
        self.assertEqual(self.score(task, fenced(STATEMENT.replace("sorry", "omega"))), {"proved": 1.0})
        self.assertEqual(self.score(task, fenced(STATEMENT)), {"proved": 0.0})
        self.assertEqual(self.score(task, "I give up."), {"proved": 0.0})

    def test_an_injected_axiom_earns_nothing(self):
        """PrimeIntellect-ai/verifiers#2177."""
        task, = self.tasks({"statement": FALSE})
        self.assertEqual(self.score(task, fenced("axiom cheat : False\n" + FALSE.replace("sorry", "exact cheat.elim"))),
                         {"proved": 0.0})

    def test_a_macro_that_rewrites_the_statement_earns_nothing(self):
        """harbor-framework/terminal-bench#1857."""
        task, = self.tasks({"statement": FALSE})
        macro = "macro_rules | `($_a = $_b) => `(True)\n"
        self.assertEqual(self.score(task, fenced(macro + FALSE.replace("sorry", "trivial"))), {"proved": 0.0})

    def test_rows_of_export_rl_are_read(self):
        header, statement = STATEMENT[:0], STATEMENT.removesuffix("\n  sorry\n")
        task, = self.tasks({"prompt": "Prove it.", "pass_rate": None, "source": {},
                            "theorem": {"name": "t", "header": header, "statement": statement}})
        self.assertEqual((task.data.statement, task.data.prompt, task.data.name), (STATEMENT, "Prove it.", "t"))

    def test_a_server_that_does_not_answer_is_an_error_and_no_reward(self):
        os.environ["ZERMELO_URL"] = "http://127.0.0.1:9"
        task, = self.tasks({"statement": STATEMENT})
        with self.assertRaisesRegex(vf.TaskError, "no answer from"):
            self.score(task, fenced(STATEMENT))


if __name__ == "__main__":
    unittest.main(verbosity=2)
