theorem t (n : Nat) (h : n * n = n := by assumption) : n * n = n := by
  exact h
