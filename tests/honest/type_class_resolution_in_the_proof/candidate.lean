theorem t (α : Type) [DecidableEq α] (a b : α) : (if a = b then 1 else 2) ≤ 2 := by
  haveI : Inhabited α := ⟨a⟩
  letI d : Decidable (a = b) := inferInstance
  split
  · decide
  · exact Nat.le_refl _
