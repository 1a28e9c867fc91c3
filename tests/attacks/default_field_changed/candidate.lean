structure Config where
  limit : Nat := 20

theorem t : ({} : Config).limit = 20 := by
  rfl
