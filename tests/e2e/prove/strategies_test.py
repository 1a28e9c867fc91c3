#!/usr/bin/env python3
"""`zermelo prove --strategy …` with a simulated model that is often wrong, and real Lean."""
import json
import subprocess
import sys

from testing.zermelo import ROOT, ZermeloTest, main

SIM = ROOT / "tests/sim_model/sim_model.py"

# Five tactics: a model that gets 15 % of the tactics right writes the whole proof once in 13,000 samples. In SAMPLES, a
# single pass would find it in 4 % of all runs; only a search that keeps the right tactics finds it.
STATEMENT = "theorem steps (p q r : Prop) (hp : p) (hq : q) (hr : r) : (p ∧ q) ∧ r"
PROOF = "  constructor\n  constructor\n  exact hp\n  exact hq\n  exact hr"
SPOILT, SAMPLES = "0.85", 512
EASY = "theorem easy (a b : Nat) (h : a < b) : a + 1 ≤ b"


class Strategies(ZermeloTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        table = cls.write("proofs.jsonl", json.dumps({"name": "steps", "statement": STATEMENT, "proof": PROOF}) + "\n")
        cls.sim = subprocess.Popen([sys.executable, str(SIM), "--proofs", str(table), "--spoil", SPOILT],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = json.loads(cls.sim.stdout.readline())["port"]
        cls.addClassCleanup(cls.stop)
        cls.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{port}/v1"\n'
                                  'formats = { "deepseek-prover-v1.5" = 1, "deepseek-prover-v1.5-cot" = 1 }\n'
                                  '[strategy.rmaxts]\nworkers = 4\n')
        cls.write("Steps.lean", STATEMENT + " := by\n  sorry\n")
        cls.write("Easy.lean", EASY + " := by\n  sorry\n")

    @classmethod
    def stop(cls):
        cls.sim.stdin.close()
        cls.sim.wait(10)
        cls.sim.stdout.close()

    def prove(self, file, *options, time="60s"):
        return self.zermelo("prove", file, "--time", time, "--json", "--out", "Out.lean", "--workers", "1", *options)

    def prove_with_model(self, *options):
        return self.prove("Steps.lean", "--model", "sim", "--samples", str(SAMPLES), "--seed", "1", "--no-builtin",
                          *options, time="180s")

    def test_rmaxts_proves_it_step_by_step_and_obeys_its_parameters(self):
        run = self.prove_with_model("--strategy", "rmaxts", "--set", "rmaxts.trees=2")
        self.assert_ends(run, 0, "1 of 1 proved")
        self.assertEqual(run.json["strategy"], "rmaxts")
        self.assertLessEqual(sum(m["samples"] for m in run.json["models"].values()), SAMPLES)
        self.assert_ends(self.zermelo("check", "Out.lean", "--against", "Steps.lean"), 0)

    def test_sg_mdp_proves_it_tactic_by_tactic(self):
        self.assert_ends(self.prove_with_model("--strategy", "sg_mdp", "--set", "sg_mdp.trials=40"), 0, "1 of 1 proved")

    def test_all_counts_distinct_proofs(self):
        run = self.prove("Easy.lean", "--strategy", "best_first", "--all", "--set", "best_first.max_depth=1",
                         "--set", "best_first.candidates_per_state=24", "--set", "best_first.max_retries=0")
        self.assertEqual(run.code, 0, run)
        proofs = run.json["theorems"][0]["proofs"]
        self.assertGreater(len(proofs), 1, run)
        self.assertEqual(len(proofs), len(set(proofs)))
        self.assertEqual(proofs[0], run.json["theorems"][0]["proof"])

    def test_the_built_in_policy_alone(self):
        for strategy in ("sg_mdp", "best_first", "auto"):
            with self.subTest(strategy):
                self.assert_ends(self.prove("Easy.lean", "--strategy", strategy), 0, "1 of 1 proved")

    def test_impossible_requests_are_errors(self):
        self.assert_ends(self.prove("Easy.lean", "--strategy", "rmaxts"), 2, "--model")
        self.assert_ends(self.prove("Easy.lean", "--strategy", "rmaxtz"), 2, "rmaxts")
        self.assert_ends(self.prove("Easy.lean", "--set", "rmaxts.worker=3"), 2, "rmaxts.workers")
        self.assert_ends(self.prove("Easy.lean", "--set", "rmaxts.gamma=2"), 2, "gamma")
        self.write("bad/zermelo.toml", "[strategy.sg_mdp]\ntrials = 0\n")
        self.write("bad/Easy.lean", EASY + " := by\n  sorry\n")
        self.assert_ends(self.prove("bad/Easy.lean"), 2, "zermelo.toml, line 2", "trials")


if __name__ == "__main__":
    main()
