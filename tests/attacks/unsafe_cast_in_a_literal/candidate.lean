unsafe def minusOne : Nat := unsafeCast (-1 : Int)

@[implemented_by minusOne] opaque zero : Nat

theorem t : 1 + 1 = 3 := by
  have : zero = 0 := by native_decide
  omega
