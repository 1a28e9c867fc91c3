namespace A
example : 1 + 1 = 2 := by sorry   example : 1 + 2 = 3 := by sorry
end A
