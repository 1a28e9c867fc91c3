#!/usr/bin/env python3
"""`zermelo check --against`: verdicts on files and folders, and the allowed axioms."""
from zermelo import ZermeloTest, main

OPEN = "theorem t (a b : Nat) : a + b = b + a := by\n  sorry\n"
PROVED = OPEN.replace("sorry", "omega")
GIVEN = "axiom given : 1 + 1 = 3\n\n"
CHEAT = "theorem u : 2 + 2 = 5 := by\n  sorry\n"


class TwoFolders(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("problems/deep/A.lean", "problems/B.lean", "problems/C.lean"):
            cls.write(name, OPEN)
        cls.write("problems/Broken.lean", "theorem t : 1 = := by\n  sorry\n")
        cls.write("problems/.lake/Library.lean", OPEN)
        cls.write("problems/notes.txt", "no Lean")
        cls.write("answers/deep/A.lean", PROVED)
        cls.write("answers/B.lean", "axiom cheat (a b : Nat) : a + b = b + a\n" + OPEN.replace("sorry", "apply cheat"))
        cls.write("answers/Broken.lean", PROVED)
        cls.run_all = cls.zermelo("check", "answers", "--against", "problems", "--json")
        cls.files = {f["original"]: f for f in cls.run_all.json["files"]}

    def test_every_lean_file_under_the_originals_has_a_verdict(self):
        self.assertEqual({name: f["verdict"] for name, f in self.files.items()},
                         {"problems/B.lean": "rejected", "problems/Broken.lean": "error",
                          "problems/C.lean": "rejected", "problems/deep/A.lean": "accepted"})
        self.assertEqual([self.run_all.json[key] for key in ("verdict", "accepted", "rejected", "errors")],
                         ["rejected", 1, 2, 1])

    def test_each_says_why(self):
        self.assertEqual([r["code"] for r in self.files["problems/B.lean"]["reasons"]], ["forbidden_command"])
        self.assertEqual([r["code"] for r in self.files["problems/C.lean"]["reasons"]], ["candidate_missing"])
        self.assertIn("does not compile", self.files["problems/Broken.lean"]["error"]["message"])
        self.assertEqual([(t["name"], t["verdict"]) for t in self.files["problems/deep/A.lean"]["theorems"]],
                         [("t", "accepted")])

    def test_the_known_bugs_of_this_leans_kernel_are_named_once(self):
        self.assertTrue(self.run_all.json["lean"]["warnings"])
        self.assertEqual(self.run_all.err.count("#14498"), 1, self.run_all)

    def test_an_original_without_a_verdict_is_an_error_of_the_run(self):
        self.assert_ends(self.run_all, 2, "1 of 4 files accepted", "answers/deep/A.lean: accepted")

    def test_a_file_and_a_folder_cannot_be_compared(self):
        self.assert_ends(self.zermelo("check", "answers/B.lean", "--against", "problems", limit=20), 2, "is a folder")


class Axioms(ZermeloTest):
    def verdict(self, *more):
        original = self.write("Given.lean", GIVEN + CHEAT)
        candidate = self.write("Used.lean", GIVEN + CHEAT.replace("sorry", "exact absurd given (by decide)"))
        run = self.zermelo("check", candidate, "--against", original, "--json", *more)
        theorem, = run.json["theorems"]
        return run.code, [reason["code"] for reason in theorem["reasons"]]

    def test_an_axiom_of_the_original_is_allowed_by_name(self):
        self.assertEqual(self.verdict("--allow-axiom", "given"), (0, []))

    def test_zermelo_toml_sets_the_allowed_axioms(self):
        config = self.write("strict.toml", '[trust]\naxioms = ["propext"]\n')
        self.assertEqual(self.verdict("--config", config), (1, ["axiom_not_allowed"]))


if __name__ == "__main__":
    main()
