/-	a tab -/
theorem t : 2 ∣ 4 := by
  --	found by	hand
  exact ⟨2, rfl⟩ --	done
