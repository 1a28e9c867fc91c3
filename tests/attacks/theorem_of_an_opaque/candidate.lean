opaque evidence : Nat := 5

theorem t : evidence = evidence := by
  rfl
