-- a comment
theorem t (n : Nat) : n + 0 = n := by
  -- sorry
  rfl

theorem u : True := by
  trivial
