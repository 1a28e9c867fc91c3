theorem t (a b : Nat) : a + b = b + a := by
  sorry
