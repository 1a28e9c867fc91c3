set_option debug.skipKernelTC true in
theorem t (a b : Nat) : a + b = b + a := by
  exact Nat.add_comm a b

theorem u : 1 + 1 = 2 := by
  set_option debug.skipKernelTC true in
  decide +kernel
