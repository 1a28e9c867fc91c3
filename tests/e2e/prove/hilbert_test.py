#!/usr/bin/env python3
"""Hilbert's scenarios with a scripted reasoner and prover, and real Lean. One run proves seven theorems; the budget
of the eighth ends in the middle."""
import json
import re
import subprocess
import sys

from testing.zermelo import ROOT, ZermeloTest, main

sys.path.insert(0, str(ROOT / "tests/sim_model"))
import hilbert  # noqa: E402

SIM = ROOT / "tests/sim_model/sim_model.py"

# Every theorem of the file; the models prove only the first one directly.
CHAIN = "(p q r : Prop) (hp : p) (hpq : p → q) (hqr : q → r) : q ∧ r"
H1, H2 = "(p q : Prop) (hp : p) (hpq : p → q) : q", "(q r : Prop) (hq : q) (hqr : q → r) : r"
THEOREMS = {
    "direct": "(p q : Prop) (hp : p) (hq : q) : q ∧ p",
    "one_sketch": CHAIN, "syntax_error": CHAIN, "missing": CHAIN, "false_subgoal": CHAIN,
    "unknown_name": CHAIN, "deep": CHAIN,
}
SQUARE = ": ∃ n : Nat, n * n = 15241578750190521"  # the built-in policy does not find it
CHOSEN = ["Nat.lt_add_one_of_le", "Nat.lt_add_one_iff", "Nat.le_of_lt_add_one"]  # from the results of the library search
LIBRARY, LIBRARY_H1 = "(a b : Nat) (h : a ≤ b) : a < b + 1 ∧ True", "(a b : Nat) (h : a ≤ b) : a < b + 1"
BUDGET = "(p q r : Prop) (hp : p) (hpq : p → q) (hqr : q → r) : r ∧ q"


def lean(code):
    return f"```lean4\n{code}\n```"


def sketch(name, statement=CHAIN, steps=(("h1", "q"), ("h2", "r")), end="exact ⟨h1, h2⟩"):
    lines = [f"  have {have} : {fact} := by sorry" for have, fact in steps]
    return lean("\n".join([f"theorem {name} {statement} := by", *lines, f"  {end}"]))


def theorems(*pairs):
    return lean("\n".join(f"theorem {name} {statement} := by sorry" for name, statement in pairs))


def assembly(name, statement=CHAIN, calls=(("h1", "q", "h1 p q hp hpq"), ("h2", "r", "h2 q r h1 hqr")),
             end="exact ⟨h1, h2⟩", prefix=None):
    lines = [f"  have {have} : {fact} := by exact {prefix or name}_{call}" for have, fact, call in calls]
    return lean("\n".join([f"theorem {name} {statement} := by", *lines, f"  {end}"]))


