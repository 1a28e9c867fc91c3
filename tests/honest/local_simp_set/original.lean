def f (n : Nat) : Nat := n + 0

theorem t (n : Nat) : f (f n) = n := by
  sorry
