theorem mοno (n : Nat) : n + 1 = 1 + n := by
  omega
