"""Proofs that bring a tactic of their own: an honest one, and one that lies."""
TACTIC = """\
import Lean
open Lean Elab Tactic in
elab "mine" : tactic => do evalTactic (← `(tactic| omega))

theorem t (a b : Nat) : a + b = b + a := by
  mine
"""
# Puts `0 = 1` into the environment without Lean's kernel.
LIAR = TACTIC.replace("do evalTactic", """do
  let value := mkApp2 (mkConst ``Eq.refl [1]) (mkConst ``Nat) (mkNatLit 0)
  let type := mkApp3 (mkConst ``Eq [1]) (mkConst ``Nat) (mkNatLit 0) (mkNatLit 1)
  withOptions (fun o => o.setBool `debug.skipKernelTC true) do
    addDecl (.thmDecl { name := `t.lie, levelParams := [], type, value })
  evalTactic""")
