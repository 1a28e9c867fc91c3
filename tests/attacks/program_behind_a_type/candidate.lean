import Lean

-- A library's attribute or tactic could run `e`, whose type does not say at once what it is.
abbrev Action : Type := Lean.Elab.Tactic.TacticM Unit
structure Rule where
  run : Action
def e : Rule := ⟨pure ()⟩

theorem t (a b : Nat) : a + b = b + a := by
  omega
