theorem t (n : Nat) : n < 0 :=
  Nat.lt_of_le_of_lt (Nat.le_succ n) (t (n + 1))
termination_by n
decreasing_by sorry
