#!/usr/bin/env python3
"""Files that are valid and yet hard: bytes to keep, names to understand, sizes, panics and memory."""
from zermelo import ZermeloTest, main

UNUSUAL = """\
/- Ünïcode 𝔸 outside the first plane shifts LSP's columns -/
namespace «weird name»
variable {α : Type}

theorem «two words» (h₁' : 𝔸 = 2) : 𝔸 + 0 = 2 := by
    sorry    -- 𝔸 sorry

theorem ℕ_is_ω (ℓ₁ ℓ₂ : List α) : (ℓ₁ ++ ℓ₂).length = ℓ₁.length + ℓ₂.length := sorry

theorem Ā.«β γ».δ! (x : Nat) : x = x := by /- 𝔸 -/ sorry /- 𝔸 -/
  \ttail
theorem last' (𝔸 : Nat) (h₁' : 𝔸 = 1 ∨ 𝔸 = 2) : 𝔸 < 3 := by sorry"""
UNUSUAL = UNUSUAL.replace("(h₁' : 𝔸 = 2)", "(𝔸 : Nat) (h₁' : 𝔸 = 2)").replace("\n  \ttail", "\n-- \t tail")


class UnusualBytes(ZermeloTest):
    """Unicode names, CRLF, tabs in comments, trailing blanks, no newline at the end."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.input = UNUSUAL.replace("\n", "\r\n").encode()
        cls.write("Unusual.lean", cls.input)
        cls.prove = cls.zermelo("prove", "Unusual.lean", "--out", "Out.lean", "--time", "20s", "--json")
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
        begin = 0
        pieces = self.input.replace(b"-- \xf0\x9d\x94\xb8 sorry", b"-- \xf0\x9d\x94\xb8 SORRY").split(b"sorry")
        output = self.output.replace(b"\xf0\x9d\x94\xb8 sorry", b"\xf0\x9d\x94\xb8 SORRY")
        self.assertNotIn(b"sorry", output)
        for piece in (p.strip().removesuffix(b"by").rstrip() for p in pieces):
            at = output.find(piece, begin)
            self.assertGreaterEqual(at, begin, (piece, output))
            begin = at + len(piece)
        self.assertTrue(output.startswith(pieces[0].removesuffix(b"    ")))
        self.assertFalse(self.output.endswith(b"\n"))

    def test_a_name_in_guillemets_can_be_chosen(self):
        run = self.zermelo("prove", "Unusual.lean", "--theorem", "«two wrods»", limit=20)
        self.assert_ends(run, 2, "did you mean `«weird name».«two words»`?")


class ALongFile(ZermeloTest):
    def test_a_sorry_near_the_end_of_5000_lines_is_proved(self):
        block = "/-- Number {0}. -/\ndef f{0} (n : Nat) : Nat :=\n  n + {0}\n\ntheorem f{0}_zero : f{0} 0 = {0} := rfl\n"
        text = "".join(block.format(i) for i in range(1000))
        text += "theorem late (a b : Nat) (h : a < b) : a ≤ b := by\n  sorry\n\ntheorem end_of_file : 1 = 1 := rfl\n"
        self.write("Long.lean", text)
        run = self.zermelo("prove", "Long.lean", "--time", "30s", "--json")
        self.assert_ends(run, 0, "1 of 1 proved")
        self.assertEqual(run.json["theorems"][0]["line"], 5002)
        head, proof = text.split("  sorry")
        output = (self.folder / "Long.proved.lean").read_text(encoding="utf-8")
        self.assertTrue(output.startswith(head) and output.endswith(proof))


class WhatKillsLean(ZermeloTest):
    def test_a_statement_that_no_machine_can_evaluate_spoils_only_itself(self):
        self.write("Huge.lean", """\
theorem first_one : 2 + 2 = 4 := by sorry
theorem huge_power : 10 ^ (10 ^ 10) % 7 = 4 := by sorry
theorem huge_list : (List.replicate (10 ^ 9) 0).length + (List.range (10 ^ 8)).length > 5 := by sorry
theorem last_one (a b : Nat) (h : a < b) : a ≤ b := by sorry
""")
        run = self.zermelo("prove", "Huge.lean", "--time", "8s", "--json", limit=120)
        self.assertIn(run.code, (0, 1), run)
        status = {t["name"]: t["status"] for t in run.json["theorems"]}
        self.assertEqual((status["first_one"], status["last_one"]), ("proved", "proved"), run)
        for theorem in run.json["theorems"]:
            self.assertLess(theorem["seconds"], 8 + 15, run)

    def crash_is_said(self, name, text, *said):
        file = self.write(name, text)
        for verb in ("prove", "check"):
            with self.subTest(verb=verb):
                run = self.zermelo(verb, name, "--json", limit=120)
                self.assert_ends(run, 3, "Lean crashed", *said)
                self.assertEqual(run.out, "")
        self.assertEqual(file.read_text(encoding="utf-8"), text)
        self.assertEqual(len(list(self.folder.glob(file.stem + "*"))), 1)

    def test_a_panic_of_lean_is_said(self):
        self.crash_is_said("Panic.lean", "#eval (2 : Nat) ^ (2 ^ 36)\ntheorem t : 2 + 3 = 5 := by sorry\n",
                           "exponent is too big")

    def test_a_stack_overflow_of_lean_is_said(self):
        self.crash_is_said("Deep.lean", """\
def deep (n : Nat) : Nat := if n = 0 then 0 else 1 + deep (n - 1)
#eval deep 100000000
theorem t : 2 + 3 = 5 := by sorry
""", "stack overflow")

    def test_memory_without_end_is_said(self):
        self.crash_is_said("Memory.lean", """\
def grow : Nat → Array Nat → Array Nat
  | 0, a => a
  | n + 1, a => grow n (a ++ a)
#eval (grow 40 #[1]).size
theorem t : 2 + 3 = 5 := by sorry
""", "memory")


if __name__ == "__main__":
    main()
