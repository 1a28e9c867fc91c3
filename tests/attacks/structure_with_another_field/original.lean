structure Claim where
  value : Nat
  large : value > 10

theorem t (c : Claim) : c.value > 20 := by
  sorry
