theorem t (p q : Prop) : p ∧ q → q ∧ p := by
  sorry
