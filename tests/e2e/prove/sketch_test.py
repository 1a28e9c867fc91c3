#!/usr/bin/env python3
"""`zermelo prove --strategy sketch` with a scripted model and real Lean: scenarios of the workflow."""
from testing.scripted import ScriptedTest, says, verifies
from testing.zermelo import main

NO_MORE = '{"correct": true, "reason": "it looks true"}'
MARKS = 'Good. {"veto": "", "alignment": 9, "value": 7, "reason": ""}'


def block(*declarations):
    return "```lean4\n" + "\n\n".join(declarations) + "\n```"


def sketch_of(name, code, **conditions):
    """The sketcher's answer to a request for a sketch of that statement."""
    return says(code, last=["Write a sketch in one", f"This is the theorem:\n\n```lean4\ntheorem {name} ",
                            *conditions.pop("last", [])], **conditions)


def agent_on(name, *codes):
    return verifies(*codes, last=[f"Prove this:\n\n```lean4\ntheorem {name} "])


CHAIN = "theorem chain (a b c d : Nat) (h : a < b) (h2 : b < c) (h3 : c < d) : a + 3 ≤ d"
BAD = "theorem bad (a b : Nat) (h : a < b) : a + 2 ≤ b"
NOT_BAD = ("theorem bad_is_false : ¬ (∀ (a b : Nat) (h : a < b), a + 2 ≤ b) := by\n"
           "  intro all\n  exact absurd (all 0 1 (by decide)) (by decide)")
ONE = "theorem one (a b c : Nat) (h : a < b) (h2 : b < c) : a + 2 ≤ c"
TWO = "theorem two (a b : Nat) (h : a < b) : a + 1 ≤ b"
THREE = "theorem three (a b : Nat) (h : a < b) : Nat.succ a ≤ b"

AGAIN = "theorem again (p q r : Prop) (hp : p) (hpq : p → q) (hqr : q → r) : r"
EASY = "theorem easy (p q : Prop) (hp : p) (hpq : p → q) : q"
HARD = "theorem hard (p q r : Prop) (hpq : p → q) (hqr : q → r) (hp : p) : r"
OTHER = "theorem other (q r : Prop) (hq : q) (hqr : q → r) : r"

SORRY = " := by sorry"
STORIES = [
    says(NO_MORE, last=["Is it true exactly as Lean reads it"]),
    says(MARKS, last=["Give two marks"]),
    says("It is too hard for me.", last=["Call no tool now"]),
    # A false lemma that the judge accepts: the agent disproves it, and the sketch is refined.
    sketch_of("chain", block(ONE + SORRY, CHAIN + " := by\n  have := one a b c h h2\n  omega"),
              last=["`bad` is false. Lean accepts this:", "theorem bad_is_false"]),
    sketch_of("chain", block(BAD + SORRY, CHAIN + " := by\n  have := bad a b h\n  omega")),
    agent_on("bad", NOT_BAD),
    # Too hard for the agent, so decomposed, to depth 3.
    sketch_of("one", block(TWO + SORRY, ONE + " := by\n  have := two a b h\n  omega")),
    sketch_of("two", block(THREE + SORRY, TWO + " := three a b h")),
    agent_on("three", THREE + " := h"),
    agent_on("one", ONE + " := by\n  exact h"),
    agent_on("two", TWO + " := by\n  exact wrong"),
    # A lemma that stays open; after a restart with the proved lemma, another way is found.
    sketch_of("again", block(OTHER + SORRY, AGAIN + " := other q r (easy p q hp hpq) hqr"),
              last=["These lemmas are proved already", "theorem easy (p q : Prop)"], unless=["`hard` could not be proved"]),
    sketch_of("again", block(EASY + SORRY, HARD + SORRY,
                             AGAIN + " := by\n  have := easy p q hp hpq\n  exact hard p q r hpq hqr hp"),
              unless=["`hard` could not be proved"]),
    agent_on("easy", EASY + " := hpq hp"),
    agent_on("hard", HARD + " := by\n  exact wrong"),
    agent_on("other", OTHER + " := hqr hq"),
]

# A sketch that defines what its lemmas are about.
SUMS = "theorem sums : ∃ f : Nat → Nat, f 0 = 0 ∧ ∀ m, f (m + 1) = f m + 2 * m + 1"
SQUARE = "def square (n : Nat) : Nat := n * n"
AT_ZERO = "theorem square_zero : square 0 = 0"
AT_NEXT = "theorem square_succ (m : Nat) : square (m + 1) = square m + 2 * m + 1"
DEFINITIONS = [
    says(NO_MORE, last=["Is it true exactly as Lean reads it"]),
    says(MARKS, last=["Give two marks"]),
    sketch_of("sums", block(SQUARE, AT_ZERO + SORRY, AT_NEXT + SORRY, SUMS + " := ⟨square, square_zero, square_succ⟩")),
    agent_on("square_zero", AT_ZERO + " := rfl"),
    agent_on("square_succ", AT_NEXT + " := by\n  simp only [square, Nat.add_mul, Nat.mul_add]\n  omega"),
    says("The squares do it."),
]

LAST = "theorem last (n : Nat) (h : n * n = 2) : False"
KEPT = "theorem kept (a b : Nat) (h : a ≤ b) : a * a ≤ b * b"
NEVER = "theorem never (n : Nat) (h : n * n = 2) : n = 1"
BUDGET = [
    sketch_of("last", block(KEPT + SORRY, NEVER + SORRY,
                            LAST + " := by\n  have := never n h\n  have := kept n n (Nat.le_refl n)\n  subst n\n  omega")),
    agent_on("kept", KEPT + " := Nat.mul_le_mul h h"),
    verifies(NEVER + " := by\n  omega", when=["Prove this:\n\n```lean4\ntheorem never "]),
    says("In words."),
]


