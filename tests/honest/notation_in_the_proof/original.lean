def double (n : Nat) : Nat := n + n

theorem t (n : Nat) : double (double n) = 4 * n := by
  sorry
