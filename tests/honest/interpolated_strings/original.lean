structure P where
  x : Nat

theorem t (p : P) : p = ⟨p.x⟩ := by
  sorry
