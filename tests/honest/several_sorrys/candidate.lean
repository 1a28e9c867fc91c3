theorem t (a b : Nat) : a + b = b + a ∧ a * b = b * a := by
  constructor
  · exact Nat.add_comm a b
  · exact Nat.mul_comm a b

theorem u (h : 1 = 2) : False := by
  have h' : 1 ≠ 2 := by decide
  exact h' h
