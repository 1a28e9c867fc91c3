#!/usr/bin/env python3
"""examples/train-small without Lean and without a trainer: what is done once, what is held out, and the statistics."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "examples/train-small"))

import synthetic  # noqa: E402
import train_small  # noqa: E402
from train_small import Driver, Failure, State, Training, read_lines, write_lines  # noqa: E402


def problem(name, claim, category="M"):
    return {"name": name, "category": category, "header": "", "formal_statement": f"theorem {name} {claim} := by\n  sorry"}


def result(name, run=1, outcome="unproved", attempts=1, checks=None, seconds=1.0, samples=1):
    proved = outcome == "proved"
    return {"problem": name, "run": run, "outcome": outcome, "attempts": attempts, "proved": int(proved),
            "checks_to_proof": checks, "to_proof": {"seconds": seconds, "samples": samples} if proved else None}


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="train-small-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)


class Steps(InFolder):
    def test_a_step_is_done_once_and_its_sittings_add_up(self):
        done = []

        def interrupted():
            raise Failure("stopped")
        with self.assertRaises(Failure):
            State(self.folder, {"seed": 1}).run("a", interrupted)
        self.assertEqual(State(self.folder, {"seed": 1}).step("a")["sittings"], 1)
        for _ in range(2):
            State(self.folder, {"seed": 1}).run("a", lambda: done.append("a"))
        state = State(self.folder, {"seed": 1})
        self.assertEqual(done, ["a"])
        self.assertTrue(state.is_done("a"))
        self.assertEqual(state.step("a")["sittings"], 2)

    def test_seconds_of_a_sitting_that_failed_count(self):
        state = State(self.folder, {})
        with mock.patch("time.monotonic", side_effect=[10.0, 13.0, 20.0, 24.0]):
            with self.assertRaises(Failure):
                state.run("data/x", mock.Mock(side_effect=Failure("stopped")))
            state.run("data/x", lambda: None)
        self.assertEqual(State(self.folder, {}).seconds("data/"), 7.0)

    def test_other_settings_are_an_error_that_names_them(self):
        State(self.folder, {"seed": 1, "size": "tiny"}).save()
        with self.assertRaisesRegex(Failure, "another seed"):
            State(self.folder, {"seed": 2, "size": "tiny"})

    def test_what_is_chosen_once_stays(self):
        self.assertEqual(State(self.folder, {}).once("rl", lambda: "grpo"), "grpo")
        self.assertEqual(State(self.folder, {}).once("rl", lambda: "vapo"), "grpo")

    def test_the_time_limit_stops_the_program_that_runs(self):
        driver = Driver(quiet=True)
        driver.hold(self.folder)
        before = signal.getsignal(signal.SIGALRM)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        train_small.stop_after(0.1, driver)
        with self.assertRaisesRegex(Failure, "same command again"):
            driver.run("sleep", "600")
        with self.assertRaisesRegex(Failure, "same command again"):
            driver.run("true")

    def test_a_stop_while_a_program_is_being_started_ends_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            driver = Driver(quiet=True)
            driver.lock = open(self.folder / "lock", "w", encoding="utf-8")
            self.addCleanup(driver.lock.close)
            start = subprocess.Popen

            def stopped_meanwhile(*words, **options):
                started = start(*words, **options)
                driver.stop(number, None)
                return started
            with self.subTest(number), mock.patch("subprocess.Popen", stopped_meanwhile), \
                    self.assertRaisesRegex(Failure, "same command again"):
                driver.run("sleep", "10")


class Sampling(unittest.TestCase):
    PROBLEMS = [problem(f"t{i}", f"(a : Nat) : a + {i} = {i} + a", f"M{i % 3}") for i in range(30)]

    def test_nothing_that_is_held_out_is_trained_on(self):
        held_out = [problem("other", "(a : Nat) :\n    a + 3 = 3 + a"), problem("t7", ": False")]
        chosen = train_small.training_sample(self.PROBLEMS, held_out, 30, 1, 500)
        self.assertEqual({p["name"] for p in self.PROBLEMS} - {p["name"] for p in chosen}, {"t3", "t7"})

    def test_names_proofs_and_layout_do_not_make_another_statement(self):
        keys = {train_small.statement_key({"formal_statement": text}) for text in (
            "theorem a (n : Nat) : n = n := by\n  sorry", "theorem b.c (n : Nat) :\n  n = n := sorry", "theorem d (n : Nat) : n = n := by",
            "/-- The same. -/\ntheorem e (n : Nat) : n = n", "theorem «f g».{u, v} (n : Nat) : n = n := by sorry")}
        self.assertEqual(len(keys), 1)
        self.assertNotEqual(train_small.statement_key({"formal_statement": "theorem a (n : Nat) : n = 0 := by sorry"}), keys.pop())

    def test_a_larger_sample_continues_a_smaller_one(self):
        small, large = (train_small.training_sample(self.PROBLEMS, [], count, 5, 500) for count in (8, 20))
        self.assertEqual(large[:8], small)
        self.assertNotEqual(small, train_small.training_sample(self.PROBLEMS, [], 8, 6, 500))

    def test_long_statements_are_left_out(self):
        long = problem("long", ": " + "0 + " * 200 + "0 = 0")
        self.assertEqual(train_small.training_sample([long], [], 1, 1, 500), [])

    def test_slices_have_every_problem_once(self):
        parts = train_small.slices_of(self.PROBLEMS, 8)
        self.assertEqual([len(part) for part in parts], [8, 8, 8, 6])
        self.assertEqual(sum(parts, []), self.PROBLEMS)

    def test_no_module_is_on_both_sides_of_the_division(self):
        rows = [{"prompt": p["name"], "source": {"theorem": p["name"]}} for p in self.PROBLEMS]
        modules = {p["name"]: p["category"] for p in self.PROBLEMS}
        train, valid = train_small.divided(rows, self.PROBLEMS, 0.5, 2)
        self.assertEqual(len(train) + len(valid), len(rows))
        self.assertTrue(valid)
        of = [{modules[row["prompt"]] for row in part} for part in (train, valid)]
        self.assertFalse(of[0] & of[1])

    def test_a_row_of_a_theorem_outside_the_sample_is_an_error(self):
        with self.assertRaisesRegex(Failure, "stranger"):
            train_small.divided([{"source": {"theorem": "stranger"}}], self.PROBLEMS, 0, 1)


class FakeDriver:
    """Does what the programs do, in files; stops before its `left`-th command."""

    def __init__(self, left):
        self.left, self.commands = left, []

    def say(self, text):
        pass

    def run(self, _program, *words, cwd=None, may_end=(0,)):
        if self.left == 0:
            raise Failure("stopped")
        self.left -= 1
        words = [str(word) for word in words]
        self.commands.append(words)
        out = pathlib.Path(words[words.index("--write-problems" if "--write-problems" in words else "--out") + 1])
        if "--write-problems" in words:
            split = words[words.index("--split") + 1]
            write_lines(out, [problem(f"{split}.{i}", f": {i} < {i} + {ord(split[1])}", f"M{i}") for i in range(10)])
        elif words[0] == "eval":
            rows = read_lines(pathlib.Path(words[1]))
            write_lines(out / "results.jsonl", [result(p["name"], outcome="proved", checks=1) for p in rows])
            (out / "proofs").mkdir(exist_ok=True)
            if "slice-001" in words[1]:
                (out / "proofs/one.lean").touch()  # nothing of the other slices is proved
        elif words[0] == "trace":
            write_lines(out, [{}])
        elif words[0] == "export":
            parts = [pathlib.Path(words[i + 1]) for i, word in enumerate(words) if word == "--from"]
            names = [p["name"] for part in parts if part.name == "trace.jsonl" for p in read_lines(part.parent / "problems.jsonl")]
            form = words[words.index("--format") + 1]
            write_lines(out, [{"prompt": f"{form} {name}", "completion": "rfl", "source": {"theorem": name}} for name in names])
        return 0


class Synthetic(unittest.TestCase):
    ROWS = synthetic.statements(60, 1)

    def test_the_same_seed_makes_the_same_statements(self):
        self.assertEqual(synthetic.statements(60, 1), self.ROWS)
        self.assertNotEqual(synthetic.statements(60, 2), self.ROWS)

    def test_all_statements_differ_and_none_has_a_free_variable(self):
        claims = [row["formal_statement"].split(" ", 2)[2] for row in self.ROWS]
        self.assertEqual(len(set(claims)), 60)
        for claim in claims:
            binders, _, rest = claim.partition(") : ")
            declared = set(re.findall(r"\b(?:[abcpqrstxyz]|us|vs)\b", " ".join(re.findall(r"\(([^:()]*) : (?:Nat|Int|Bool|Prop|List Nat)", claim))))
            used = set(re.findall(r"\b(?:[abcpqrstxyz]|us|vs)\b", claim))
            self.assertEqual(used, declared, claim)

    def test_division_is_leans(self):
        self.assertEqual([synthetic.divided(7, 2), synthetic.divided(7, 0)], [(3, 1), (0, 7)])

    def test_only_the_outermost_parentheses_are_removed(self):
        self.assertEqual(synthetic.outer("((a + b) * c)"), "(a + b) * c")
        self.assertEqual(synthetic.outer("(a + b) * (c)"), "(a + b) * (c)")


class DataStage(InFolder):
    def sitting(self, commands):
        settings = train_small.settings_of("tiny", 1)
        driver = FakeDriver(commands)
        training = Training(self.folder, settings, driver, State(self.folder, settings), 1)
        try:
            training.data()
        except Failure as failure:
            self.assertEqual(str(failure), "stopped")
        return driver.commands

    def test_sittings_of_any_length_do_each_thing_once(self):
        whole = []
        for _ in range(5):
            whole += self.sitting(6)
        self.assertEqual(self.sitting(5), [], "nothing is left to do")
        evaluated = [words[1] for words in whole if words[0] == "eval" and "--write-problems" not in words]
        self.assertEqual([pathlib.Path(path).parent.name for path in evaluated], ["slice-001", "slice-002", "slice-003"])
        self.assertEqual([pathlib.Path(words[1]).parent.parent.name for words in whole if words[0] == "trace"], ["slice-001"])
        rows = read_lines(self.folder / "rows.jsonl")
        sample = read_lines(self.folder / "data/sample.jsonl")
        self.assertEqual(len(sample), 15)
        first = read_lines(self.folder / "data/slice-001/problems.jsonl")
        self.assertEqual({row["prompt"] for row in rows}, {f"{form} {p['name']}" for p in first for form in ("small", "bfs-prover")})

    def test_random_statements_are_the_last_slices(self):
        self.sitting(100)
        slices = [read_lines(path) for path in sorted((self.folder / "data").glob("slice-*/problems.jsonl"))]
        self.assertEqual([len(part) for part in slices], [5, 5, 5])
        self.assertEqual([p["name"].startswith("synthetic_") for part in slices for p in part], [False] * 10 + [True] * 5)

    def test_every_export_leaves_out_what_is_held_out(self):
        exports = [words for words in self.sitting(100) if words[0] == "export"]
        self.assertEqual(len(exports), 2)
        for words in exports:
            left_out = {pathlib.Path(words[i + 1]).name for i, word in enumerate(words) if word == "--without"}
            self.assertEqual(left_out, {"corelib-valid.jsonl", "corelib-test.jsonl", "minif2f-core.jsonl"})


class Statistics(unittest.TestCase):
    def test_mcnemar_is_exact_and_two_sided(self):
        self.assertEqual(train_small.mcnemar(0, 0), 1)
        self.assertEqual(train_small.mcnemar(3, 3), 1)
        self.assertAlmostEqual(train_small.mcnemar(0, 5), 2 / 32)
        self.assertAlmostEqual(train_small.mcnemar(9, 1), 22 / 1024)
        self.assertEqual(train_small.mcnemar(2, 9), train_small.mcnemar(9, 2))
        self.assertLess(train_small.mcnemar(600, 900), 1e-9)

    def test_only_problems_of_both_arms_are_compared(self):
        found = train_small.paired({"a": True, "b": False, "c": True, "x": True}, {"a": True, "b": True, "c": False, "y": True})
        self.assertEqual((found["problems"], found["both"], found["only_a"], found["only_b"]), (3, 1, 1, 1))

    def test_a_problem_needs_more_than_half_of_its_runs(self):
        runs = {(name, run): outcome == "1" for name, outcomes in (("a", "110"), ("b", "100"), ("c", "10")) for run, outcome in
                enumerate(outcomes)}
        self.assertEqual(train_small.by_majority(runs, bool), {"a": True, "b": False, "c": False})

    def test_a_proof_counts_if_it_was_found_within_the_limit(self):
        late = result("a", outcome="proved", checks=65, seconds=3.0, samples=40)
        self.assertFalse(train_small.solved_within(late, "checks", 64))
        self.assertTrue(train_small.solved_within(late, "seconds", 3))
        self.assertTrue(train_small.solved_within(late, "samples", 64))
        self.assertFalse(train_small.solved_within(result("a"), "seconds", 100))

    def test_pass_at_k_is_unbiased(self):
        self.assertAlmostEqual(train_small.pass_at(1, 8, 2), 0.25)
        self.assertAlmostEqual(train_small.pass_at(2, 4, 1), 0.5)
        self.assertEqual(train_small.pass_at(8, 8, 1), 1)
        self.assertIsNone(train_small.pass_at(8, 4, 1))

    def test_equal_checks_and_equal_seconds_are_compared_apart(self):
        settings = {"checks": 10, "seconds": 5, "search": [4], "pass": 4}
        arms = {"sft": {("a", 1): result("a", outcome="proved", checks=50, seconds=1.0)},
                "rl": {("a", 1): result("a", outcome="proved", checks=5, seconds=1.0)}}
        by_checks, by_seconds = train_small.comparisons(arms, settings)
        self.assertEqual((by_checks["equal"], by_checks["only_a"], by_checks["only_b"]), ("checks", 0, 1))
        self.assertEqual((by_seconds["equal"], by_seconds["both"]), ("seconds", 1))


class Report(InFolder):
    def test_the_table_has_each_arm_and_its_comparison(self):
        settings = train_small.settings_of("tiny", 1)
        state = State(self.folder, settings)
        for name in ("corelib-valid", "minif2f-core", "corelib-test"):
            write_lines(self.folder / f"problems/{name}.jsonl", [problem(f"{name}.{i}", f": {i} = {i}") for i in range(4)])
        for arm, solved in (("sft", 1), ("rl", 3), ("pass/sft", 2)):
            write_lines(self.folder / f"evaluation/valid/{arm}/results.jsonl", [
                result(f"corelib-valid.{i}", outcome="proved" if i < solved else "unproved", attempts=4, checks=2) for i in range(4)])
            write_lines(self.folder / f"evaluation/valid/{arm}/sessions.jsonl", [{"lean_checks": 20}])
            state.run(f"evaluation/valid/{arm}", lambda: None)
        Training(self.folder, settings, FakeDriver(0), state, None).report()
        report = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        arms = report["benchmarks"]["corelib-valid"]["arms"]
        self.assertEqual((arms["sft"]["checks"], arms["rl"]["seconds"], arms["rl"]["checks_each"]), (0.25, 0.75, 5.0))
        self.assertEqual(arms["pass/sft"]["pass@1"], 0.125)
        pair = report["benchmarks"]["corelib-valid"]["pairs"][0]
        self.assertEqual((pair["a"], pair["b"], pair["only_b"], pair["p"]), ("sft", "rl", 2, 0.5))
        text = (self.folder / "results.md").read_text(encoding="utf-8")
        self.assertIn("| rl | 4 | 1 | 75.0 | 75.0 |", text)
        self.assertIn("| sft | rl | 8 checks | 1 | 0 | 2 | 0.5 |", text)
        self.assertNotIn("corelib-test", text)


class ByHand(unittest.TestCase):
    def test_an_earlier_step_makes_each_benchmark_that_is_held_out(self):
        text = (ROOT / "examples/train-small/README.md").read_text(encoding="utf-8")
        steps, _, rest = text.partition('held="')
        for path in re.findall(r"--without (\S+)", rest.partition('"')[0]):
            if "corelib" in path:  # by the first step, whose comment says so
                path = "problems/corelib-train.jsonl"
            self.assertRegex(steps, rf"(?m)^    (?:zermelo eval .*--write-problems|cp \S+) {re.escape(path)}\b")
        self.assertIn(f"cp REPOSITORY/{train_small.MINIF2F.relative_to(ROOT)} ", steps)


class Settings(unittest.TestCase):
    def test_every_size_says_what_all_stages_need(self):
        for size in train_small.SIZES:
            settings = train_small.settings_of(size, 1)
            for key in ("model", "vocabulary", "slices", "seconds", "problems"):
                self.assertIn(key, settings, size)
            for stage, keys in (("sft", ["steps", "batch"]), ("expert", ["rounds", "problems"]), ("grpo", ["steps"]), ("vapo", ["steps"])):
                for key in keys:
                    self.assertIn(key, settings[stage], f"{size}: {stage}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
