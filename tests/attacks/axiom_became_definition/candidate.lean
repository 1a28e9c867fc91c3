def B : Prop := True

theorem t : B := by
  exact trivial
