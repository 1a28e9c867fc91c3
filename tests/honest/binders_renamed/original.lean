theorem t (a b : Nat) (h : a = b) : b = a := by
  sorry

theorem u : ∀ x : Nat, ∃ y, x < y := by
  sorry
