def double (n : Nat) : Nat := n + n

/-! Checks first. -/
example : double 0 = 0 := rfl
example (n : Nat) : double n = 2 * n := by unfold double; omega

example :
    double 2 = 4 := by
  decide
