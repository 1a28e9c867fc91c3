def settings : Lean.Meta.Simp.Config := { maxSteps := 5 }
theorem t : 1 + 1 = 3 := by
  first | simp (config := settings) | stop rfl
