#!/usr/bin/env python3
"""`zermelo prove --model` against a simulated server: real HTTP, real Lean, known proofs."""
import json
import subprocess
import sys

from zermelo import ROOT, ZermeloTest, main

SIM = ROOT / "tests/sim_model/sim_model.py"

# The built-in tactics do not find this one; the model knows it.
HARD = "theorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n"
PROOF = "  induction n with\n  | zero => simp [h0]\n  | succ n ih => rw [h, ih, Nat.pow_succ]; omega"


class SimModel:
    def __init__(self, folder, *options):
        table = folder / "proofs.jsonl"
        table.write_text(json.dumps({"name": "hard", "statement": HARD, "proof": PROOF}) + "\n", encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, str(SIM), "--proofs", str(table), *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class AModel(ZermeloTest):
    def serve(self, *options, format="chat", extra=""):
        sim = SimModel(self.folder, *options)
        self.addCleanup(sim.close)
        self.write("zermelo.toml", f'[models.sim]\nendpoint = "http://127.0.0.1:{sim.port}/v1"\n'
                                   f'format = "{format}"\n{extra}\n[models.sim.price]\nprompt = 1\ncompletion = 2\n')
        self.write("Hard.lean", HARD + " := by\n  sorry\n")
        return sim

    def prove(self, *options, **more):
        return self.zermelo("prove", "Hard.lean", "--time", "20s", "--json", "--out", "Out.lean",
                            "--model", "sim", *options, **more)

    def test_what_the_built_in_tactics_do_not_find_the_model_proves(self):
        self.serve()
        run = self.prove()
        self.assert_ends(run, 0, "1 of 1 proved", "models: ")
        self.assertEqual(run.json["theorems"][0]["status"], "proved")
        spent = run.json["models"]["sim"]
        self.assertGreater(spent["completion_tokens"], 0)
        self.assertGreater(spent["dollars"], 0)
        self.assert_ends(self.zermelo("check", "Out.lean", "--against", "Hard.lean"), 0)

    def test_a_model_in_a_completion_format(self):
        self.serve(format="deepseek-prover-v1.5")
        self.assert_ends(self.prove(), 0, "1 of 1 proved")

    def test_spoilt_answers_and_faults_only_take_longer(self):
        self.serve("--spoil", "0.3", "--fault", "429=0.1", "--fault", "500=0.1", "--fault", "half=0.1")
        self.assert_ends(self.prove("--samples", "64", "--seed", "1"), 0, "1 of 1 proved")

    def test_the_budget_of_samples_is_kept(self):
        sim = self.serve("--spoil", "1")
        run = self.prove("--samples", "5")
        self.assert_ends(run, 1, "budget")
        self.assertEqual(run.json["models"]["sim"]["samples"], 5)
        self.assertIsNotNone(sim)

    def test_a_recorded_run_is_replayed_without_a_server(self):
        sim = self.serve("--spoil", "0.3")
        first = self.prove("--record", "calls.db", "--seed", "3", "--samples", "32")
        self.assertEqual(first.code, 0, first)
        sim.process.terminate()
        again = self.prove("--replay", "calls.db", "--seed", "3", "--samples", "32")
        self.assertEqual(again.code, 0, again)
        self.assertEqual(again.json["theorems"][0]["proof"], first.json["theorems"][0]["proof"])
        other = self.prove("--replay", "calls.db", "--seed", "1000", "--samples", "32")
        self.assert_ends(other, 2, "seed")

    def test_the_doctor_says_what_is_wrong_with_a_model(self):
        sim = self.serve()
        run = self.zermelo("doctor", "--json")
        model, = (f for f in run.json["findings"] if f["subject"] == "model sim")
        self.assertEqual(model["level"], "ok", run)
        sim.process.terminate()
        sim.process.wait()
        run = self.zermelo("doctor", "--json")
        model, = (f for f in run.json["findings"] if f["subject"] == "model sim")
        self.assertEqual((run.code, model["level"]), (3, "problem"), run)
        self.assertTrue(model["advice"], run)

    def test_wrong_names_are_said_with_the_nearest(self):
        self.serve()
        self.assert_ends(self.zermelo("prove", "Hard.lean", "--model", "sin"), 2, "sin", "sim")
        self.write("bad/zermelo.toml", '[models.sim]\nendpont = "http://x/v1"\n')
        self.write("bad/Hard.lean", HARD + " := by\n  sorry\n")
        self.assert_ends(self.zermelo("prove", "bad/Hard.lean", "--model", "sim"), 2, "endpoint", "zermelo.toml")


if __name__ == "__main__":
    main()
