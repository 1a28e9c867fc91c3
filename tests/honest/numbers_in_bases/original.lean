theorem t : 0b101 + 0o17 + 0xFF = 275 := by
  sorry
