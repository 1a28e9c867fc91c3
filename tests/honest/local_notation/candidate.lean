def double (n : Nat) : Nat := n + n

theorem t (n : Nat) : double n = 2 * n := by
  unfold double; omega
