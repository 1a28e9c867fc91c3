theorem t (p q : Prop) : (p → q) → (¬q → ¬p) ∧ (p ∨ q → q) := by
  sorry
