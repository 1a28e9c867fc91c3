theorem t (n : Nat) (h : n * n = n) : n * n = n := by
  exact h
