theorem t : ∃ n : Nat, n + 1 = n ∧ True := by
  sorry
