theorem t : ∀ a b : Fin 8, a + b = b + a := by
  sorry

theorem u : (List.range 10).foldl (· + ·) 0 = 45 := by
  sorry
