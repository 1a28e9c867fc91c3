def f (n : Nat) : Nat := go n
where
  go (n : Nat) : Nat := n

theorem t (n : Nat) : f n = n := by
  rfl
