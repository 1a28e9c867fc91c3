universe u

theorem t (α : Type u) (x y : α) : x = y := by
  sorry
