example : 1 + 1 = 2 := by rfl   example : 1 = 2 := by sorry
