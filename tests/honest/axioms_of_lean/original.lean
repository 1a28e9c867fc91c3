theorem t (p q : Prop) (h : p ↔ q) : p = q := by
  sorry

theorem u (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := by
  sorry

theorem v (p : Prop) : ¬¬p → p := by
  sorry
