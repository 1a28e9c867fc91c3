universe u
theorem t (α : Sort u) [Subsingleton α] (x y : α) : x = y := by
  exact Subsingleton.elim x y
