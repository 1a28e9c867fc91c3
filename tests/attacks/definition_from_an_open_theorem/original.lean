theorem helper (α β : Type) : α = β := by sorry

theorem t : 2 + 2 = 4 := by sorry
