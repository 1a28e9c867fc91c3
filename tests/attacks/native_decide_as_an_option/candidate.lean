theorem t : 10 < 20 := by
  decide (config := { native := true })
