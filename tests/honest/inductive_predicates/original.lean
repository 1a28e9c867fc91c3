inductive Even : Nat → Prop
  | zero : Even 0
  | step {n} : Even n → Even (n + 2)

theorem t : Even 6 := by
  sorry

theorem u : ¬ Even 3 := by
  sorry

theorem v {n : Nat} (h : Even n) : ∃ k, n = 2 * k := by
  sorry
