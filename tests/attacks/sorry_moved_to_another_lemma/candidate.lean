theorem lemma1 : False := by
  sorry

theorem t : 1 + 1 = 3 := lemma1.elim
