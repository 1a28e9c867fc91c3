theorem t (a b : Nat) : a + b = b + a ∧ a * b = b * a := by
  constructor
  · sorry
  · sorry

theorem u (h : 1 = 2) : False := by
  have h' : 1 ≠ 2 := sorry
  exact h' sorry
