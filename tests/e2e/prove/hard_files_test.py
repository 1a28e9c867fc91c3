#!/usr/bin/env python3
"""Valid but difficult files: bytes to preserve, unusual names, sizes, panics and memory."""
from testing.zermelo import ZermeloTest, main, slow

ONE_WORKER = ("prove", "--workers", "1")

UNUSUAL = """\
/- Ünïcode 𝔸 outside the first plane shifts LSP's columns -/
namespace «weird name»
variable {α : Type}

theorem «two words» (𝔸 : Nat) (h₁' : 𝔸 = 2) : 𝔸 + 0 = 2 := by
    sorry    -- 𝔸 sorry

theorem ℕ_is_ω (ℓ₁ ℓ₂ : List α) : (ℓ₁ ++ ℓ₂).length = ℓ₁.length + ℓ₂.length := sorry

theorem Ā.«β γ».δ! (x : Nat) : x = x := by /- 𝔸 -/ sorry /- 𝔸 -/
-- \t tail
theorem last' (𝔸 : Nat) (h₁' : 𝔸 = 1 ∨ 𝔸 = 2) : 𝔸 < 3 := by sorry"""


class UnusualBytes(ZermeloTest):
    """Unicode names, CRLF, tabs in comments, trailing blanks, no newline at the end."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.input = UNUSUAL.replace("\n", "\r\n").encode()
        cls.write("Unusual.lean", cls.input)
        cls.prove = cls.zermelo("prove", "Unusual.lean", "--out", "Out.lean", "--time", "60s", "--json")
        cls.output = (cls.folder / "Out.lean").read_bytes()

    def test_every_theorem_is_found_by_name_and_proved(self):
        self.assert_ends(self.prove, 0)
        self.assertEqual([t["name"] for t in self.prove.json["theorems"]], [
            "«weird name».«two words»", "«weird name».ℕ_is_ω", "«weird name».Ā.«β γ».δ!",
            "«weird name».last'"])

    def test_the_output_keeps_crlf_everywhere(self):
        self.assertEqual(self.output.count(b"\n"), self.output.count(b"\r\n"))
        self.assertGreater(self.output.count(b"\r\n"), self.input.count(b"\r\n"))

    def test_outside_the_proofs_every_byte_is_kept(self):
        def hide_comment(data):
            return data.replace("-- 𝔸 sorry".encode(), b"-- comment")
        pieces, output = hide_comment(self.input).split(b"sorry"), hide_comment(self.output)
        self.assertNotIn(b"sorry", output)
        begin = 0
        for piece in (p.strip().removesuffix(b"by").rstrip() for p in pieces):
            at = output.find(piece, begin)
            self.assertGreaterEqual(at, begin, (piece, output))
            begin = at + len(piece)
        self.assertTrue(output.startswith(pieces[0].rstrip()))
        self.assertFalse(output.endswith(b"\n"))

    def test_a_name_in_guillemets_can_be_chosen(self):
        run = self.zermelo("prove", "Unusual.lean", "--theorem", "«two wrods»", limit=20)
        self.assert_ends(run, 2, "did you mean `«two words»`?")


class ALongFile(ZermeloTest):
    @slow
    def test_a_sorry_near_the_end_of_5000_lines_is_proved(self):
        block = ("/-!\n" + "Many words.\n" * 5 + "-/\ndef f{0} (n : Nat) : Nat := n + {0}\n"
                 "theorem f{0}_zero : f{0} 0 = {0} := rfl\n\n")
        text = "".join(block.format(i) for i in range(500))
        text += "theorem late (a b : Nat) (h : a < b) : a ≤ b := by\n  sorry\n\ntheorem last : 1 = 1 := rfl\n"
        self.write("Long.lean", text)
        run = self.zermelo(*ONE_WORKER, "Long.lean", "--time", "90s", "--json")
        self.assert_ends(run, 0, "1 of 1 proved")
        self.assertEqual(run.json["theorems"][0]["line"], 5002)
        head, proof = text.split("  sorry")
        output = (self.folder / "Long.proved.lean").read_text(encoding="utf-8")
        self.assertTrue(output.startswith(head) and output.endswith(proof))


class WhatKillsLean(ZermeloTest):
    def test_a_statement_that_cannot_be_evaluated_affects_only_itself(self):
        self.write("Huge.lean", """\
theorem first_one : 2 + 2 = 4 := by sorry
theorem huge_power : 10 ^ (10 ^ 10) % 7 = 4 := by sorry
theorem huge_list : (List.replicate (10 ^ 9) 0).length + (List.range (10 ^ 8)).length > 5 := by sorry
theorem last_one (a b : Nat) (h : a < b) : a ≤ b := by sorry
""")
        run = self.zermelo("prove", "Huge.lean", "--time", "8s", "--json", limit=600)
        self.assertIn(run.code, (0, 1), run)
        status = {t["name"]: t["status"] for t in run.json["theorems"]}
        self.assertEqual((status["first_one"], status["last_one"]), ("proved", "proved"), run)
        for theorem in run.json["theorems"]:
            self.assertLess(theorem["seconds"], 8 + 45, run)

    def crash_is_said(self, name, text, said, verbs=(ONE_WORKER,)):
        file = self.write(name, text + "theorem t : 2 + 3 = 5 := by sorry\n")
        before = file.read_bytes()
        for verb in verbs:
            with self.subTest(verb=verb[0]):
                run = self.zermelo(*verb, name, "--json", limit=120)
                self.assert_ends(run, 3, "Lean crashed", said)
                if verb[0] == "check":
                    self.assertIs(run.json["clean"], False)
                else:
                    self.assertEqual(run.out, "")
        self.assertEqual(file.read_bytes(), before)
        self.assertEqual(list(self.folder.glob(file.stem + ".*")), [file])

    def test_a_panic_in_lean_is_reported(self):
        self.crash_is_said("Panic.lean", "#eval (2 : Nat) ^ (2 ^ 36)\n", "exponent is too big",
                           verbs=(ONE_WORKER, ("check",)))

    def test_a_stack_overflow_in_lean_is_reported(self):
        self.crash_is_said("Deep.lean", """\
def deep (n : Nat) : Nat := if n = 0 then 0 else 1 + deep (n - 1)
#eval deep 100000000
""", "stack overflow")

    def test_a_lean_out_of_memory_is_reported(self):
        self.crash_is_said("Memory.lean", """\
def grow : Nat → String → String
  | 0, s => s
  | n + 1, s => grow n (s ++ s)
#eval (grow 36 "x").length
""", "out of memory")


if __name__ == "__main__":
    main()
