unsafe def bad : False := bad

unsafe def t : 1 + 1 = 3 := bad.elim
