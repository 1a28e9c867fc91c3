theorem t (a b c d : Nat) (h₁ : a = b) (h₂ : b ≤ c) (h₃ : c + 1 = d) : a < d := by
  sorry
