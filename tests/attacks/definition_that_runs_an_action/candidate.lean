def act : IO Nat := pure 10

theorem t : 2 + 2 = 4 := by rfl
