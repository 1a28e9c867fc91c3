def f (n : Nat) : Nat := n + 1
def g (n : Nat) : Nat := f n

theorem t (n : Nat) : g n = n := by
  sorry
