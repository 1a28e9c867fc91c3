theorem t (n : Nat) : n < 0 :=
  t n
termination_by n
decreasing_by sorry
