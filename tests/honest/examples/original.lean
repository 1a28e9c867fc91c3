example : 1 + 1 = 2 := by
  sorry

/-- documented -/
example (n : Nat) : n = n := by sorry

theorem t : True := by
  sorry

example {p q : Prop} (hp : p) (hq : q) : p ∧ q :=
  ⟨sorry, hq⟩
