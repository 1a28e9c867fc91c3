#!/usr/bin/env python3
"""`zermelo doctor`: its findings and its advice."""
import shlex

from testing.zermelo import EMBEDDED, LEAN, ZermeloTest, main

SUBJECTS = {"Lean", "Lean works", "version", "packages", "cores", "memory", "Lean's sandbox", "sandbox: files",
            "sandbox: network"}


class Doctor(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.as_json = cls.zermelo("doctor", "--json")

    def test_findings_are_printed_for_people(self):
        run = self.zermelo("doctor")
        self.assert_ends(run, 0)
        for subject in SUBJECTS:
            self.assertRegex(run.out, f"(?m)^[✓!✗] {subject} ")
        self.assertIn("(embedded)", run.out)
        self.assertIn("proves 2 + 2 = 4 and rejects 2 + 2 = 5", run.out)

    def test_json_has_the_same_findings(self):
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

    def test_what_is_used_of_this_version_is_listed_with_sources(self):
        """docs/versions.md"""
        used = {entry["name"]: entry for entry in self.as_json.json["lean"]["interfaces"]}
        self.assertTrue(used["$/lean/plainGoal"]["run"])
        self.assertFalse(used["leanchecker"]["run"])
        self.assertNotIn(".olean, version 3", used)
        self.assertTrue(all(entry["source"] for entry in used.values()))

    def test_a_version_that_was_never_run_is_called_so(self):
        """docs/versions.md and ADR 22, with an embedded Lean that says that it is a later one."""
        version = "Lean (version 4.33.0, x86_64-unknown-linux-gnu, commit 0123456789abcdef0123456789abcdef01234567, Release)"
        lean = self.write("lean", f"#!/bin/sh\nif [ \"$1\" = --version ]; then echo '{version}'; exit; fi\n"
                                  f"exec {shlex.quote(str(LEAN))} \"$@\"\n")
        lean.chmod(0o755)
        run = self.zermelo("doctor", "--json", "--lean", lean)
        self.assert_ends(run, 0)
        finding, = (f for f in run.json["findings"] if f["subject"] == "version")
        self.assertIn("4.33.0: not run by Zermelo's tests", finding["found"])
        used = {entry["name"]: entry for entry in run.json["lean"]["interfaces"]}
        saved = used["lean --incr-header-save, --incr-load"]
        self.assertEqual((saved["run"], saved["use"].partition(",")[0]),
                         (False, "verdicts load imports that are needed often"))
        self.assertIn(".olean, version 3", used)

    def test_an_old_kernel_gets_a_warning(self):
        problems = [f for f in self.as_json.json["findings"] if f["subject"] == "known problem"]
        self.assertTrue(problems)
        for problem in problems:
            self.assertIn("4.34.1", problem["advice"])

    def test_launchers_of_a_project_run_only_when_the_user_names_the_file(self):
        ran = self.folder / "ran"
        config = self.write("foreign/zermelo.toml", f'[[workers]]\nlaunch = ["touch", "{ran}"]\n')
        self.write("foreign/Easy.lean", "theorem easy (n : Nat) : n + 0 = n := by sorry\n")
        run = self.zermelo("doctor", "--json", cwd=config.parent)
        warning, = (f for f in run.json["findings"] if f["subject"] == "workers")
        self.assertEqual((warning["level"], f"--config {config}" in warning["found"]), ("warning", True), warning)
        run = self.zermelo("prove", "Easy.lean", "--workers", "1", cwd=config.parent)
        self.assertEqual((run.code, run.err.count("warning: the [[workers]] of ")), (0, 1), run)
        self.assertFalse(ran.exists())
        run = self.zermelo("doctor", "--json", "--config", config, cwd=config.parent)
        self.assertEqual([f["level"] for f in run.json["findings"] if "worker" in f["subject"]], ["problem"], run)
        self.assertTrue(ran.exists())

    def test_a_bad_configuration_is_one_finding_among_the_others(self):
        self.write("bad/zermelo.toml", '[models.m]\nendpoint = "http://127.0.0.1:9/v1"\nwieght = 2\n')
        run = self.zermelo("doctor", "--json", cwd=self.folder / "bad")
        self.assert_ends(run, 3)
        findings = run.json["findings"]
        self.assertLessEqual(SUBJECTS, {f["subject"] for f in findings})
        self.assertEqual([f["subject"] for f in findings if f["level"] == "problem"], ["configuration"])
        bad, = (f for f in findings if f["subject"] == "configuration")
        self.assertIn("zermelo.toml:3: ", bad["found"])
        self.assertIn("did you mean `weight`?", bad["advice"])


class States(ZermeloTest):
    """`doctor --states`, with a cache of its own."""

    def doctor(self, *arguments, code, limit=400):
        run = self.zermelo("doctor", "--json", *arguments, env={"ZERMELO_CACHE": self.folder / "cache"}, limit=limit)
        self.assert_ends(run, code)
        return run.json, next(f for f in run.json["findings"] if f["subject"] == "state server")

    def test_the_state_server_agrees_with_workers_on_the_embedded_lean(self):
        report, finding = self.doctor(code=0)
        self.assertEqual(finding["level"], "ok")
        self.assertNotIn("states", report)
        report, finding = self.doctor("--states", code=0)
        self.assertEqual((report["states"]["differences"], finding["level"]), ([], "ok"), report["states"])
        self.assertGreaterEqual(report["states"]["probes"], 200)
        self.assertTrue(report["states"]["kept"])
        _, finding = self.doctor(code=0)
        self.assertIn(f"agreed with Lean's workers on {report['states']['probes']} tactics", finding["found"])

    def test_a_lean_that_cannot_run_it_is_named_and_remembered(self):
        lean = self.write("lean", f'#!/bin/sh\n[ "$1" = --run ] && exit 9\nexec "{EMBEDDED}/bin/lean" "$@"\n')
        lean.chmod(0o755)
        report, finding = self.doctor("--states", "--lean", lean, "--no-sandbox", code=3)
        self.assertEqual((report["states"]["probes"], finding["level"]), (0, "problem"))
        self.assertIn("cannot keep proof states", finding["found"])
        _, finding = self.doctor("--lean", lean, "--no-sandbox", code=0)
        self.assertEqual((finding["level"], finding["found"]), ("warning", "could not be used with this Lean"))


if __name__ == "__main__":
    main()
