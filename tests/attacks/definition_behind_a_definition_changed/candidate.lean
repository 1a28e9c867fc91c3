def f (n : Nat) : Nat := n
def g (n : Nat) : Nat := f n

theorem t (n : Nat) : g n = n := by
  rfl
