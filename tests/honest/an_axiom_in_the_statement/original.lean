axiom Riemann : Prop

theorem t : Riemann → Riemann ∨ 1 = 2 := by
  sorry
