/- reordered -/
def b : Nat :=
    2
theorem before : b = 2 := rfl
def a : Nat := 1


theorem t :
    a + 1
      = b := by
  rw [before]; rfl
