private def secret : Nat := 23

theorem t : secret = 23 := by
  rfl
