theorem more (n : Nat) : n = n := rfl
macro "make_def" : command => `(def hidden : Nat := 5)
make_def

theorem first : 1 = 1 := by
  have := more 1
  exact this
make_def

theorem t : 3 < 5 := by
  decide
