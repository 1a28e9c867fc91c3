def a : Nat := 1

def b : Nat := 2

theorem t : a + 1 = b := by
  sorry
