#!/usr/bin/env python3
"""`zermelo prove --strategy agent` with a scripted model, real tools and real Lean."""
from testing.scripted import ScriptedTest, says, verifies
from testing.zermelo import main

DOUBLING = "theorem doubling (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n"
LEMMA = "theorem pow_step (k : Nat) : 2 * (3 * 2 ^ k) = 3 * 2 ^ (k + 1) := by\n  rw [Nat.pow_succ]; omega"
DOUBLING_PROOF = (DOUBLING + " := by\n  induction n with\n  | zero => simp [h0]\n"
                  "  | succ n ih => rw [h, ih, pow_step]")
PROGRAM = "f = [3]\nfor _ in range(4): f.append(2 * f[-1])\nprint(f)"

# In a separate context.
SECOND = "theorem second (hp : p) (hq : q) : q ∧ p"
ASKED = "Prove this:\n\n```lean4\n/-- Both. -/\ntheorem second"

MALFORMED = ["the arguments are not JSON", "`code` is a number, not a string", "there is no tool `lean`"]

# A rule answers only if the preceding conversation is as expected.
STORIES = [
    # The first is rejected, searches the library, computes, finds a lemma, and finishes with it.
    verifies(DOUBLING_PROOF, last=["Lean accepts `pow_step`"]),
    verifies(LEMMA, last=["error at line 2", "[3, 6, 12, 24, 48]", "theorem Nat.pow_succ", *MALFORMED], reply="They fit."),
    {"calls": [["verify_lean", {"code": DOUBLING + " := by\n  omega"}], ["premise_search", {"query": "Nat.pow_succ"}],
               ["python", {"code": PROGRAM}], ["verify_lean", "theorem"], ["python", {"code": 7}], ["lean", {"code": ""}]],
     "last": ["Prove this:\n\n```lean4\ntheorem doubling"]},
    # The second wastes the calls of a round; the next round uses its summary and its lemma.
    says("Use two_parts: the constructor, then hq and hp.", last=["Call no tool now"], when=["`two_parts`"]),
    verifies(SECOND + " := two_parts q p hq hp",
             last=[ASKED, "Use two_parts:", "theorem two_parts (a b : Prop)"]),
    verifies("theorem two_parts (a b : Prop) (ha : a) (hb : b) : a ∧ b := ⟨ha, hb⟩",
             *[SECOND + f" := by\n  exact wrong{i}" for i in range(8)],
             last=[ASKED]),
]


class AnAgent(ScriptedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.zermelo("index")
        cls.serve(STORIES)
        cls.write("Two.lean", f"{DOUBLING} := by\n  sorry\n\nnamespace Tricky\nvariable (p q : Prop)\n\n"
                              f"/-- Both. -/\n{SECOND} := by\n  sorry\n\nend Tricky\n")
        cls.run_1 = cls.prove("Two.lean", "agent", "--set", "agent.tool_calls=9")

    def test_both_are_proved_and_accepted(self):
        self.assert_ends(self.run_1, 0, "2 of 2 proved")
        self.assert_ends(self.zermelo("check", "Two.proved.lean", "--against", "Two.lean"), 0)
        proved = (self.folder / "Two.proved.lean").read_text(encoding="utf-8")
        self.assertIn("theorem doubling_pow_step", proved, "the lemma is delivered with the proof")

    def test_after_a_rejection_it_searches_computes_finds_a_lemma_and_finishes(self):
        first = [m for m in self.events(1, "message") if m["seq"] < self.events(1, "theorem_ended")[0]["seq"]]
        self.assertEqual([m["role"] for m in first], ["system", "user", "assistant", *6 * ["tool"], "assistant", "tool",
                                                      "assistant", "tool"])
        refused, found, computed = first[3:6]
        self.assertIn("error at line 2, column 3:\n    omega", refused["content"])
        self.assertIn("theorem Nat.pow_succ", found["content"])
        self.assertEqual(len(self.events(1, "retrieved")), 1)
        self.assertEqual(computed["content"], "[3, 6, 12, 24, 48]\n")
        self.assertEqual(len(self.events(1, "computed")), 1)
        lemma = self.events(1, "lemma_proved")[0]
        self.assertEqual((lemma["name"], lemma["by"]), ("pow_step", "0.0"))

    def test_when_the_calls_are_used_up_a_second_round_succeeds(self):
        rounds = [event["by"] for event in self.events(1, "round_begun")]
        self.assertEqual(rounds, ["0.0", "0.0", "0.1"])
        messages = [m["content"] for m in self.events(1, "message")]
        self.assertEqual(sum("Call no tool now" in text for text in messages), 1)
        begun = next(i for i, text in enumerate(messages) if "What earlier attempts learned" in text)
        self.assertNotIn("wrong7", "\n".join(messages[begun:]), "the first conversation is not continued")

    def test_the_lemmas_are_in_the_blueprint(self):
        shown = self.zermelo("blueprint", "1", "--json", "--run-db", "runs.db")
        self.assertEqual(shown.code, 0, shown)
        names = [lemma["name"] for theorem in shown.json["theorems"] for lemma in theorem["lemmas"]]
        self.assertEqual(names, ["pow_step", "two_parts"])

    def test_without_a_chat_model_the_error_says_what_is_needed(self):
        self.write("none/Two.lean", f"{DOUBLING} := by\n  sorry\n")
        run = self.zermelo("prove", "none/Two.lean", "--strategy", "agent")
        self.assert_ends(run, 2, "needs a language model that chats")


FALSE = "theorem wrong (a b : Nat) (h : a ≤ b) : b ≤ a"


class AnAgentThatLeavesAGoalOpen(ScriptedTest):
    """`apply?` admits what it does not prove with a warning only, beside a lemma whose `sorry` is written."""

    def test_it_has_not_finished(self):
        self.serve([says("It is false.", last=["Call no tool now"]),
                    verifies(f"theorem helper : 1 = 1 := by\n  sorry\n\n{FALSE} := by\n  apply?", last=["Prove this:"])])
        self.write("False.lean", f"{FALSE} := by\n  sorry\n")
        run = self.prove("False.lean", "agent", "--no-premises", "--set", "agent.tool_calls=1", "--set", "agent.rounds=1")
        self.assert_ends(run, 1)
        answer = next(m["content"] for m in self.events(1, "message") if m["role"] == "tool")
        self.assertIn(f"error at line 4, column 9:\n  {FALSE}", answer)
        self.assertIn("the word is not there", answer)


if __name__ == "__main__":
    main()
