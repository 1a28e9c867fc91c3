theorem t (n : Nat) : n * n = n ∧ n < 2 := by
  sorry
