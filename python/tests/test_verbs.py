"""`check`, `check_against` and `prove` with the built program and real Lean."""
import pathlib

from support import PythonTest

import zermelo

OPEN = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n\ntheorem u (n : Nat) : n < 3 := by\n  sorry\n"


class Check(PythonTest):
    def test_messages_name_their_theorems(self):
        report = zermelo.check("theorem t : 1 = 2 := by decide\ntheorem u : True := by sorry\n#check x\n")
        self.assertFalse(report.clean)
        self.assertEqual([(m.kind, m.line, m.theorem) for m in report.messages],
                         [("error", 1, "t"), ("sorry", 2, "u"), ("error", 3, None)])
        self.assertEqual((len(report.errors), len(report.sorries), report.warnings), (2, 1, ()))
        self.assertEqual((report.lean.kind, report.raw["clean"]), ("embedded", False))

    def test_a_file_is_a_path_and_a_text_is_a_str(self):
        self.write("A file.lean", "theorem t : 1 = 1 := rfl\n")
        self.assertTrue(zermelo.check(pathlib.Path("A file.lean")).clean)
        error = self.raised(zermelo.UsageError, zermelo.check, "Basic.lean")
        self.assertEqual(error.hint, "pass pathlib.Path('Basic.lean') to check the file")
        self.assertTrue(zermelo.check("#check Nat\nopen Lean").clean)

    def test_what_is_no_file_is_a_usage_error(self):
        error = self.raised(zermelo.UsageError, zermelo.check, pathlib.Path("missing.lean"))
        self.assertIn("missing.lean", error.message)
        self.assertEqual(error.exit_code, 2)

    def test_options_pass_through_and_unknown_ones_are_errors(self):
        text = "theorem t (p q : Prop) (h : p) (unused : q) : p := by\n  exact h\n"
        self.assertTrue(zermelo.check(text).clean)
        self.assertFalse(zermelo.check(text, options=["--wfail"]).clean)
        self.assertIn("--wfial", self.raised(zermelo.UsageError, zermelo.check, text, options=["--wfial"]).message)

    def test_a_text_of_a_project_is_checked_in_its_folder_and_leaves_nothing(self):
        project = self.folder / "project"
        for folder in ("project", "project/.lake"):
            (self.folder / folder).mkdir()
            report = zermelo.check("theorem t : 1 = 1 := rfl", project=project)
            self.assertTrue(pathlib.Path(report.raw["files"][0]["file"]).is_relative_to(self.folder / folder))
            self.assertEqual([p for p in project.rglob("*") if p.name != ".lake"], [])
        self.raised(zermelo.UsageError, zermelo.check, "theorem t : 1 = 1 := rfl", project="nowhere")

    def test_a_lean_that_is_not_there_is_said(self):
        error = self.raised(zermelo.ZermeloError, zermelo.check, "theorem t : 1 = 1 := rfl", lean="/nonexistent")
        self.assertIn("/nonexistent", error.message)
        self.assertIn("--lean", error.hint)


class Against(PythonTest):
    def test_a_proof_of_something_easier_is_rejected_with_the_reason(self):
        self.write("open.lean", OPEN)
        easier = OPEN.replace("n < 3", "n < n + 3").replace("sorry", "omega")
        self.write("candidate.lean", easier)
        verdict = zermelo.check_against("candidate.lean", "open.lean")
        self.assertFalse(verdict.accepted)
        self.assertEqual([(t.name, t.accepted) for t in verdict.theorems], [("t", True), ("u", False)])
        self.assertTrue(verdict.theorems[1].reasons[0].message)
        self.assertEqual([(k.name, k.verdict, k.reason) for k in verdict.kernels],
                         [("zermelo", "accepted", None)])


class Prove(PythonTest):
    def test_theorems_are_proved_into_another_file_and_what_is_not_keeps_its_sorry(self):
        path = self.write("Open.lean", OPEN)
        report = zermelo.prove(path, time=8)
        self.assertEqual((report.file, report.output), (path, self.folder / "Open.proved.lean"))
        self.assertEqual([(t.name, t.line, t.status) for t in report.theorems],
                         [("t", 2, "proved"), ("u", 5, "unproved")])
        self.assertTrue(report["t"].proof and report["u"].proof is None)
        self.assertFalse(report.all_proved)
        self.assertEqual(path.read_text(), OPEN)
        self.assertEqual(report.output.read_text().count("sorry"), 1)
        with self.assertRaises(KeyError):
            report["v"]

    def test_out_in_place_and_theorems(self):
        path = self.write("-Open.lean", OPEN)
        report = zermelo.prove("-Open.lean", theorems=["t"], out="-Out.lean", workers=1)
        self.assertTrue(report.all_proved)
        self.assertEqual([t.name for t in report.theorems], ["t"])
        self.assertIn("sorry", (self.folder / "-Out.lean").read_text())
        report = zermelo.prove(path, theorems=["t"], in_place=True, workers=1)
        self.assertEqual((report.output, path.read_text().count("sorry")), (path, 1))
        self.raised(zermelo.UsageError, zermelo.prove, path, in_place=True, out="x.lean")

    def test_a_model_that_is_not_configured_is_a_usage_error_with_a_hint(self):
        self.write("Open.lean", OPEN)
        error = self.raised(zermelo.UsageError, zermelo.prove, "Open.lean", models=["nope"])
        self.assertEqual(error.message, "no model is configured")
        self.assertTrue(error.hint)
