theorem helper : 0b101 + 0o17 = 0x14 := by decide

theorem t : 0b101 + 0o17 + 0xFF = 275 := by
  rw [helper]
