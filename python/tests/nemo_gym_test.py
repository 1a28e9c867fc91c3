#!/usr/bin/env python3
"""Rows of `zermelo.nemo_gym` under the real NeMo Gym from PyPI: its Lean server reads them, puts model answers into files and
has the real `zermelo serve` check these. NeMo Gym needs Python 3.12."""
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

if __name__ == "__main__" and "ZERMELO_IN_VENV" not in os.environ:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/e2e"))
    from testing.pypi import newer_python, run_with
    run_with("nemo-gym", "nemo-gym==0.4.0", limit=600, python=newer_python((3, 12)))

from nemo_gym.openai_utils import (  # noqa: E402
    NeMoGymResponse,
    NeMoGymResponseOutputMessage,
    NeMoGymResponseOutputText,
)
from nemo_gym.server_utils import ServerClient  # noqa: E402
from resources_servers.math_formal_lean import app  # noqa: E402

from support import EMBEDDED, PROGRAM, PythonTest, clean_environment, wait_until  # noqa: E402
from zermelo import nemo_gym  # noqa: E402

PROMPT = {"prompt": "Complete:\n", "source": {"kind": "rl"}, "theorem": {
    "name": "t", "header": "def two := 2\n\n", "statement": "theorem t (a : Nat) : two * a = a + a := by"}}


def response(text):
    """What a model answers, as NeMo Gym's agents pass it on."""
    content = [NeMoGymResponseOutputText(type="output_text", text=text, annotations=[])]
    message = NeMoGymResponseOutputMessage(id="1", role="assistant", type="message", content=content)
    return NeMoGymResponse(id="1", created_at=0.0, model="m", object="response", output=[message],
                           parallel_tool_calls=False, tool_choice="none", tools=[])


class Gym(PythonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        log = tempfile.NamedTemporaryFile(mode="w+", encoding="utf-8")
        cls.addClassCleanup(log.close)
        # Its client sends no key.
        server = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--workers", "1", "--quiet"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=log, env=clean_environment(ZERMELO_EMBEDDED=EMBEDDED))

        def end():
            server.terminate()
            server.wait(60)
        cls.addClassCleanup(end)

        def port():
            text = pathlib.Path(log.name).read_text(encoding="utf-8")
            return text.partition("listening on http://127.0.0.1:")[2].split()[:1]
        cls.port = int(wait_until(port, 150, "a server that listens")[0].rstrip("/"))

    def verify(self, row, answer):
        config = app.MathFormalLeanResourcesServerConfig(host="127.0.0.1", port=1, entrypoint="", name="lean",
                                                         sandbox_host="127.0.0.1", sandbox_port=self.port)
        server = app.MathFormalLeanResourcesServer(config=config, server_client=unittest.mock.MagicMock(spec=ServerClient))
        return asyncio.run(server.verify(app.MathFormalLeanVerifyRequest(**row, response=response(answer))))

    def test_zermelo_judges_what_models_answer_to_its_rows(self):
        lines = self.write("rl.jsonl", json.dumps(PROMPT) + "\n")
        out = self.folder / "gym.jsonl"
        self.assertEqual(nemo_gym.main([str(lines), str(out)]), 0)
        whole, = (json.loads(line) for line in out.read_text(encoding="utf-8").splitlines())
        restated = f"```lean4\n{PROMPT['theorem']['statement']}\n  unfold two\n  omega\n```"
        right = self.verify(whole, restated)
        self.assertEqual((right.reward, right.proof_status), (1.0, "completed"), right)
        for wrong in ("```lean4\n  omega\n```", "```lean4\n  sorry\n```"):
            judged = self.verify(whole, wrong)
            self.assertEqual(judged.reward, 0.0, judged)


if __name__ == "__main__":
    unittest.main(verbosity=2)
