#!/usr/bin/env python3
"""`zermelo check`: errors, sorrys and warnings by theorem."""
from testing.zermelo import ZermeloTest, main

CLEAN = """\
theorem fine (a b : Nat) : a + b = b + a := by
  omega
example : 2 + 2 = 4 := rfl
"""
DIRTY = """\
namespace N
theorem with_sorry (n : Nat) : n = n := by
  sorry

theorem with_error (n : Nat) : n < 3 := by
  omega

theorem with_warning (p q : Prop) (h : p) (unused : q) : p := by
  exact h
end N
#check doesNotExist
"""


class TwoFiles(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("Clean.lean", CLEAN)
        cls.write("Dirty.lean", DIRTY)
        cls.both = cls.zermelo("check", "Clean.lean", "Dirty.lean", "--json")

    def messages(self, kind):
        return [m for m in self.both.json["files"][1]["messages"] if m["kind"] == kind]

    def test_one_dirty_file_makes_exit_code_1(self):
        self.assertEqual(self.both.code, 1, self.both)
        self.assertIs(self.both.json["clean"], False)
        self.assertEqual([f["clean"] for f in self.both.json["files"]], [True, False])

    def test_the_clean_file_has_no_messages(self):
        report = self.both.json["files"][0]
        self.assertEqual(report["file"], "Clean.lean")
        self.assertEqual((report["errors"], report["sorries"], report["messages"]), (0, 0, []))

    def test_the_toolchain_is_named(self):
        self.assertEqual(self.both.json["lean"]["kind"], "embedded")
        self.assertEqual(self.both.out.count("\n"), 1)

    def test_a_sorry_is_named_by_theorem(self):
        sorry, = self.messages("sorry")
        self.assertEqual((sorry["theorem"], sorry["line"]), ("N.with_sorry", 2))

    def test_errors_are_named_by_theorem_or_by_none(self):
        in_theorem, outside = self.messages("error")
        self.assertEqual((in_theorem["theorem"], in_theorem["line"]), ("N.with_error", 6))
        self.assertIn("omega", in_theorem["message"])
        self.assertEqual((outside["theorem"], outside["line"], outside["column"]), (None, 11, 8))

    def test_a_warning_is_named_by_theorem(self):
        warning, = self.messages("warning")
        self.assertEqual((warning["theorem"], warning["line"]), ("N.with_warning", 8))
        self.assertIn("unused", warning["message"])

    def test_stderr_has_the_same_for_people(self):
        for said in ("Dirty.lean:2:9: sorry [N.with_sorry]", "Dirty.lean:6:3: error [N.with_error]",
                     "Dirty.lean:11:8: error:", "Clean.lean: clean"):
            self.assertIn(said, self.both.err)

    def test_a_clean_file_alone_makes_exit_code_0_and_an_empty_stdout(self):
        run = self.zermelo("check", "Clean.lean")
        self.assert_ends(run, 0, "Clean.lean: clean")
        self.assertEqual(run.out, "")

    def test_warnings_fail_on_request(self):
        self.write("Warned.lean", "theorem t (p q : Prop) (h : p) (unused : q) : p := h\n")
        self.assert_ends(self.zermelo("check", "Warned.lean"), 0, "1 warning (")
        self.assert_ends(self.zermelo("check", "Warned.lean", "--wfail"), 1, "1 warning (")

    def test_code_that_the_embedded_lean_lacks_is_a_note(self):
        self.write("Def.lean", "def twice (xs : List Nat) : List Nat := xs.map (fun x => 2 * x)\n"
                               "theorem t : twice [1] = [2] := rfl\n")
        run = self.zermelo("check", "Def.lean", "--json")
        self.assert_ends(run, 0, "no proof is affected")
        self.assertEqual([m["kind"] for m in run.json["files"][0]["messages"]], ["note"])

    def test_a_file_that_kills_lean_does_not_prevent_checking_the_others(self):
        self.write("Dies.lean", "theorem t : True := trivial\n#eval (IO.Process.exit 7 : IO Unit)\n")
        run = self.zermelo("check", "Dies.lean", "Clean.lean", "--json")
        self.assertEqual(run.code, 3, run)
        self.assertEqual([f["clean"] for f in run.json["files"]], [False, True])

    def test_a_missing_file_is_reported_before_lean_starts(self):
        run = self.zermelo("check", "Clean.lean", "Missing.lean", "--json", limit=20)
        self.assert_ends(run, 2, "Missing.lean", "No such file")
        self.assertEqual(run.out, "")


if __name__ == "__main__":
    main()
