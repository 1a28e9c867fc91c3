def Question : Prop := ∀ n : Nat, n < 100
def Answer : Prop := sorry

theorem t : Answer ↔ Question := by
  sorry
