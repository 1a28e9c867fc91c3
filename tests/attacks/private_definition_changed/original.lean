private def secret : Nat := 42

theorem t : secret = 23 := by
  sorry
