theorem t : 1 + 1 = 3 := by
  decide /- the rest is a matter of taste
