namespace N
theorem t : 1 + 1 = 2 := by
  rfl
end N
