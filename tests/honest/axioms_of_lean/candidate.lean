theorem t (p q : Prop) (h : p ↔ q) : p = q := propext h

theorem u (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := by
  funext x
  exact h x

theorem v (p : Prop) : ¬¬p → p := by
  intro h
  by_cases hp : p
  · exact hp
  · exact absurd hp h
