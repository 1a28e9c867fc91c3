example : 1 + 1 = 2 := by
  rfl

theorem t : 2 = 1 + 1 := by
  exact zermelo_example_0.symm
