@[extern "lean_nat_mul"] def times (a b : Nat) : Nat := a + b
theorem t : 1 + 1 = 3 := by
  have : times 1 3 = 3 := by native_decide
  simp [times] at this
