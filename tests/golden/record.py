#!/usr/bin/env python3
"""Records the runs that golden_runs_test.py replays: those of the end-to-end tests named below, and some without a
model. Their databases become text in runs/NAME/, with the folders of this machine replaced.

usage: record.py [NAME...]      a part of a run's name; default: all
"""
import contextlib
import json
import lzma
import pathlib
import re
import sqlite3
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e/prove"))
import agent_test  # noqa: E402
import hilbert_test  # noqa: E402
import model_test  # noqa: E402
import sketch_test  # noqa: E402
import strategies_test  # noqa: E402
from testing.zermelo import LEAN, ROOT, ZermeloTest  # noqa: E402

RUNS = HERE / "runs"
FOLDER, LEAN_PROGRAM = "@FOLDER@", "@LEAN@"


class WithoutAModel(ZermeloTest):
    """The built-in policy alone, on theorems that need most of its parts."""

    def prove(self, name, *options, time="10s"):
        text = (ROOT / "examples/quickstart.lean").read_text(encoding="utf-8")
        self.write(f"{name}.lean", text)
        return self.zermelo("prove", f"{name}.lean", "--json", "--workers", "1", "--time", time, "--no-premises", *options,
                            limit=900)

    def test_auto(self):
        self.prove("Auto")

    def test_best_first(self):
        self.prove("BestFirst", "--strategy", "best_first", "--trace")

    def test_sg_mdp(self):
        self.prove("SgMdp", "--strategy", "sg_mdp", "--seed", "3")

    def test_holdout(self):
        """Problems of several kinds, one after the other in one file."""
        theorems = [
            "theorem residues (n : Nat) (h : n % 6 = 5) : n ^ 2 % 3 = 1",
            "theorem powers (n : Nat) : (3 ^ (2 * n) - 1) % 8 = 0",
            "theorem divisors (n : Nat) (h : n ∣ 12) (h2 : 4 < n) : n = 6 ∨ n = 12",
            "theorem witness : ∃ a b : Nat, a ^ 2 + b ^ 2 = 25 ∧ 0 < a ∧ a < b",
            "theorem square (x y : Int) : (x - y) ^ 2 + 4 * (x * y) = (x + y) ^ 2",
            "theorem sequence (f : Nat → Nat) (h0 : f 0 = 1) (h : ∀ n, f (n + 1) = f n + 2 * n + 3) : f 3 = 16",
            "theorem lists (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length",
            "theorem logic (p q r : Prop) : (p ∧ q → r) ↔ (p → q → r)",
            "theorem unprovable (n : Nat) : n * n < n + 1",
        ]
        self.write("Kinds.lean", "".join(f"{t} := by\n  sorry\n\n" for t in theorems))
        self.zermelo("prove", "Kinds.lean", "--json", "--workers", "1", "--time", "20s", "--no-premises", limit=900)


RECORDED = [
    WithoutAModel, agent_test.AnAgent, hilbert_test.Hilbert, sketch_test.ASketch, sketch_test.ASketchWithoutMoney,
    *(model_test.AModel(name) for name in (
        "test_the_model_proves_what_the_built_in_tactics_do_not_find_in_time", "test_a_model_in_a_completion_format",
        "test_a_step_model", "test_a_mixture_of_two_models", "test_lemmas_before_the_theorem",
        "test_corrupted_answers_and_faults_only_cost_time", "test_the_budget_of_samples_is_kept")),
    *(strategies_test.Strategies(name) for name in (
        "test_rmaxts_proves_it_step_by_step_and_obeys_its_parameters", "test_sg_mdp_proves_it_tactic_by_tactic",
        "test_all_counts_distinct_proofs", "test_the_built_in_policy_alone")),
]


def as_text(database, folder):
    """The last run of a database with its events and model calls, as SQL."""
    with contextlib.closing(sqlite3.connect(database)) as source, contextlib.closing(sqlite3.connect(":memory:")) as copy:
        source.backup(copy)
        last, = copy.execute("SELECT max(id) FROM runs").fetchone()
        for table, column in (("theorems", "run"), ("events", "run"), ("runs", "id")):
            copy.execute(f"DELETE FROM {table} WHERE {column} != ?", (last,))
            copy.execute(f"UPDATE {table} SET {column} = 1")
        copy.execute("DELETE FROM model_calls WHERE id NOT IN (SELECT call FROM events WHERE call IS NOT NULL)")
        version, = copy.execute("PRAGMA user_version").fetchone()
        tables = "|".join(("runs", "events", "theorems", "model_calls"))
        wanted = re.compile(rf'(CREATE TABLE|INSERT INTO) "?({tables})"?\b')
        lines = [line for line in copy.iterdump() if wanted.match(line)]
    text = "\n".join([f"PRAGMA user_version = {version};", *lines]) + "\n"
    return text.replace(str(LEAN), LEAN_PROGRAM).replace(str(folder), FOLDER)


class Recorder:
    def __init__(self, wanted):
        self.wanted = wanted
        self.original = ZermeloTest.__dict__["zermelo"].__func__

    def zermelo(self, cls, *arguments, **options):
        words = [str(a) for a in arguments]
        if words[0] != "prove" or words[-1].startswith("bad"):
            return self.original(cls, *arguments, **options)
        if "--run-db" not in words:
            arguments = (*arguments, "--run-db", "runs.db")
            words = [str(a) for a in arguments]
        run = self.original(cls, *arguments, **options)
        database = cls.folder / words[words.index("--run-db") + 1]
        if run.code in (0, 1) and database.exists():
            self.keep(cls.folder, words, database, run)
        return run

    def keep(self, folder, words, database, run):
        stem = pathlib.Path(words[1]).stem.lower()
        strategy = words[words.index("--strategy") + 1] if "--strategy" in words else "auto"
        number = 1
        while (RUNS / f"{strategy}_{stem}_{number}").exists():
            number += 1
        target = RUNS / f"{strategy}_{stem}_{number}"
        target.mkdir(parents=True)
        with lzma.open(target / "database.sql.xz", "wt", encoding="utf-8", preset=9) as file:
            file.write(as_text(database, folder))
        files = {name: (folder / name).read_text(encoding="utf-8") for name in (words[1], "zermelo.toml")
                 if (folder / name).exists()}
        described = {"command": words, "code": run.code, "files": files}
        (target / "run.json").write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"kept {target.name}, {sum(p.stat().st_size for p in target.iterdir())} bytes", flush=True)


def main():
    recorder = Recorder(sys.argv[1:])
    ZermeloTest.zermelo = classmethod(recorder.zermelo)
    suite = unittest.TestSuite()
    for item in RECORDED:
        if isinstance(item, unittest.TestCase):
            suite.addTest(item)
        else:
            suite.addTest(unittest.defaultTestLoader.loadTestsFromTestCase(item))
    if sys.argv[1:]:
        def flat(tests):
            for test in tests:
                yield from flat(test) if isinstance(test, unittest.TestSuite) else [test]
        suite = unittest.TestSuite(t for t in flat(suite) if any(word in t.id() for word in sys.argv[1:]))
    unittest.TextTestRunner(verbosity=2).run(suite)


if __name__ == "__main__":
    main()
