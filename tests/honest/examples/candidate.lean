example : 1 + 1 = 2 := by
  rfl

/-- documented -/
example (n : Nat) : n = n := by rfl

theorem t : True := by
  trivial

example {p q : Prop} (hp : p) (hq : q) : p ∧ q :=
  ⟨hp, hq⟩
