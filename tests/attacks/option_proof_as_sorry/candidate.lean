set_option debug.proofAsSorry true in
theorem t : 1 + 1 = 3 := by
  rfl
