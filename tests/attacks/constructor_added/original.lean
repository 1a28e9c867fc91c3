inductive Colour where
  | red
  | green

theorem t : ∃ c : Colour, c ≠ .red ∧ c ≠ .green := by
  sorry
