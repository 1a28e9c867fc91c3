end
theorem t : 1 + 1 = 3 := by
  rfl
