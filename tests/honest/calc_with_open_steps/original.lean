theorem t (a b c : Nat) (h : a = b) : a + c + 0 = c + b := by
  calc a + c + 0
      _ = a + c := sorry
      _ = c + a := by sorry
      _ = c + b := by
        sorry
