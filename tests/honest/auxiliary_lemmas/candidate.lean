theorem step (a b : Nat) (h : a ≤ b) (c : Nat) : c * a ≤ c * b :=
  Nat.mul_le_mul_left c h

private theorem swap (a b : Nat) : a * b = b * a := Nat.mul_comm a b

@[simp] theorem unused (n : Nat) : n + 0 = n := rfl

theorem t (a b c : Nat) (h : a ≤ b) : a * c ≤ b * c := by
  rw [swap a c, swap b c]
  exact step a b h c
