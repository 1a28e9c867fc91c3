def gcd (a b : Nat) : Nat :=
  if h : b = 0 then a else gcd b (a % b)
termination_by b
decreasing_by exact Nat.mod_lt a (Nat.pos_of_ne_zero h)

def halve (n : Nat) : Nat := if n = 0 then 0 else halve (n / 2) + 1
decreasing_by
  omega

theorem t (a : Nat) : gcd a 0 = a := by
  unfold gcd; simp
