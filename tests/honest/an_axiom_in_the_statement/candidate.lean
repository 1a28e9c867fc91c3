axiom Riemann : Prop

theorem t : Riemann → Riemann ∨ 1 = 2 := by
  intro h
  exact Or.inl h
