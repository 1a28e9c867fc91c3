theorem fermat (n x y z : Nat) (h : 2 < n) (hx : 0 < x) (hy : 0 < y) : x ^ n + y ^ n ≠ z ^ n := by
  sorry

theorem t : 1 + 1 = 2 := rfl
