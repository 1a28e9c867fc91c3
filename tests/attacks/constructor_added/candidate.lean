inductive Colour where
  | red
  | green
  | blue

theorem t : ∃ c : Colour, c ≠ .red ∧ c ≠ .green := by
  exact ⟨.blue, by simp, by simp⟩
