partial def f (n : Nat) : Nat := f (n + 1)

theorem t : f 3 = 0 ∨ f 3 ≠ 0 := by
  exact Decidable.em _
