theorem t (a b c d : Nat) (h₁ : a = b) (h₂ : b ≤ c) (h₃ : c + 1 = d) : a < d :=
  calc a
    _ = b + 0 := by rw [h₁, Nat.add_zero]
    _ = b := Nat.add_zero b
    _ ≤ c := h₂
    _ < c + 1 := Nat.lt_succ_self c
    _ = d := h₃
