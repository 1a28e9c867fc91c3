abbrev α := Nat

theorem t (x y : α) : x = y := by
  sorry
