inductive Even : Nat → Prop
  | zero : Even 0
  | step {n} : Even n → Even (n + 2)

theorem t : Even 6 := by
  repeat constructor

theorem u : ¬ Even 3 := by
  intro h; cases h with | step h => cases h

theorem v {n : Nat} (h : Even n) : ∃ k, n = 2 * k := by
  induction h with
  | zero => exact ⟨0, rfl⟩
  | step _ ih =>
    obtain ⟨k, hk⟩ := ih
    exact ⟨k + 1, by omega⟩