def script():
    rules = []

    def say(step, theorem, *answers):
        rules.append({"step": step, "theorem": theorem, "say": list(answers)})

    for name in ("one_sketch", "missing", "syntax_error", "unknown_name", "deep", "budget"):
        statement, end = (BUDGET, "exact ⟨h2, h1⟩") if name == "budget" else (CHAIN, "exact ⟨h1, h2⟩")
        if name != "syntax_error":
            say("sketch", name, sketch(name, statement, end=end))
        if name != "missing":
            say("extract_subgoals", name, theorems(("h1", H1), ("h2", H2)))
        say("assemble", name, assembly(name, statement, end=end))
    say("sketch", "syntax_error", sketch("syntax_error", end="exact ⟨h1 h2⟩⟩"))
    say("correct_sketch", "syntax_error", sketch("syntax_error"))
    # One of the statements is rejected, the other one is missing.
    say("extract_subgoals", "missing", theorems(("h1", "(p q : Prop) (hp : p) (hpq : p → q) : qq_unknown q")))
    say("missing_subgoals", "missing", theorems(("h2", H2)))
    say("correct_statement", "missing_h1", theorems(("missing_h1", H1)))
    # Its h2 is false; the sketch that follows keeps h1.
    wrong = (("h1", "q"), ("h2", "r ∧ ¬ r"))
    say("sketch", "false_subgoal", sketch("false_subgoal", steps=wrong, end="exact ⟨h1, h2.1⟩"))
    say("extract_subgoals", "false_subgoal",
        theorems(("h1", H1), ("h2", "(q r : Prop) (hq : q) : r ∧ ¬ r")), theorems(("h1", H1), ("h2", H2)))
    say("assemble", "false_subgoal",
        assembly("false_subgoal", calls=(("h1", "q", "h1 p q hp hpq"), ("h2", "r ∧ ¬ r", "h2 q r h1")),
                 end="exact ⟨h1, h2.1⟩"),
        lean(f"theorem false_subgoal {CHAIN} := by\n  have h1 : q := by exact false_subgoal_h1 p q hp hpq\n"
             "  have h2 : r := by exact false_subgoal_h2_2 q r h1 hqr\n  exact ⟨h1, h2⟩"))
    say("judge_mathematics", "false_subgoal_h2",
        "<reason>r and not r contradict each other</reason><verdict>NO</verdict>")
    say("refine_sketch", "false_subgoal", sketch("false_subgoal"))
    # The reasoner proves h2 after learning that a name does not exist.
    say("prove", "unknown_name_h2", lean(f"theorem unknown_name_h2 {H2} := by\n  exact Prop.follows hq hqr"))
    say("correct_proof", "unknown_name_h2", lean(f"theorem unknown_name_h2 {H2} := by\n  exact hqr hq"))
    # No model proves deep_h2, so it is divided.
    say("prove", "deep_h2", lean(f"theorem deep_h2 {H2} := by\n" + "  skip\n" * 31 + "  exact hq"))
    say("sketch", "deep_h2", sketch("deep_h2", H2, steps=(("k", "r"),), end="exact k"))
    say("extract_subgoals", "deep_h2", theorems(("k", "(q r : Prop) (hqr : q → r) (hq : q) : r")))
    say("assemble", "deep_h2", assembly("deep_h2", H2, calls=(("k", "r", "k q r hqr hq"),), end="exact k"))
    # The library has the theorem whose name the reasoner gets wrong.
    say("search_queries", "library", "<query>Nat lt add one of le</query>")
    say("search_queries", "library_h1", "<query>Nat lt add one of le</query>")
    say("select_premises", "library_h1", " ".join(f"<theorem>{name}</theorem>" for name in CHOSEN))
    say("sketch", "library", sketch("library", LIBRARY, (("h1", "a < b + 1"),), "exact ⟨h1, trivial⟩"))
    say("extract_subgoals", "library", theorems(("h1", LIBRARY_H1)))
    say("assemble", "library",
        assembly("library", LIBRARY, (("h1", "a < b + 1", "h1 a b h"),), "exact ⟨h1, trivial⟩"))
    say("prove", "library_h1", lean(f"theorem library_h1 {LIBRARY_H1} := by\n  exact Nat.less_than_next h"))
    rules.append({"step": "error_queries", "say": "<query>Nat lt succ of le</query>"})
    say("correct_proof", "library_h1", lean(f"theorem library_h1 {LIBRARY_H1} := by\n  exact Nat.lt_succ_of_le h"))
    # The built-in policy proves its true subgoal and disproves the false one.
    wrong_root, root = ((("h1", f"{n} * {n} = 15241578750190521"),) for n in (123456788, 123456789))
    say("sketch", "square", sketch("square", SQUARE, wrong_root, "exact ⟨123456788, h1⟩"))
    say("refine_sketch", "square", sketch("square", SQUARE, root, "exact ⟨123456789, h1⟩"))
    for judge in ("judge_mathematics", "judge_formalization"):
        rules.append({"step": judge, "say": "<reason>it follows</reason><verdict>YES</verdict>"})
    rules.append({"step": "informal_proof", "say": "<informal_proof>From p follows q, from q r.</informal_proof>"})
    return rules


def prover_table():
    """The prover's proofs of whole theorems, by statement."""
    rows = [("direct", THEOREMS["direct"], "  exact ⟨hq, hp⟩")]
    for name in ("one_sketch", "syntax_error", "missing", "false_subgoal", "unknown_name", "deep", "budget"):
        rows.append((f"{name}_h1", H1, "  exact hpq hp"))
    for name in ("one_sketch_h2", "syntax_error_h2", "missing_h2", "false_subgoal_h2_2"):
        rows.append((name, H2, "  exact hqr hq"))
    rows.append(("deep_h2_k", "(q r : Prop) (hqr : q → r) (hq : q) : r", "  exact hqr hq"))
    return [{"name": n, "statement": f"theorem {n} {s}", "proof": p} for n, s, p in rows]


def nodes(tree):
    """(name, state, why) of all nodes, each before its subgoals."""
    found = [(tree["name"], tree["state"], tree["why"])]
    for division in tree["sketches"]:
        for subgoal in division["subgoals"]:
            found += nodes(subgoal)
    return found