class ASketch(ScriptedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.serve([*STORIES, says("It follows step by step.", last=["as a sequence of lemmas"])])
        cls.write("Two.lean", f"{CHAIN} := by\n  sorry\n\n{AGAIN} := by\n  sorry\n")
        settings = {"sketch.depth": 3, "sketch.refinements": 2, "sketch.trajectories": 1, "sketch.rounds": 1,
                    "agent.tool_calls": 1}
        cls.run_1 = cls.prove("Two.lean", "sketch", "--no-premises", *(w for k, v in settings.items() for w in ("--set", f"{k}={v}")))
        shown = cls.zermelo("blueprint", "1", "--json", "--run-db", "runs.db")
        cls.blueprint = shown.json["theorems"] if shown.code == 0 else []

    def lemma(self, theorem, name):
        return next(entry for entry in self.blueprint[theorem]["lemmas"] if entry["name"] == name)

    def test_both_are_proved_and_accepted(self):
        self.assert_ends(self.run_1, 0, "2 of 2 proved")
        self.assert_ends(self.zermelo("check", "Two.proved.lean", "--against", "Two.lean"), 0)

    def test_a_false_lemma_is_disproved_and_its_sketch_refined(self):
        bad = self.lemma(0, "bad")
        self.assertEqual((bad["status"], bad["by"]), ("false", "agent bad 0.0"))
        self.assertIn("¬ (∀ (a b : Nat) (h : a < b), a + 2 ≤ b)", bad["proof"])
        self.assertEqual(self.lemma(0, "chain")["depends"], ["one"])
        first, second = [s for s in self.blueprint[0]["sketches"] if s["of"] == "chain"]
        self.assertEqual((first["attempt"], second["attempt"]), (0, 1))
        self.assertEqual((first["quality"], first["reward"], first["structure"]), (0.78, -1, 1), "fewer than three lemmas")

    def test_a_hard_lemma_is_decomposed_to_depth_3(self):
        self.assertEqual([(self.lemma(0, n)["depth"], self.lemma(0, n)["by"]) for n in ("one", "two", "three")],
                         [(1, "sketch"), (2, "sketch"), (3, "agent three 0.0")])

    def test_a_restart_keeps_proved_lemmas(self):
        restarts = [e for e in self.events(1, "round_begun") if e["task"] == "again"]
        self.assertEqual([(e["by"], e["known"]) for e in restarts], [("sketch 0", 0), ("sketch 1", 1)])
        self.assertEqual(self.lemma(1, "hard")["status"], "too_hard")
        self.assertIn("It is too hard for me.", self.lemma(1, "hard")["reason"])
        proved = [e["name"] for e in self.events(1, "lemma_proved") if e["name"] == "easy"]
        self.assertEqual(proved, ["easy"], "it is proved only once")
        self.assertEqual(self.lemma(1, "again")["depends"], ["other", "easy"])

    def test_the_graph_is_drawn(self):
        dot = self.zermelo("blueprint", "1", "--dot", "--run-db", "runs.db")
        self.assertIn('"t0/three" -> "t0/two";', dot.out)
        text = self.zermelo("blueprint", "1", "--run-db", "runs.db")
        self.assertIn("✗ bad  false, by agent bad 0.0", text.out)
        self.assert_ends(self.zermelo("blueprint", "9", "--run-db", "runs.db"), 2, "there is no run 9")


class ASketchWithADefinition(ScriptedTest):
    def test_its_lemmas_are_about_it_and_it_is_delivered(self):
        self.serve(DEFINITIONS)
        self.write("Sums.lean", SUMS + " := by\n  sorry\n")
        run = self.prove("Sums.lean", "sketch", "--no-premises", "--set", "sketch.free_share=0")
        self.assert_ends(run, 0, "1 of 1 proved")
        text = (self.folder / "Sums.proved.lean").read_text(encoding="utf-8")
        self.assertLess(text.index("def sums_square (n : Nat)"), text.index("theorem sums_square_succ"))
        self.assert_ends(self.zermelo("check", "Sums.proved.lean", "--against", "Sums.lean"), 0)


class ASketchWithoutMoney(ScriptedTest):
    def test_when_the_budget_ends_the_lemma_file_is_written(self):
        self.serve(BUDGET)
        self.write("Last.lean", LAST + " := by\n  sorry\n")
        run = self.prove("Last.lean", "sketch", "--no-premises", "--samples", "8", "--set", "sketch.judge=false",
                         "--set", "sketch.rubric=false", "--set", "sketch.lemmas=1")
        self.assert_ends(run, 1, "0 of 1 proved", "Last.lemmas.lean")
        self.assertFalse((self.folder / "Last.proved.lean").exists())
        text = (self.folder / "Last.lemmas.lean").read_text(encoding="utf-8")
        self.assertEqual(text, f"{KEPT} := Nat.mul_le_mul h h\n\n{LAST} := by\n  sorry\n")
        self.assert_ends(self.zermelo("check", "Last.lemmas.lean"), 1, "1 sorry")
        self.assertEqual(run.json["theorems"][0]["status"], "unproved")
        self.assertLessEqual(run.json["models"]["sim"]["samples"], 8)


if __name__ == "__main__":
    main()
