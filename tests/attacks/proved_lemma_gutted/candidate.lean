theorem helper : 1 + 1 = 2 := by stop rfl

theorem t : 2 + 2 = 4 := by
  rfl
