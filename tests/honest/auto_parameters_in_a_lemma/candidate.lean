theorem help (n : Nat) (h : 0 < n := by assumption) : n / n = 1 := Nat.div_self h

theorem t (n : Nat) (h : 0 < n) : n / n = 1 := by
  exact help n
