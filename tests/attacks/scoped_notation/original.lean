theorem t : (2 : Nat) ∣ 3 := by
  sorry
