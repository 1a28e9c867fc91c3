theorem t (a b c : Nat) (h : a ≤ b) : a * c ≤ b * c := by
  sorry
