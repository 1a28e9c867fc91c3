theorem t (n : Nat) (h : n = 0 := by omega) : n * n = n := by
  simp [h]
