theorem helper : 1 + 1 = 2 := rfl

theorem t : 2 + 2 = 4 := by
  sorry
