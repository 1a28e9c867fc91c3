#!/usr/bin/env python3
"""Files that cannot be read, proved or written: clear messages and no damage."""
import os
import unittest

from testing.zermelo import ZermeloTest, main, unprivileged

EASY = "theorem easy : 2 + 2 = 4 := by\n  sorry\n"


class InputThatIsNoLeanFile(ZermeloTest):
    def refused(self, name, *said):
        for verb in ("prove", "check"):
            with self.subTest(verb=verb):
                run = self.zermelo(verb, name, "--json", limit=20)
                self.assert_ends(run, 2, str(name), *said)
                self.assertEqual(run.out, "", run)
        self.assertEqual([p.name for p in self.folder.rglob("*.proved*")], [])

    def test_a_missing_file(self):
        self.refused("missing.lean", "No such file")

    def test_a_directory(self):
        self.write("Folder.lean/Basic.lean", EASY)
        self.refused("Folder.lean", "is a directory")

    def test_a_binary_file(self):
        self.write("binary.lean", b"theorem t : 1 = 1 := by sorry\n\0\1\2")
        self.refused("binary.lean", "not a UTF-8 text file")

    def test_a_file_in_another_encoding(self):
        self.write("latin1.lean", "-- café\n".encode("latin-1"))
        self.refused("latin1.lean", "UTF-8")

    def test_a_pipe_does_not_block(self):
        os.mkfifo(self.folder / "pipe.lean")
        self.refused("pipe.lean", "not a regular file")

    def test_a_file_without_permission(self):
        self.folder.chmod(0o755)
        self.write("secret.lean", EASY).chmod(0)
        prefix = unprivileged()
        if prefix is None:
            raise unittest.SkipTest("the tests run as root and cannot run the program as nobody")
        run = self.zermelo("prove", "secret.lean", limit=20, prefix=prefix)
        self.assert_ends(run, 2, "secret.lean", "Permission denied")


class NothingToProve(ZermeloTest):
    def nothing(self, text, *said):
        self.write("nothing.lean", text)
        run = self.zermelo("prove", "nothing.lean", "--json", limit=20)
        self.assert_ends(run, 0, "no sorry to fill in nothing.lean", *said)
        self.assertEqual(run.json["theorems"], [])
        self.assertFalse((self.folder / "nothing.proved.lean").exists())

    def test_an_empty_file(self):
        self.nothing("")

    def test_a_file_without_sorry(self):
        self.nothing('theorem t : 1 = 1 := rfl -- sorry\n/- sorry /- sorry -/ -/\ndef s := "by sorry"\n')

    def test_a_sorry_in_data_only(self):
        self.nothing("def data : Nat := sorry\n", "line 1", "`data`")

    def test_check_finds_an_empty_file_clean(self):
        self.write("empty.lean", "")
        self.assert_ends(self.zermelo("check", "empty.lean"), 0, "empty.lean: clean")


class BrokenTheorems(ZermeloTest):
    """A file with errors before and inside theorems; the other theorems are still proved."""

    TEXT = """\
theorem first_one : 2 + 2 = 4 := by sorry

def broken (n : Nat) : Nat := n +

theorem of_broken (n : Nat) : broken n = n := by sorry

theorem unclosed (n : Nat : n = n := by sorry

theorem unknown_name (n : Nat) : doesNotExist n = n := by sorry

theorem tabbed : 2 + 2 = 4 := by
\tsorry

theorem first_one : 1 = 1 := by sorry
-- a tab\tin a comment is fine
theorem last_one (a b : Nat) (h : a < b) : a ≤ b := by sorry
"""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.write("Broken.lean", cls.TEXT)
        cls.prove = cls.zermelo("prove", "Broken.lean", "--time", "60s", "--json")
        cls.theorems = {t["line"]: t for t in cls.prove.json["theorems"]}

    def said_about(self, name):
        return "\n".join(line for line in self.prove.err.split("\n") if name in line)

    def test_theorems_before_and_after_the_errors_are_proved(self):
        self.assertEqual([self.theorems[line]["status"] for line in (1, 16)], ["proved", "proved"])
        self.assertEqual(self.prove.code, 1)

    def test_an_error_in_the_statement_is_reported_for_its_theorem(self):
        self.assertEqual(self.theorems[9]["status"], "error")
        self.assertIn("line 9", self.said_about("unknown_name"))
        self.assertIn("doesNotExist", self.prove.err)
        self.assertIn("line 7", self.said_about("unclosed"))

    def test_an_error_before_the_theorem_is_reported_with_the_affected_theorems(self):
        self.assertRegex(self.said_about("of_broken"), "line 3: .*`broken`")

    def test_a_tab_where_lean_forbids_it_is_reported(self):
        self.assertEqual(self.theorems[12]["status"], "error")
        self.assertRegex(self.said_about("tabbed"), "tabs are not allowed")

    def test_a_name_declared_twice_is_reported(self):
        self.assertEqual(self.theorems[14]["status"], "error")
        self.assertIn("already been declared", self.prove.err)

    def test_only_proofs_change(self):
        output = (self.folder / "Broken.proved.lean").read_text(encoding="utf-8")
        lines = iter(output.split("\n"))
        for line in self.TEXT.split("\n"):
            if not line.startswith(("theorem first_one : 2", "theorem last_one")):
                self.assertIn(line, lines)
        self.assertEqual(self.file.read_text(encoding="utf-8"), self.TEXT)


class OutputThatCannotBeWritten(ZermeloTest):
    """All of these errors are reported before the search begins."""

    def refused(self, out, *said, **options):
        file = self.write("easy.lean", EASY)
        run = self.zermelo("prove", "easy.lean", "--out", out, limit=30, **options)
        self.assert_ends(run, 2, "easy.lean" if out == "easy.lean" else str(out), *said)
        self.assertNotIn("starting Lean", run.err)
        self.assertEqual(file.read_text(encoding="utf-8"), EASY)

    def test_a_folder_that_does_not_exist(self):
        self.refused("missing/out.lean", "--out")

    def test_a_file_in_place_of_the_folder(self):
        self.refused("easy.lean/out.lean", "--out")

    def test_a_directory_in_place_of_the_file(self):
        (self.folder / "taken.lean").mkdir()
        self.refused("taken.lean", "is a directory")

    def test_a_file_system_that_accepts_no_files(self):
        self.refused("/proc/zermelo.lean", "--out")

    def test_a_read_only_folder(self):
        prefix = unprivileged()
        if prefix is None:
            raise unittest.SkipTest("the tests run as root and cannot run the program as nobody")
        self.folder.chmod(0o755)
        locked = self.folder / "locked"
        locked.mkdir()
        locked.chmod(0o555)
        self.refused("locked/out.lean", "Permission denied", prefix=prefix)


if __name__ == "__main__":
    main()
