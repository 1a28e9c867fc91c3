theorem t (a b c : Nat) (h : a = b) : a + c + 0 = c + b := by
  calc a + c + 0
      _ = a + c := rfl
      _ = c + a := by rw [Nat.add_comm]
      _ = c + b := by
        rw [h]
