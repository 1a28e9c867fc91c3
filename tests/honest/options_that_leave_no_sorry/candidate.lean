set_option debug.byAsSorry false in
set_option debug.terminalTacticsAsSorry false in
theorem t (a b : Nat) : a + b = b + a := by
  omega
