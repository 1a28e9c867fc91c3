#!/usr/bin/env python3
"""`zermelo trace` and `zermelo export` with real Lean: rows from a run and from a trace of proofs."""
import json

from testing.scripted import ScriptedTest, says, verifies
from testing.zermelo import ROOT, ZermeloTest, main

MODEL = ROOT / "src/decoder/testing/models/llama"

HOLES = """theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry

theorem sum (a b : Nat) : a + b = b + a := by
  sorry
"""
PROOFS = """theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  obtain ⟨hp, hq⟩ := h
  constructor
  · exact hq
  · exact hp

theorem sum (a b : Nat) (h : a = 2) : a + b = b + 2 := by
  have k : b + a = b + 2 := by
    rw [h]
  rw [Nat.add_comm, k]

theorem broken (a b : Nat) : a = b := by
  cases a
  · sorry
  · omega

theorem by_term : True := trivial
"""
TEST_SET = [{"name": "other_name", "header": "", "formal_statement": "theorem other_name (x y : Nat) : x + y = y + x := by"}]


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class FromRuns(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("Two.lean", HOLES)
        cls.proved = cls.zermelo("prove", "Two.lean", "--strategy", "best_first", "--no-premises", "--workers", "1",
                                 "--record-tactics", "--json")

    def test_proofs_of_a_run_become_rows(self):
        run = self.zermelo("export", "sft")
        self.assert_ends(run, 0, "stdout: 2 rows")
        swap = json.loads(run.out.splitlines()[0])
        self.assertEqual(swap["source"]["theorem"], "swap")
        self.assertEqual(swap["source"]["run"], 1)
        self.assertTrue(swap["prompt"].endswith("theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n"))
        proof = self.proved.json["theorems"][0]["proof"]
        self.assertEqual(swap["completion"], "".join(f"  {line}\n" for line in proof.splitlines()) + "```")

    def test_statements_of_test_sets_are_left_out_whatever_their_names(self):
        test_set = self.write("set.jsonl", "".join(json.dumps(row) + "\n" for row in TEST_SET))
        run = self.zermelo("export", "sft", "--from", "1", "--without", test_set, "--out", "clean.jsonl", "--json")
        self.assert_ends(run, 0, "1 contaminated")
        self.assertEqual([row["source"]["theorem"] for row in rows(self.folder / "clean.jsonl")], ["swap"])
        self.assertEqual(run.json["removed"]["contaminated"], 1)
        self.assertEqual(run.json["train"]["rows"], 1)
        self.assertEqual(run.json, json.loads((self.folder / "clean.card.json").read_text(encoding="utf-8")))

    def test_tactics_that_a_search_tried_are_labelled(self):
        run = self.zermelo("export", "sft", "--format", "bfs-prover", "--failed")
        self.assertEqual(run.code, 0, run)
        made = [json.loads(line) for line in run.out.splitlines()]
        self.assertEqual({row["label"] for row in made}, {True, False})
        self.assertTrue(all(row["prompt"].endswith(":::") for row in made))

    def test_prompts_have_pass_rates(self):
        run = self.zermelo("export", "rl", "--min-pass-rate", "0.5", "--out", "rl.jsonl")
        self.assertEqual(run.code, 0, run)
        self.assertEqual([(row["pass_rate"], row["samples"]) for row in rows(self.folder / "rl.jsonl")], [(1, 1)] * 2)
        none = self.zermelo("export", "rl", "--max-pass-rate", "0.5")
        self.assert_ends(none, 1, "2 pass_rate")

    def test_sources_and_formats_that_do_not_exist_are_errors(self):
        self.assert_ends(self.zermelo("export", "sft", "--from", "7"), 2, "there is no run 7")
        self.assert_ends(self.zermelo("export", "sft", "--from", "nothing"), 2, "nothing")
        self.assert_ends(self.zermelo("export", "sft", "--format", "kimin"), 2, "did you mean `kimina`?")


class FromEvaluations(ScriptedTest):
    SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        right = f"{cls.SWAP}\n  -- Each part is known.\n  exact ⟨h.2, h.1⟩"
        cls.serve([verifies(right, last=["Prove this:\n\n```lean4\ntheorem swap"]), says(f"Swap them.\n```lean4\n{right}\n```")])
        statement = {"name": "swap", "header": "", "formal_statement": cls.SWAP}
        cls.write("set.jsonl", json.dumps(statement) + "\n")
        for strategy, *more in (("whole_proof", "--budget", "2x1", "--all-attempts"), ("agent", "--budget", "60s")):
            run = cls.zermelo("eval", "set.jsonl", "--model", "sim", "--strategy", strategy, "--no-builtin", "--jobs", "1",
                              *more, "--record-runs", "--record-tactics", "--out", strategy, "--json")
            assert run.code == 0 and run.json["solved"] == 1, run

    def exported(self, folder, *options):
        run = self.zermelo("export", "sft", "--from", folder, "--format", "chat", *options)
        self.assertEqual(run.code, 0, run)
        return [json.loads(line) for line in run.out.splitlines()]

    def test_replies_that_led_to_proofs_become_rows(self):
        replies = [row for row in self.exported("whole_proof", "--replies") if row["source"]["kind"] == "reply"]
        self.assertEqual([row["completion"][0]["content"].split("\n")[0] for row in replies], ["Swap them."], "one of equal ones")
        source = replies[0]["source"]
        self.assertEqual((source["problem"], source["evaluation"], source["theorem"]), ("swap", "whole_proof", "swap"))
        self.assertEqual((source["run"], source["attempt"]), (1, 1))

    def test_thoughts_between_tactics_are_kept(self):
        proofs = [row for row in self.exported("whole_proof") if row["source"]["kind"] == "proof"]
        self.assertEqual(len(proofs), 1)
        self.assertIn("  -- Each part is known.\n  exact ⟨h.2, h.1⟩\n", proofs[0]["completion"][0]["content"])

    def test_conversations_with_tools_become_rows(self):
        kinds = [row["source"]["kind"] for row in self.exported("agent", "--replies")]
        self.assertIn("conversation", kinds)

    def test_an_attempt_counts_once(self):
        run = self.zermelo("export", "rl", "--from", "whole_proof")
        self.assertEqual([(row["samples"], row["proved"]) for row in map(json.loads, run.out.splitlines())], [(2, 2)])

    def test_attempts_are_runs_that_can_be_looked_at(self):
        database = ("--run-db", self.folder / "whole_proof/runs.db")
        runs = self.zermelo("runs", "--json", *database).json["runs"]
        self.assertEqual([(run["state"], run["proved"]) for run in runs], [("finished", 1)] * 2)
        shown = self.zermelo("runs", "show", "1", *database)
        self.assert_ends(shown, 0)
        self.assertIn("problem=swap", shown.out)
        self.assert_ends(self.zermelo("runs", "resume", "1", *database), 2, "attempt of an evaluation")

    def test_attempts_at_negations_are_recorded_and_not_exported(self):
        false = {"name": "wrong", "header": "", "formal_statement": "theorem wrong : 1 + 1 = 3 := by"}
        self.write("wrong.jsonl", json.dumps(false) + "\n")
        run = self.zermelo("eval", "wrong.jsonl", "--or-disprove", "--budget", "20s", "--jobs", "1", "--record-runs", "--out",
                           "wrong", "--json")
        self.assertEqual(run.json["disproved"], 1, run)
        runs = self.zermelo("runs", "--json", "--run-db", self.folder / "wrong/runs.db").json["runs"]
        self.assertEqual(sorted(run["file"].rpartition("/")[2] for run in runs), ["wrong.lean", "wrong.negation.lean"])
        self.assert_ends(self.zermelo("export", "sft", "--from", "wrong", "--replies"), 1)

    def test_a_record_that_cannot_be_kept_ends_the_evaluation(self):
        self.write("lost/runs.db", "no database\n" * 1000)
        run = self.zermelo("eval", "set.jsonl", "--budget", "20s", "--jobs", "1", "--record-runs", "--out", "lost")
        self.assertNotEqual(run.code, 0, run)
        self.assertIn("runs.db", run.err)
        self.assertEqual(list((self.folder / "lost/proofs").iterdir()), [])

    def test_a_folder_that_was_moved_is_read(self):
        (self.folder / "agent").rename(self.folder / "moved")
        try:
            self.assertIn("conversation", [row["source"]["kind"] for row in self.exported("moved", "--replies")])
        finally:
            (self.folder / "moved").rename(self.folder / "agent")


class FromTraces(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("project/A/Proofs.lean", PROOFS)
        cls.write("project/B.lean", PROOFS.replace("swap", "swap2"))
        cls.traced = cls.zermelo("trace", "project", "--workers", "1", "--json")
        cls.lines = rows(cls.folder / "trace.jsonl")

    def test_every_tactic_has_its_states_and_premises(self):
        self.assertEqual(self.traced.code, 0, self.traced)
        self.assertEqual((self.traced.json["files"], self.traced.json["theorems"]), (2, 6))
        head, swap, total, broken = self.lines[:4]
        self.assertEqual((head["file"], head["module"], head["theorems"]), ("A/Proofs.lean", "A.Proofs", 3))
        self.assertEqual([(t["tactic"], t["depth"]) for t in swap["tactics"]],
                         [("obtain ⟨hp, hq⟩ := h", 0), ("constructor", 0), ("· exact hq", 0), ("exact hq", 1),
                          ("· exact hp", 0), ("exact hp", 1)])
        self.assertEqual(swap["tactics"][0]["before"], "p q : Prop\nh : p ∧ q\n⊢ q ∧ p")
        self.assertEqual(swap["tactics"][0]["after"], "p q : Prop\nhp : p\nhq : q\n⊢ q ∧ p")
        self.assertEqual(swap["tactics"][3]["after"], "")
        self.assertEqual(total["tactics"][2]["start"], [10, 3])
        self.assertIn({"name": "Nat.add_comm", "module": "Init.Data.Nat.Basic"}, total["tactics"][2]["premises"])
        self.assertEqual([t["complete"] for t in (swap, total, broken)], [True, True, False])

    def test_a_trace_is_continued(self):
        path = self.folder / "trace.jsonl"
        before = path.read_bytes()
        again = self.zermelo("trace", "project", "--workers", "1", "--json")
        self.assertEqual((again.code, again.json["files"], again.json["known"]), (0, 0, 2), again)
        self.assertEqual(path.read_bytes(), before)

    def test_proofs_continue_from_their_states(self):
        run = self.zermelo("export", "sft", "--from", "trace.jsonl", "--cuts", "9", "--valid", "0", "--out", "sft.jsonl")
        self.assertEqual(run.code, 0, run)
        cuts = [row for row in rows(self.folder / "sft.jsonl") if "segments" in row]
        self.assertTrue(cuts)
        for row in cuts:
            self.assertRegex(row["segments"][0]["text"], "/- tactic state:\n +$")
            self.assertIn("⊢", row["segments"][1]["text"])
        self.assertFalse([row for row in rows(self.folder / "sft.jsonl") if row["source"]["theorem"] == "broken"])

    def test_prompts_begin_in_the_middle_of_a_proof(self):
        run = self.zermelo("export", "rl", "--from", "trace.jsonl", "--set", "paper=dsv15", "--partial", "0.5", "--out",
                           "rl.jsonl", "--json")
        self.assertEqual(run.code, 0, run)
        self.assertEqual(run.json["train"]["kinds"], {"rl_prompt": 12, "rl_partial": 12}, "in two formats")
        partial = [row for row in rows(self.folder / "rl.jsonl") if "prefix" in row]
        for row in partial:
            self.assertRegex(row["prompt"], r"/- tactic state:\n( .*\n)+ +-/\n$")
            self.assertIn(f"{row['theorem']['statement']}\n{row['prefix']}", row["prompt"])
            self.assertIn(row["prefix"], PROOFS)
        begun = max((row for row in partial if row["theorem"]["name"] == "swap"), key=lambda row: len(row["prefix"]))
        rest = PROOFS.split("\n\n")[0].removeprefix(f"{begun['theorem']['statement']}\n{begun['prefix']}")
        self.write("Whole.lean", begun["prompt"].split("```lean4\n")[1] + rest + "\n")
        self.assertEqual(self.zermelo("check", "Whole.lean").code, 0, "the prompt goes on to the whole proof")

    def test_partial_prompts_need_states(self):
        self.assert_ends(self.zermelo("export", "rl", "--from", "trace.jsonl", "--partial", "0.5", "--format", "stp"), 2, "stp")
        self.assert_ends(self.zermelo("export", "rl", "--from", "trace.jsonl", "--partial", "1.5"), 2, "--partial")

    def test_both_tails_of_perplexity_are_left_out(self):
        export = ["export", "sft", "--from", "trace.jsonl", "--format", "bfs-prover"]
        run = self.zermelo(*export, "--perplexity", MODEL, "--lower-tail", "0", "--upper-tail", "0", "--out", "scored.jsonl")
        self.assertEqual(run.code, 0, run)
        scored = sorted(row["perplexity"] for row in rows(self.folder / "scored.jsonl"))
        self.assertGreater(scored[0], 1)
        tail = len(scored) // 5
        self.assertGreater(tail, 0)
        run = self.zermelo(*export, "--perplexity", "scored.jsonl", "--lower-tail", "0.2", "--upper-tail", "0.2", "--out",
                           "middle.jsonl", "--json")
        self.assert_ends(run, 0, f"{2 * tail} perplexity")
        self.assertEqual(run.json["removed"]["perplexity"], 2 * tail)
        self.assertEqual(run.json["settings"]["perplexity"], {"under": "scored.jsonl", "lower_tail": 0.2, "upper_tail": 0.2})
        self.assertEqual(sorted(row["perplexity"] for row in rows(self.folder / "middle.jsonl")), scored[tail:-tail])

    def test_what_has_no_perplexity_is_an_error(self):
        export = ["export", "sft", "--from", "trace.jsonl", "--perplexity"]
        self.assert_ends(self.zermelo(*export, MODEL, "--format", "chat"), 2, "is a chat")
        self.assert_ends(self.zermelo(*export, MODEL, "--lower-tail", "0.6", "--upper-tail", "0.4"), 2, "leave no rows")
        self.assert_ends(self.zermelo(*export, "trace.jsonl"), 2, "trace.jsonl:1: ")

    def test_tactics_become_rows(self):
        run = self.zermelo("export", "sft", "--from", "trace.jsonl", "--format", "internlm2.5-stepprover")
        self.assertEqual(run.code, 0, run)
        constructor = next(r for r in map(json.loads, run.out.splitlines()) if r["completion"] == "constructor")
        self.assertIn("PROOF_BEFORE: obtain ⟨hp, hq⟩ := h\n", constructor["prompt"])

    def test_a_file_that_is_no_trace_is_refused(self):
        self.write("rows.jsonl", '{"prompt": "a"}\n')
        self.assert_ends(self.zermelo("trace", "project", "--out", "rows.jsonl"), 2, "rows.jsonl:1: this is not a trace")


if __name__ == "__main__":
    main()
