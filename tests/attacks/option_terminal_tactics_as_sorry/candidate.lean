set_option debug.terminalTacticsAsSorry true in
theorem t : 1 + 1 = 3 := by
  omega
