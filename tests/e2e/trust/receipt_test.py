#!/usr/bin/env python3
"""Receipts of verdicts, runs and evaluations, and `zermelo recheck`."""
import hashlib
import json
import unittest

from testing.zermelo import ROOT, ZermeloTest, main

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = json.loads((ROOT / "docs/receipt.schema.json").read_text(encoding="utf-8"))
OPEN = "theorem sum (a b : Nat) : a + b = b + a := by\n  sorry\n"
PROOF = "theorem sum (a b : Nat) : a + b = b + a := by\n  omega\n"


class ReceiptTest(ZermeloTest):
    def read(self, name):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def validate(self, receipt):
        if jsonschema is None:
            raise unittest.SkipTest("the Python package jsonschema is not installed")
        jsonschema.validate(receipt, SCHEMA)


class OfChecks(ReceiptTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("Open.lean", OPEN)
        cls.write("Proof.lean", PROOF)
        cls.checked = cls.zermelo("check", "Proof.lean", "--against", "Open.lean", "--receipt", "receipt.json")

    def test_a_receipt_has_what_is_needed_to_judge_again(self):
        self.assertEqual(self.checked.code, 0, self.checked)
        receipt = self.read("receipt.json")
        self.assertEqual(receipt["outcome"], "accepted")
        self.assertEqual(receipt["statement"]["sha256"], hashlib.sha256(OPEN.encode()).hexdigest())
        self.assertEqual(receipt["proof"]["sha256"], hashlib.sha256(PROOF.encode()).hexdigest())
        self.assertEqual([k["kernel"] for k in receipt["kernels"]], ["zermelo"])
        self.assertIsNone(receipt["project"])  # receipt_test.cc has one
        self.assertEqual(len(receipt["imports"]["sha256"]), 64)

    def test_a_receipt_says_what_of_the_imports_was_checked(self):
        run = self.zermelo("check", "Proof.lean", "--against", "Open.lean", "--kernel", "all", "--receipt", "all.json",
                           limit=300)
        self.assert_ends(run, 0, "imported modules", "checked: Zermelo's kernel accepted")
        receipt = self.read("all.json")
        checked = receipt["imports"]["checked"]
        self.assertEqual((receipt["rules"]["kernel"], checked["verdict"]), ("all", "declined"))  # only public parts
        self.assertGreater(checked["declarations"], 10_000)
        self.assertGreater(checked["hidden"], 1_000)
        self.assertIn("propext", checked["axioms"])
        self.validate(receipt)

    def test_receipts_match_their_schema(self):
        receipt = self.read("receipt.json")
        self.validate(receipt)
        for field in receipt:
            with self.subTest(field), self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate({k: v for k, v in receipt.items() if k != field}, SCHEMA)

    def test_recheck_judges_again_and_says_what_changed(self):
        run = self.zermelo("recheck", "receipt.json", "--json")
        self.assertEqual(run.code, 0, run)
        entry, = run.json["receipts"]
        self.assertEqual((entry["before"], entry["outcome"], entry["changes"]), ("accepted", "accepted", []))
        self.assertIn("nothing changed", run.err)
        older = self.read("receipt.json")
        # As before receipts named only kernels that judged.
        older["kernels"].insert(0, {"kernel": "lean", "verdict": "accepted", "version": older["lean"]["version"]})
        self.write("older.json", json.dumps(older))
        run = self.zermelo("recheck", "older.json", "--json")
        self.assertEqual((run.code, run.json["receipts"][0]["changes"]), (0, []), run)
        older["kernels"][1]["verdict"] = "declined"
        older["lean"]["version"] = "4.9.0"
        self.write("older.json", json.dumps(older))
        run = self.zermelo("recheck", "older.json", "--json")
        self.assertEqual(run.code, 0, run)
        self.assertEqual([c["what"] for c in run.json["receipts"][0]["changes"]], ["kernels", "lean"])

    def test_recheck_rejects_what_a_receipt_only_claims(self):
        claim = self.read("receipt.json")
        bad = PROOF.replace("omega", "simp")
        claim["proof"] = {"text": bad, "sha256": hashlib.sha256(bad.encode()).hexdigest()}
        self.write("claim.json", json.dumps(claim))
        run = self.zermelo("recheck", "claim.json", "--json")
        self.assertEqual((run.code, run.json["receipts"][0]["outcome"]), (1, "rejected"), run)
        self.validate(run.json["receipts"][0]["now"])

    def test_a_changed_text_and_other_files_are_no_receipts(self):
        forged = self.read("receipt.json")
        forged["proof"]["text"] += "-- more"
        self.write("forged.json", json.dumps(forged))
        run = self.zermelo("recheck", "forged.json")
        self.assertEqual(run.code, 2, run)
        self.assertIn("another hash", run.err)
        self.assertEqual(self.zermelo("recheck", "Open.lean").code, 2)
        self.write("deep.json", '{"receipt": 1, "reasons": ' + "[" * 200_000 + "]" * 200_000 + "}")
        run = self.zermelo("recheck", "deep.json")
        self.assertEqual((run.code, "deep.json:1: this is JSON that is nested more than 64 deep" in run.err), (2, True), run)
        self.assertEqual(self.zermelo("recheck", "receipt.json", "--lean", "/bin/false").code, 3)

    def test_folders_have_a_receipt_for_each_file(self):
        self.write("problems/a/One.lean", OPEN)
        self.write("answers/a/One.lean", OPEN)
        run = self.zermelo("check", "answers", "--against", "problems", "--receipt", "receipts")
        self.assertEqual(run.code, 1, run)
        self.assertEqual(self.read("receipts/a/One.json")["outcome"], "open")


class OfRunsAndEvaluations(ReceiptTest):
    def test_what_a_run_proved_can_be_judged_again(self):
        self.write("Open.lean", OPEN + "\ntheorem never (n : Nat) : n < 3 := by\n  sorry\n")
        run = self.zermelo("prove", "Open.lean", "--time", "8s", "--receipt", "run.json", "--json", "--no-premises")
        self.assertEqual(run.code, 1, run)
        receipt = self.read("run.json")
        self.assertEqual((receipt["targets"], receipt["outcome"]), (["sum"], "accepted"))
        self.validate(receipt)
        again = self.zermelo("recheck", run.json["run"]["id"], "--json")
        self.assertEqual(again.code, 0, again)
        self.assertEqual(again.json["receipts"][0]["changes"], [])
        missing = self.zermelo("recheck", "99")
        self.assertEqual(missing.code, 2, missing)

    def test_every_proof_of_an_evaluation_can_be_judged_again(self):
        rows = [{"name": n, "header": "", "formal_statement": s} for n, s in (
            ("sum", "theorem sum (a b : Nat) : a + b = b + a := by"), ("never", "theorem never (n : Nat) : n < 3 := by"))]
        self.write("set.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        run = self.zermelo("eval", "set.jsonl", "--budget", "8s", "--out", "done", "--jobs", "1")
        self.assertEqual(run.code, 0, run)
        names = sorted(path.name for path in (self.folder / "done/receipts").iterdir())
        self.assertEqual(names, ["sum.json"])
        again = self.zermelo("recheck", "done", "--json")
        self.assertEqual(again.code, 0, again)
        self.assertEqual(again.json["receipts"][0]["outcome"], "accepted")


if __name__ == "__main__":
    main()
