structure Digit where
  n : Nat
  small : n < 10 := by decide

def Digit.square (d : Digit) : Nat := d.n * d.n

@[simp, grind =] theorem Digit.square_def (d : Digit) : d.square = d.n * d.n := rfl

theorem Digit.square_lt (d : Digit) : d.square < 100 := by
  have := Nat.mul_lt_mul'' d.small d.small
  simpa using this

theorem t (n : Nat) (h : n < 10) : n * n < 100 :=
  Digit.square_lt ⟨n, h⟩
