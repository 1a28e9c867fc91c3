axiom B : Prop

theorem t : B := by
  sorry
