abbrev α := Nat

theorem t {α : Type} [Subsingleton α] (x y : α) : x = y := by
  exact Subsingleton.elim x y
