def double (n : Nat) : Nat := n + n

example : double 2 = 4 := by
  sorry
