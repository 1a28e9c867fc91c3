def f (n : Nat) : Nat := n + 1

theorem t : f 0 = 0 := by
  sorry
