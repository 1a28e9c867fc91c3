theorem mono (n : Nat) : n + 1 = n := by
  sorry
