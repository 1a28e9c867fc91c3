example : 1 + 1 = 2 := by sorry   example : 1 = 2 := by sorry
