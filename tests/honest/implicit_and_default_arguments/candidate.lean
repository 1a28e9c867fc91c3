def f (x : Nat) (y : Nat := 3) {z : Nat} : Nat := x + y + z

theorem t : f 1 (z := 0) = 4 := by
  rfl

theorem u {n : Nat} ⦃m : Nat⦄ (h : n = m := by assumption) : m = n := by
  exact h.symm
