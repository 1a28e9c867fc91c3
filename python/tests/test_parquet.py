"""Rows of `zermelo export` as the columns that trainers read; tests/e2e/data/parquet_test.py writes real Parquet."""
import contextlib
import importlib.util
import io
import json
import unittest

from support import PythonTest

from zermelo import EnvironmentProblem, UsageError, parquet

SOURCE = {"kind": "proof", "theorem": "t", "module": "M"}
PROOF = {"prompt": "Complete:\n", "completion": "  simp\n```", "source": SOURCE}
CHAT = {"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "completion": [{"role": "assistant", "content": "a"}], "source": SOURCE}
CUT = {"segments": [{"text": "a", "loss": False}, {"text": "b", "loss": False}, {"text": "c", "loss": True}],
       "source": SOURCE}
PROMPT = {"prompt": "Complete:\n", "pass_rate": 0.25, "samples": 8, "proved": 2, "source": SOURCE,
          "theorem": {"name": "t", "header": "import A\n\n", "statement": "theorem t : 1 = 1 := by"}}


class Columns(unittest.TestCase):
    def test_prompts_have_verls_columns(self):
        made, = parquet.columns([PROMPT], "minif2f")
        self.assertEqual(set(made), {"data_source", "prompt", "ability", "reward_model", "extra_info"})
        self.assertEqual(made["prompt"], [{"role": "user", "content": "Complete:\n"}])
        self.assertEqual(made["reward_model"], {
            "style": "rule", "ground_truth": "import A\n\ntheorem t : 1 = 1 := by\n  sorry\n"})
        self.assertEqual((made["data_source"], made["extra_info"]["pass_rate"]), ("minif2f", 0.25))
        partial, = parquet.columns([{**PROMPT, "prefix": "  intro x\n"}], "minif2f")
        self.assertEqual((made["extra_info"]["prefix"], partial["extra_info"]["prefix"]), ("", "  intro x\n"))
        guided, = parquet.columns([{**PROMPT, "notes": "simp fails"}], "minif2f")
        self.assertEqual((guided["extra_info"]["words"], guided["extra_info"]["notes"]), ("", "simp fails"))

    def test_answers_are_messages_and_responses(self):
        text, chat, cut = parquet.columns([PROOF, CHAT, CUT], "zermelo")
        self.assertEqual([m["role"] for m in text["messages"]], ["user", "assistant"])
        self.assertEqual(text["response"], "  simp\n```")
        self.assertEqual([m["content"] for m in chat["messages"]], ["s", "u", "a"])
        self.assertEqual((cut["prompt"][0]["content"], cut["response"]), ("ab", "c"))

    def test_a_conversation_ends_with_the_response(self):
        turns = [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"},
                 {"role": "user", "content": "v"}, {"role": "assistant", "content": "b"}]
        made, = parquet.columns([{"messages": turns, "source": SOURCE}], "zermelo")
        self.assertEqual(made["messages"], turns)
        self.assertEqual((made["prompt"], made["response"]), (turns[:3], "b"))

    def test_native_tool_calls_have_no_text(self):
        call = {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]}
        rows = [{"messages": [{"role": "user", "content": "u"}, call], "source": SOURCE},
                {"messages": [{"role": "user", "content": "u"}], "source": SOURCE}]
        self.assertEqual(list(parquet.columns(rows, "zermelo")), [])

    def test_what_was_judged_to_be_wrong_is_left_out(self):
        rows = [{**PROOF, "label": False}, {**PROOF, "reward": -1.0}, {**PROOF, "label": True, "reward": 1.0}]
        self.assertEqual(len(list(parquet.columns(rows, "zermelo"))), 1)

    def test_a_loss_that_begins_twice_cannot_be_said(self):
        row = {"segments": [{"text": "a", "loss": True}, {"text": "b", "loss": False}], "source": SOURCE}
        self.assertEqual(list(parquet.columns([row], "zermelo")), [])


class Files(PythonTest):
    def test_a_line_that_is_no_row_is_named(self):
        path = self.write("rows.jsonl", json.dumps(PROOF) + "\n{\"a\": 1}\n")
        with self.assertRaises(UsageError) as raised:
            list(parquet.read(path))
        self.assertTrue(raised.exception.message.startswith(f"{path}:2: "))

    @unittest.skipIf(importlib.util.find_spec("pyarrow"), "pyarrow is installed")
    def test_without_pyarrow_the_error_says_what_to_install(self):
        with self.assertRaises(EnvironmentProblem) as raised:
            parquet.write([PROOF], self.folder / "rows.parquet")
        self.assertIn("zermelo[parquet]", raised.exception.hint)

    def test_a_missing_file_ends_with_code_2(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(parquet.main([str(self.folder / "none.jsonl"), "out.parquet"]), 2)
        self.assertIn("none.jsonl", said.getvalue())


if __name__ == "__main__":
    unittest.main()
