theorem t : 2 + 2 = 4 := by
  first | (decide (native := true); fail) | rfl
