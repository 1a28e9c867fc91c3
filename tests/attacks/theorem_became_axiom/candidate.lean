axiom t : 1 + 1 = 3
