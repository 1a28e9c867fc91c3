namespace Grid
structure Cell where
  row : Nat
  column : Nat

attribute [ext] Cell
deriving instance DecidableEq, Repr for Cell
export Grid.Cell (row column)

@[simp, grind =] theorem row_mk (r c : Nat) : row ⟨r, c⟩ = r := rfl

private theorem ext' {a b : Cell} (h : row a = row b) (k : column a = column b) : a = b := by
  ext <;> assumption

theorem t (a b : Cell) (h : a.row = b.row) (k : a.column = b.column) : a = b :=
  ext' h k
end Grid
