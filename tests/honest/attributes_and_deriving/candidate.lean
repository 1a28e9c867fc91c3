namespace Grid
structure Cell where
  row : Nat
  column : Nat

attribute [ext] Cell
deriving instance DecidableEq, Repr for Cell

@[simp] theorem row_mk (r c : Nat) : Cell.row ⟨r, c⟩ = r := rfl

private theorem ext' {a b : Cell} (h : a.row = b.row) (k : a.column = b.column) : a = b := by
  ext <;> assumption

theorem t (a b : Cell) (h : a.row = b.row) (k : a.column = b.column) : a = b :=
  ext' h k
end Grid
