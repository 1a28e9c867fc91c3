theorem lemma1 : False := by
  admit

theorem t : 1 + 1 = 3 := lemma1.elim
