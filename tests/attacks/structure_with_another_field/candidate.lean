structure Claim where
  value : Nat
  large : value > 20

theorem t (c : Claim) : c.value > 20 := by
  exact c.large
