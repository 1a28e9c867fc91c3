#!/usr/bin/env python3
"""The manifests in examples/kubernetes against the schemas of Kubernetes, and against `zermelo serve` itself."""
import subprocess
import sys
import unittest

from testing.pypi import run_with
from testing.zermelo import ROOT, ZermeloTest

if __name__ == "__main__":
    run_with("kubernetes", "kubernetes-validate==1.37.0")

import yaml  # noqa: E402

MANIFESTS = sorted((ROOT / "examples/kubernetes").glob("*.yaml"))


class Manifests(ZermeloTest):
    def test_they_are_valid(self):
        for file in MANIFESTS:
            with self.subTest(file=file.name):
                done = subprocess.run([sys.executable, "-m", "kubernetes_validate", "--strict", file],
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_options_exist(self):
        commands = [container["command"] for file in MANIFESTS
                    for document in yaml.safe_load_all(file.read_text(encoding="utf-8"))
                    if "template" in document["spec"]
                    for container in document["spec"]["template"]["spec"]["containers"]
                    if container["command"][0] == "zermelo"]
        self.assertTrue(commands)
        for _, verb, *words in commands:
            known = self.zermelo(verb, "--help").out
            for word in words:
                if word.startswith("--"):
                    self.assertIn(word + " ", known)


if __name__ == "__main__":
    unittest.main(verbosity=2)
