def f (n : Nat) : Nat := n + 1

theorem f.eq_1 (n : Nat) : f n = n := by rfl

theorem t : f 0 = 0 := by
  rw [f.eq_1]
