def f (n : Nat) : Nat := n + 1

theorem t : ∃ n, f n = f (n + 1) := by
  sorry
