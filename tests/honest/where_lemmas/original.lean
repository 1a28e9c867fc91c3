theorem t (xs : List Nat) : (xs.map (· + 1)).length = xs.length := by
  sorry
