def f (n : Nat) : Nat := go n
where
  go (n : Nat) : Nat := n + 1

theorem t (n : Nat) : f n = n := by
  sorry
