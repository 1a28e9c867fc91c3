theorem t (α : Type) (x y : α) : x = y := by
  sorry
