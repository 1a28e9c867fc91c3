theorem t (x y : Nat) (hxy : x = y) : y = x := by
  exact hxy.symm

theorem u : ∀ n : Nat, ∃ m, n < m :=
  fun n => Exists.intro (n + 1) (Nat.lt_succ_self n)
