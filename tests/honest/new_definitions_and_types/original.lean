theorem t : ∃ s : List Nat, s.length = 3 := by
  sorry
