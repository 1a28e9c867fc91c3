#!/usr/bin/env python3
"""Runs examples/quickstart.lean, the first file that a new user tries: ten theorems within a minute."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "e2e"))

from testing.zermelo import ROOT, ZermeloTest, main  # noqa: E402


class Quickstart(ZermeloTest):
    def test_all_ten_theorems_are_proved(self):
        text = (ROOT / "examples/quickstart.lean").read_text(encoding="utf-8")
        self.write("quickstart.lean", text)
        run = self.zermelo("prove", "quickstart.lean", "--json", limit=600)
        self.assert_ends(run, 0, "10 of 10 proved")
        self.assertEqual(len(run.json["theorems"]), 10)
        for theorem in run.json["theorems"]:
            self.assertEqual([(k["kernel"], k["verdict"]) for k in theorem["kernels"]], [("zermelo", "accepted")], theorem)
        output = (self.folder / "quickstart.proved.lean").read_text(encoding="utf-8")
        self.assertNotIn("sorry", output)
        self.assert_ends(self.zermelo("check", "quickstart.proved.lean"), 0)


if __name__ == "__main__":
    main()
