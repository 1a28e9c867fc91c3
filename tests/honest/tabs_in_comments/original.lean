/-	a tab -/
theorem t : 2 ∣ 4 := by
  sorry --	to do
