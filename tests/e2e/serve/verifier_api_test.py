#!/usr/bin/env python3
"""The examples of docs/verifier-api.md behave as documented."""
import json
import re
import subprocess
import urllib.parse

from testing.server import ServerTest
from testing.zermelo import ROOT, main

DOCUMENT = (ROOT / "docs/verifier-api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```sh\n(.*?)^```\n(?:```json\n(.*?)^```\n)?", DOCUMENT, re.MULTILINE | re.DOTALL)
MEASURED = ("time", "lean_seconds")  # differ from run to run


class Document(ServerTest):
    env = {"ZERMELO_API_KEY": "secret"}

    def run_example(self, command):
        place = urllib.parse.urlsplit(self.url).netloc
        done = subprocess.run(["sh", "-c", command.replace("localhost:8000", place)], capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def assert_like(self, got, shown, where="answer"):
        """Equal, except for measured values and parts that the document replaces with an ellipsis."""
        if shown == "…":
            self.assertTrue(got, where)
        elif isinstance(shown, dict):
            self.assertIsInstance(got, dict, where)
            self.assertEqual(sorted(got), sorted(shown), where)
            for key in shown:
                if key not in MEASURED:
                    self.assert_like(got[key], shown[key], f"{where}.{key}")
        elif isinstance(shown, list):
            self.assertEqual(len(got), len(shown), where)
            for i, entry in enumerate(shown):
                self.assert_like(got[i], entry, f"{where}[{i}]")
        else:
            self.assertEqual(got, shown, where)

    def test_every_interface_has_an_example(self):
        for path in ("/api/check", "/verify", "/get_reward", "/execute", "/metrics"):
            self.assertTrue(any("localhost:8000" + path + " " in command for command, _ in EXAMPLES), path)

    def test_examples_answer_as_shown(self):
        for command, shown in EXAMPLES:
            with self.subTest(command.splitlines()[0]):
                answer = self.run_example(command)
                if shown:
                    self.assert_like(json.loads(answer), json.loads(shown))

    def test_documented_metrics_exist(self):
        command = "curl -s localhost:8000/metrics -H 'Authorization: Bearer secret'"
        self.run_example(command)  # request times are there after the first request
        metrics = self.run_example(command)
        for name in set(re.findall(r"`(zermelo_\w+)", DOCUMENT)):
            self.assertRegex(metrics, rf"(?m)^{name}[ {{_]")


if __name__ == "__main__":
    main()
