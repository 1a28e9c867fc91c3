axiom c : False

theorem t : 1 + 1 = 3 := by
  exact c.elim
