theorem t (α : Prop) (x y : α) : x = y := by
  rfl
