theorem t (a b : Nat) : a + b = b + a := by
  aesop (add safe tactic e)
