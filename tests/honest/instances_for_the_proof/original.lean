structure Point where
  x : Nat
  y : Nat

theorem t : ∀ p : Point, p.x = p.x ∧ p.y = p.y := by
  sorry
