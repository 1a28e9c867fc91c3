macro "make_def" : command => `(def hidden : Nat := 5)
make_def

theorem first : 1 = 1 := by sorry
make_def

theorem t : 3 < 5 := by
  sorry
