#!/usr/bin/env python3
"""`zermelo eval corelib` and `library`: problems from modules of the real embedded Lean."""
import json

from testing.zermelo import ZermeloTest, main

MODULE = "Init.ByCases"
EASY = "ite_id"  # a theorem of it


class LibraryProblems(ZermeloTest):
    @classmethod
    def evaluate(cls, *arguments):
        return cls.zermelo("eval", *arguments, limit=400, env={"ZERMELO_CACHE": cls.folder / "cache"})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_of_module = cls.evaluate(f"corelib:{MODULE}", "--filter", f"^{EASY}$", "--budget", "60s", "--out", "run",
                                         "--json")
        text = (cls.folder / "run/eval.json").read_text(encoding="utf-8")
        cls.problem = json.loads(text)["problems"][0]

    def checked(self, name, text):
        return self.zermelo("check", self.write(name, self.problem["header"] + text))

    def test_a_theorem_is_proved_with_what_its_module_imports(self):
        run = self.run_of_module
        self.assertEqual(run.code, 0, run)
        self.assertIn(f"1/1 generating problems from {MODULE}", run.err)
        self.assertIn("6 of 7 theorems in 1 module are problems; deprecated: 1", run.err)
        self.assertEqual((run.json["problems"], run.json["invalid"], run.json["solved"]), (1, 0, 1), run)
        self.assertEqual(self.problem["header"], "prelude\nimport Init.Classical\n\n")
        self.assertEqual((self.problem["theorem"], self.problem["category"]), (EASY, MODULE))
        self.assert_ends(self.zermelo("check", self.folder / f"run/proofs/{EASY}.lean"), 0)

    def test_neither_the_theorem_nor_what_comes_after_it_is_there(self):
        by_itself = self.problem["statement"].replace("sorry", f"exact {EASY} t")
        self.assert_ends(self.checked("itself.lean", by_itself + "\n"), 1, "fail to show termination")
        for name in (EASY, "if_true", "List.map_map"):
            run = self.checked("uses.lean", f"theorem x : True := by\n  have := @{name}\n  trivial\n")
            self.assert_ends(run, 1, name)
            self.assertRegex(run.err, "(?i)unknown (identifier|constant)")

    def test_problems_are_made_once(self):
        again = self.evaluate(f"corelib:{MODULE}", "--dry-run", "--json")
        self.assertEqual(again.code, 0, again)
        self.assertNotIn("generating problems", again.err)
        self.assertGreater(again.json["problems"], 3)
        self.assertEqual(again.json["invalid"], 0)

    def test_problems_are_written_as_a_benchmark(self):
        run = self.evaluate(f"corelib:{MODULE}", "--split", "train", "--filter", f"^{EASY}$", "--write-problems", "set.jsonl")
        self.assert_ends(run, 0, "1 problem of corelib")
        row = json.loads((self.folder / "set.jsonl").read_text(encoding="utf-8"))
        self.assertEqual((row["name"], row["split"], row["category"]), (EASY, "train", MODULE))
        self.assertEqual((row["header"], row["formal_statement"]), (self.problem["header"], self.problem["statement"]))
        run = self.evaluate("set.jsonl", "--write-problems", "again.jsonl", "--quiet")
        self.assertEqual(run.code, 0, run)
        self.assertEqual((self.folder / "again.jsonl").read_bytes(), (self.folder / "set.jsonl").read_bytes())

    def test_several_modules_and_one_that_imports_private_parts(self):
        run = self.evaluate("library:Init.Data.Nat.Compare", "--dry-run", "--json")
        self.assertEqual(run.code, 0, run)
        self.assertGreater(run.json["problems"], 3)
        self.assertEqual({p["category"] for p in run.json["list"]}, {"Init.Data.Nat.Compare (import all)"})
        self.assertTrue(any("import all" in note for note in run.json["notes"]))

    def test_what_is_not_there_is_a_usage_error(self):
        self.assert_ends(self.evaluate("corelib:Init.Nowhere"), 2, "no compiled module below Init.Nowhere")
        self.assert_ends(self.evaluate("library:"), 2, "names no modules")


if __name__ == "__main__":
    main()
