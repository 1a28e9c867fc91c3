theorem t (x y z : Int) (h : 2 * x + y < z) (h' : z ≤ y) : x < 0 := by
  sorry

theorem u (xs ys : List Nat) (h : xs = ys) : xs.reverse.reverse = ys := by
  sorry

theorem v (f : Nat → Nat) (a b : Nat) (h : a = b) (h' : f a = 1) : f b = 1 := by
  sorry

theorem w (x y : BitVec 4) : x &&& y = y &&& x := by
  sorry
