#!/usr/bin/env python3
"""`zermelo doctor`: what was found, and what to do about it."""
from zermelo import ZermeloTest, main

SUBJECTS = {"Lean", "Lean works", "packages", "cores", "memory", "Lean's sandbox", "sandbox: files",
            "sandbox: network"}


class Doctor(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.as_json = cls.zermelo("doctor", "--json")

    def test_people_read_what_was_found(self):
        run = self.zermelo("doctor")
        self.assert_ends(run, 0)
        for subject in SUBJECTS:
            self.assertRegex(run.out, f"(?m)^[✓!✗] {subject} ")
        self.assertIn("(embedded)", run.out)
        self.assertIn("proves 2 + 2 = 4 and refuses 2 + 2 = 5", run.out)

    def test_programs_read_the_same(self):
        run = self.as_json
        self.assert_ends(run, 0)
        self.assertEqual(run.out.count("\n"), 1)
        report = run.json
        self.assertEqual(report["lean"]["kind"], "embedded")
        self.assertTrue(report["lean"]["path"].endswith("/embedded/bin/lean"))
        self.assertLessEqual(SUBJECTS, {f["subject"] for f in report["findings"]})
        for finding in report["findings"]:
            self.assertEqual(set(finding), {"subject", "level", "found", "advice"})
            self.assertIn(finding["level"], ("ok", "warning", "problem"))
            if finding["level"] != "ok":
                self.assertTrue(finding["advice"], finding)

    def test_an_old_kernel_is_warned_of(self):
        problems = [f for f in self.as_json.json["findings"] if f["subject"] == "known problem"]
        self.assertTrue(problems)
        for problem in problems:
            self.assertIn("4.33.1", problem["advice"])


if __name__ == "__main__":
    main()
