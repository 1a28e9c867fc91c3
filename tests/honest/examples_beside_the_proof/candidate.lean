variable (f : Nat → Nat) (h : ∀ x : Nat, f x ≤ f (x + 1))

example : f 0 ≤ f 1 := h 0

noncomputable example : Nat := 3

example : Nat × Nat where
  fst := 1
  snd := 2

theorem t (a : Nat) : a + 0 = a := by
  rfl

example (a b : Nat) (p : a < b) : a ≠ b := by
  omega
