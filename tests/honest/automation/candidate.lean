theorem t (x y z : Int) (h : 2 * x + y < z) (h' : z ≤ y) : x < 0 := by
  omega

theorem u (xs ys : List Nat) (h : xs = ys) : xs.reverse.reverse = ys := by
  simp [h]

theorem v (f : Nat → Nat) (a b : Nat) (h : a = b) (h' : f a = 1) : f b = 1 := by
  grind

theorem w (x y : BitVec 4) : x &&& y = y &&& x := by
  ac_rfl
