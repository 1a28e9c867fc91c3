structure Config where
  limit : Nat := 10

theorem t : ({} : Config).limit = 20 := by
  sorry
