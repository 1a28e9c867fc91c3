theorem t (n : Nat) : n < 2 ^ n :=
  match n with
  | 0 => by decide
  | n + 1 => by
    have := t n
    rw [Nat.pow_succ]
    omega
termination_by n
decreasing_by
  simp_wf
