theorem t : 10 < 20 := by
  sorry
