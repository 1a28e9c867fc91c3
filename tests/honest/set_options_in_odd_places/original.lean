theorem t (f : Nat → Nat) (h : ∀ n, f n = n + 1) : f (f 0) = 2 := by
  sorry
