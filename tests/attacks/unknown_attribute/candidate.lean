@[env_linter] def l := 0

theorem t (a b : Nat) : a + b = b + a := by
  omega
