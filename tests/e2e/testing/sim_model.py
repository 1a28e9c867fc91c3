"""A simulated model server, and a theorem whose proof it knows."""
import json
import subprocess
import sys

from .zermelo import ROOT

SIM = ROOT / "tests/sim_model/sim_model.py"

# The built-in tactics need some seconds for this theorem; the model knows its proof.
HARD = "theorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) = 2 * f n) (h0 : f 0 = 3) (n : Nat) : f n = 3 * 2 ^ n"
PROOF = "  induction n with\n  | zero => simp [h0]\n  | succ n ih => rw [h, ih, Nat.pow_succ]; omega"


# The same proof in two steps.
KEY = ("have key : ∀ k, f k = 3 * 2 ^ k := by\n  intro k\n  induction k with\n  | zero => simp [h0]\n"
       "  | succ k ih => rw [h, ih, Nat.pow_succ]; omega")
STEPS = [{"state": "key : ∀ (k : Nat), f k = 3 * 2 ^ k", "tactic": "exact key n"},
         {"state": "⊢ f n = 3 * 2 ^ n", "tactic": KEY}]


class SimModel:
    def __init__(self, folder, *options, proof=PROOF, also=()):
        table = folder / "proofs.jsonl"
        rows = [{"name": "hard", "statement": HARD, "proof": proof}, *STEPS, *also]
        table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        self.process = subprocess.Popen([sys.executable, str(SIM), "--proofs", str(table), *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
