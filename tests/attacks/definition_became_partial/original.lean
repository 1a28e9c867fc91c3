def f (n : Nat) : Nat := if n = 0 then 0 else f (n / 2)

theorem t : f 3 = 0 := by
  sorry
