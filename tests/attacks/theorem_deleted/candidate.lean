theorem u : 1 + 1 = 2 := by
  rfl
