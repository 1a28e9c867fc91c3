theorem t (a b c : Nat) (h : a < b) (h' : b < c) : a + 1 < c := by
  sorry
