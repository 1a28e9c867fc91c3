"""Prompts of `zermelo export rl` as rows for NeMo Gym. nemo_gym_test.py has NeMo Gym's own classes read them."""
import contextlib
import io
import json
import unittest

from support import PythonTest

from zermelo import nemo_gym

PROMPT = {"prompt": "Complete:\n", "pass_rate": 0.25, "samples": 8, "proved": 2, "source": {"kind": "rl"},
          "theorem": {"name": "t", "header": "import A\n\n", "statement": "theorem t : 1 = 1 := by"}}


class Rows(PythonTest):
    def written(self, rows):
        path = self.write("rl.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        out = self.folder / "gym.jsonl"
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = nemo_gym.main([str(path), str(out)])
        if code != 0:
            return code, said.getvalue()
        return code, [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]

    def test_header_statement_and_answer_make_the_file(self):
        code, (row,) = self.written([PROMPT, {**PROMPT, "prefix": "  intro x\n"}])
        self.assertEqual(code, 0)
        self.assertEqual(row, {
            "responses_create_params": {"input": [{"role": "user", "content": "Complete:\n"}]}, "header": "import A\n\n",
            "formal_statement": "theorem t : 1 = 1 := by\n", "name": "t"})

    def test_other_rows_are_refused(self):
        code, said = self.written([{"prompt": "a", "completion": "b", "source": {}}])
        self.assertEqual(code, 2)
        self.assertIn("export rl", said)
        self.assertEqual(self.written([])[0], 2)


if __name__ == "__main__":
    unittest.main()