def asked_in(events, theorem):
    """The reasoner's steps during the search for a theorem, and their prompts."""
    at, steps, questions = None, [], hilbert.Questions()
    for event in events:
        at = event["name"] if event["kind"] == "theorem_begun" else at
        if at == theorem and event["kind"] == "generated" and event["model"] == "reasoner":
            request = event["request"].get("request", event["request"])
            steps.append((questions.question(request["messages"])[0], request["messages"][-1]["content"]))
    return steps


class Hilbert(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        table = cls.write("proofs.jsonl", "".join(json.dumps(row) + "\n" for row in prover_table()))
        answers = cls.write("script.json", json.dumps(script()))
        cls.sim = subprocess.Popen([sys.executable, str(SIM), "--proofs", str(table), "--script", str(answers)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.port = json.loads(cls.sim.stdout.readline())["port"]
        cls.addClassCleanup(cls.stop)
        endpoint = f'endpoint = "http://127.0.0.1:{cls.port}/v1"\nmodel = "sim"\n'
        cls.write("zermelo.toml",
                  f'[models.prover]\n{endpoint}format = "deepseek-prover-v1.5"\n[models.reasoner]\n{endpoint}'
                  'format = "chat"\nprice = { prompt = 1, completion = 2 }\n'
                  '[roles]\nprover = "prover"\nreasoner = "reasoner"\n'
                  "[strategy.hilbert]\ninitial_proofs = 1\nsubgoal_proofs = 1\nshallow_attempts = 1\n"
                  "sketch_attempts = 1\ncalls = 1\nparallel = 1\n")
        text = "".join(f"theorem {name} {statement} := by\n  sorry\n\n" for name, statement in THEOREMS.items())
        cls.write("Stories.lean", text)
        cls.write("Budget.lean", f"theorem budget {BUDGET} := by\n  sorry\n")
        cls.run_ = cls.divide("Stories.lean", "--no-builtin", "--no-premises", "--out", "Out.lean",
                              "--run-db", "runs.db")
        cls.shown = cls.zermelo("runs", "show", "1", "--run-db", "runs.db", "--json").json
        cls.trees = {tree["name"]: tree for tree in cls.shown["subgoals"]}
        cls.events = cls.events_of("runs.db")

    @classmethod
    def stop(cls):
        cls.sim.stdin.close()
        cls.sim.wait(10)
        cls.sim.stdout.close()

    @classmethod
    def divide(cls, file, *options):
        return cls.zermelo("prove", file, "--strategy", "hilbert", "--json", "--workers", "1", "--time", "5m", *options,
                           limit=400)

    @classmethod
    def events_of(cls, database):
        lines = cls.zermelo("events", "1", "--jsonl", "--run-db", database).out.splitlines()
        return [json.loads(line) for line in lines]

    def asked(self, theorem):
        return asked_in(self.events, theorem)

    def steps(self, theorem):
        return [step for step, _ in self.asked(theorem)]

    def theorem(self, name):
        return next(t for t in self.run_.json["theorems"] if t["name"] == name)

    def assert_proved(self, name):
        self.assertEqual(self.theorem(name)["status"], "proved", self.run_)

    def assert_tree(self, name, *expected):
        self.assertEqual(nodes(self.trees[name]), list(expected))

    def test_all_are_proved_and_verified(self):
        self.assert_ends(self.run_, 0, "7 of 7 proved", "reasoner:", "prover:", "judge:")
        self.assert_ends(self.zermelo("check", "Out.lean", "--against", "Stories.lean"), 0)

    def test_solved_directly(self):
        self.assert_proved("direct")
        self.assertEqual(self.steps("direct"), [])
        self.assertEqual(list(self.theorem("direct")["roles"]), ["prover"])
        self.assertNotIn("direct", self.trees)

    def test_solved_by_one_sketch(self):
        self.assert_proved("one_sketch")
        self.assertEqual(self.steps("one_sketch"), ["informal_proof", "sketch", "extract_subgoals", "assemble"])
        self.assert_tree("one_sketch", ("one_sketch", "proved", "its sketch"),
                         ("one_sketch_h1", "proved", "the prover"), ("one_sketch_h2", "proved", "the prover"))
        self.assertEqual(self.theorem("one_sketch")["depth"], 1)
        self.assertIn("theorem one_sketch_h1", self.theorem("one_sketch")["auxiliary"])

    def test_a_syntax_error_is_corrected(self):
        self.assert_proved("syntax_error")
        self.assertEqual(self.steps("syntax_error"),
                         ["informal_proof", "sketch", "correct_sketch", "extract_subgoals", "assemble"])
        self.assertIn("<error>", self.asked("syntax_error")[2][1])

    def test_a_missing_subgoal_is_requested_again_and_a_wrong_statement_corrected(self):
        self.assert_proved("missing")
        self.assertEqual(self.steps("missing"), ["informal_proof", "sketch", "extract_subgoals",
                                                 "missing_subgoals", "correct_statement", "assemble"])
        self.assertIn("are missing: h2.", self.asked("missing")[3][1])
        self.assertIn("qq_unknown", self.asked("missing")[4][1])

    def test_a_false_subgoal_refines_the_sketch_and_proved_subgoals_are_kept(self):
        self.assert_proved("false_subgoal")
        self.assertEqual(self.steps("false_subgoal").count("refine_sketch"), 1)
        refine = dict(self.asked("false_subgoal"))["refine_sketch"]
        self.assertIn("r and not r contradict each other", refine)
        self.assertIn("theorem false_subgoal_h1", refine)
        self.assert_tree("false_subgoal", ("false_subgoal", "proved", "its sketch"),
                         ("false_subgoal_h1", "proved", "the prover"),
                         ("false_subgoal_h2", "false", "r and not r contradict each other"),
                         ("false_subgoal_h1", "proved", "memory"), ("false_subgoal_h2_2", "proved", "the prover"))

    def test_the_shallow_solve_recovers_from_an_unknown_name(self):
        self.assert_proved("unknown_name")
        self.assertEqual(self.steps("unknown_name")[-2:], ["prove", "correct_proof"])
        self.assertIn("Prop.follows", self.asked("unknown_name")[-1][1])
        self.assertIn(("unknown_name_h2", "proved", "the reasoner"), nodes(self.trees["unknown_name"]))

    def test_recursion_to_depth_2(self):
        self.assert_proved("deep")
        self.assertEqual(self.theorem("deep")["depth"], 2)
        self.assertEqual(self.steps("deep").count("correct_proof"), 0, "a long proof that is wrong is not corrected")
        self.assertEqual(nodes(self.trees["deep"])[2:], [("deep_h2", "proved", "its sketch"),
                                                         ("deep_h2_k", "proved", "the prover")])
        shown = self.zermelo("runs", "show", "1", "--run-db", "runs.db").out
        self.assertIn("\n        ✓ deep_h2_k (q r : Prop)", shown)
        self.assertIn("\n  sketch 1\n    ✓ deep_h1", shown)

    def test_spending_is_reported_by_role(self):
        roles = self.run_.json["roles"]
        self.assertEqual(sorted(roles), ["informal", "judge", "prover", "reasoner", "sketcher"])
        self.assertEqual(roles, self.shown["roles"])
        models = self.run_.json["models"]
        for figure in ("calls", "prompt_tokens", "completion_tokens"):
            self.assertEqual(sum(spent[figure] for spent in roles.values()),
                             sum(spent[figure] for spent in models.values()))
        self.assertGreater(roles["reasoner"]["dollars"], 0)
        self.assertEqual(roles["informal"]["calls"], 8, "six theorems and a subgoal are divided, one sketch is refined")

    def test_an_evaluation_counts_calls_and_tokens_by_role(self):
        names = "direct", "one_sketch"
        self.write("set.jsonl", "".join(json.dumps({"name": n, "formal_statement": f"theorem {n} {THEOREMS[n]} := by\n"})
                                        + "\n" for n in names))
        run = self.zermelo("eval", "set.jsonl", "--strategy", "hilbert", "--no-builtin", "--no-premises",
                           "--budget", "5m", "--jobs", "1", "--workers", "1", "--out", "ev", "--json", limit=400)
        self.assert_ends(run, 0)
        self.assertEqual(run.json["solved"], 2, run)
        summary = json.loads((self.folder / "ev/summary.json").read_text(encoding="utf-8"))
        by_role = {row["role"]: row for row in summary["by_role"]}
        self.assertEqual(sorted(by_role), ["informal", "prover", "reasoner", "sketcher"])
        self.assertEqual(by_role["informal"]["calls"], 1, "one theorem is divided")
        self.assertGreaterEqual(by_role["prover"]["calls"], 4)
        for row in by_role.values():
            self.assertGreater(row["completion_tokens"], 0)
        self.assertEqual(self.report_data(self.folder / "ev")["summary"]["by_role"], summary["by_role"])

    def test_the_library_search_corrects_a_wrong_name(self):
        self.assert_ends(self.zermelo("index", limit=400), 0)
        self.write("Library.lean", f"theorem library {LIBRARY} := by\n  sorry\n")
        run = self.divide("Library.lean", "--no-builtin", "--run-db", "library.db")
        self.assert_ends(run, 0, "1 of 1 proved")
        asked = dict(asked_in(self.events_of("library.db"), "library"))
        offered = re.findall(r"^- (\S+)", asked["select_premises"], re.MULTILINE)
        self.assertGreater(len(offered), len(CHOSEN))
        self.assertEqual(re.findall(r"^- (\S+)", asked["prove"], re.MULTILINE),
                         [name for name in offered if name in CHOSEN])
        self.assertTrue(set(CHOSEN) & set(offered), "the script knows none of the premises offered")
        self.assertIn("- Nat.less_than_next", asked["error_queries"])
        self.assertRegex(asked["correct_proof"], r"(?m)^- Nat\.")

    def test_the_built_in_policy_tries_every_subgoal_and_its_negation_for_free(self):
        self.write("Square.lean", f"theorem square {SQUARE} := by\n  sorry\n")
        run = self.divide("Square.lean", "--no-premises", "--run-db", "square.db", "--set", "hilbert.subgoal_proofs=0",
                          "--set", "hilbert.extraction=lean", "--set", "hilbert.builtin_seconds=16",
                          "--set", "hilbert.disprove_seconds=40")
        self.assert_ends(run, 0, "1 of 1 proved")
        shown = self.zermelo("runs", "show", "1", "--run-db", "square.db", "--json").json
        found = nodes(shown["subgoals"][0])
        self.assertEqual([(name, state) for name, state, _ in found],
                         [("square", "proved"), ("square_h1", "false"), ("square_h1_2", "proved")])
        self.assertIn("proof of its negation", found[1][2])
        self.assertEqual(found[2][2], "the built-in policy")
        roles = run.json["roles"]
        self.assertNotIn("judge", roles, "Lean has already shown that it is false")
        self.assertNotIn("reasoner", roles, "theorems and assembly come from Lean's tactic states")
        self.assertEqual(roles["prover"]["calls"], 1, "it does not prove the theorem")

    def test_when_the_budget_ends_early_proved_subgoals_are_reported(self):
        # One call of the prover, four to divide the theorem, two of the prover; none is left for a judge.
        run = self.divide("Budget.lean", "--no-builtin", "--no-premises", "--samples", "7",
                          "--run-db", "budget.db")
        self.assert_ends(run, 1, "no proof within the models' budget; depth 1, 1 of 2 subgoals proved")
        [theorem] = run.json["theorems"]
        self.assertEqual(theorem["lemmas"], [f"theorem budget_h1 {H1} := by\n  exact hpq hp\n"])
        self.assertEqual(sum(spent["samples"] for spent in run.json["models"].values()), 7)
        shown = self.zermelo("runs", "show", "1", "--run-db", "budget.db").out
        self.assertIn("✓ budget_h1", shown)
        self.assertIn("– budget_h2", shown)

    def test_impossible_roles_are_errors(self):
        model = f'[models.m]\nendpoint = "http://127.0.0.1:{self.port}/v1"\nmodel = "sim"\nformat = '
        cases = {'"chat"\n[roles]\nreasonr = "m"\n': ("line 6", "reasoner"),
                 '"chat"\n[roles]\nreasoner = "n"\n': ("line 6", "'n'"),
                 '"deepseek-prover-v1.5"\n[roles]\nreasoner = "m"\n': ("m cannot be the reasoner", "chat"),
                 '"deepseek-prover-v1.5"\n[roles]\nprover = "m"\n': ("needs a language model that chats", "[roles]"),
                 '"chat"\n': ("needs a language model that chats", "--model")}
        for number, (config, said) in enumerate(cases.items()):
            with self.subTest(config):
                self.write(f"bad{number}/zermelo.toml", model + config)
                self.write(f"bad{number}/Budget.lean", f"theorem budget {BUDGET} := by\n  sorry\n")
                run = self.zermelo("prove", f"bad{number}/Budget.lean", "--strategy", "hilbert")
                self.assert_ends(run, 2, *said)
        self.assert_ends(self.zermelo("prove", "bad0/Budget.lean", "--samples", "3"), 2, "--samples needs a model")


if __name__ == "__main__":
    main()
