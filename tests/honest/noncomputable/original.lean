noncomputable section
open Classical

def pick (p : Nat → Prop) (h : ∃ n, p n) : Nat := choose h

theorem t (p : Nat → Prop) (h : ∃ n, p n) : p (pick p h) := by
  sorry

theorem em' (p : Prop) : p ∨ ¬p := by
  sorry
end
