def f (n : Nat) : Nat := n

theorem t (n : Nat) : f n = n := by
  rfl
