namespace Grid
structure Cell where
  row : Nat
  column : Nat

theorem t (a b : Cell) (h : a.row = b.row) (k : a.column = b.column) : a = b := by
  sorry
end Grid
