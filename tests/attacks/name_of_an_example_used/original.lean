example : 1 + 1 = 2 := by
  sorry

theorem t : 2 = 1 + 1 := by
  sorry
